package request

import (
	"slices"

	"conch/engine/infer"
	"conch/engine/kserve/region"
	"conch/engine/tensor"
)

// Place is where a client says that a tensor lies in shared memory.
type Place struct {
	Region       string
	Offset, Size uint64 // bytes
}

// ReadRegion returns an input's bytes in shared memory: the memory itself until Leave, where that is safe, else a copy. Bytes that
// stay on a GPU until the model reads them are nil here.
func (a *Assembler) ReadRegion(input string, kind tensor.DataType, p Place) ([]byte, error) {
	span, err := a.regions.Use(p.Region, p.Offset, p.Size)
	if err != nil {
		return nil, err
	}
	if err := a.account.Grow(int64(span.Size())); err != nil {
		span.Release()
		return nil, err
	}
	if a.borrows(kind, p.Size) {
		data, away := span.Bytes(), span.Away()
		if data != nil || a.leaves(input, away) {
			a.borrowed = append(a.borrowed, span)
			return data, nil
		}
	}
	defer span.Release()
	data := make([]byte, span.Size())
	return data, span.Read(data)
}

// leastBorrowed is the smallest input that is not copied. With a smaller one, a copy costs less than it protects.
const leastBorrowed = 64 << 10

// borrows decides whether a model reads an input where its client may change it meanwhile. The client may harm its own answer
// only. So a copy is made of numbers that a model may use as places or lengths after it has checked them, of answers
// that are kept for others, and of what an ensemble passes on to other models.
func (a *Assembler) borrows(kind tensor.DataType, size uint64) bool {
	config := a.Config()
	return harmless(kind) && size >= leastBorrowed && !config.GetResponseCache().GetEnable() && config.GetEnsembleScheduling() == nil
}

// harmless reports whether a type holds no places or lengths.
func harmless(kind tensor.DataType) bool {
	switch kind {
	case tensor.FP16, tensor.BF16, tensor.FP32, tensor.FP64, tensor.Uint8, tensor.Int8:
		return true
	}
	return false
}

// leaves leaves an input in the memory of its GPU, where the model reads it there.
func (a *Assembler) leaves(input string, away infer.Away) bool {
	if away == nil || !a.target.ReadsGPU(away.GPU()) {
		return false
	}
	if a.Away == nil {
		a.Away = map[string]infer.Away{}
	}
	a.Away[input] = away
	return true
}

// intact returns an error when a client has shortened the memory of an input that the model has read.
func (a *Assembler) intact() error {
	for _, span := range a.borrowed {
		if err := span.Whole(); err != nil {
			return err
		}
	}
	return nil
}

// AddRegionOutput adds a requested output whose values are written to shared memory. Of two with one name the first
// counts.
func (a *Assembler) AddRegionOutput(name string, p Place) error {
	span, err := a.regions.Use(p.Region, p.Offset, p.Size)
	if err != nil {
		return err
	}
	if a.spans[name] != nil {
		span.Release()
	} else {
		if a.spans == nil {
			a.spans = map[string]*region.Span{}
		}
		a.spans[name] = span
	}
	return a.AddOutput(name, 0)
}

// InRegion reports whether the client gave a place in shared memory for an output.
func (a *Assembler) InRegion(output string) bool { return a.spans[output] != nil }

// mostCompared is how many tensors of a request may lie in shared memory when the model is to make outputs there. Each of those is
// compared with all others; with more of them, outputs are copied after the run.
const mostCompared = 1000

// land tells the model of the places of outputs, so that it may write there itself. Nobody else may want to see the bytes of those on
// a GPU.
func (a *Assembler) land() {
	if a.Trace != nil || len(a.spans)+len(a.borrowed) > mostCompared {
		return
	}
	for name, span := range a.spans {
		if span.Size() < leastBorrowed {
			continue
		}
		if place := span.Landing(); place != nil && a.target.WritesGPU(place.GPU()) {
			if a.Landings == nil {
				a.Landings = map[string]infer.Landing{}
			}
			a.Landings[name] = place
		}
		if room := span.Bytes(); room != nil && a.lets(name, span) {
			if a.Rooms == nil {
				a.Rooms = map[string][]byte{}
			}
			a.Rooms[name] = room
		}
	}
}

// lets decides whether a model makes an output where its client may change it meanwhile, as borrows does for an input. Where another
// tensor of the request may lie in the same memory, the output is copied there after the run.
func (a *Assembler) lets(output string, place *region.Span) bool {
	if !a.borrows(a.outputType(output), place.Size()) || slices.ContainsFunc(a.borrowed, place.Overlaps) {
		return false
	}
	for name, other := range a.spans {
		if name != output && place.Overlaps(other) {
			return false
		}
	}
	return true
}

func (a *Assembler) outputType(output string) tensor.DataType {
	for _, out := range a.Config().GetOutput() {
		if out.GetName() == output {
			return tensor.DataType(out.GetDataType())
		}
	}
	return tensor.Invalid
}

// deliver writes the outputs of an answer that the client wants in shared memory, and that are not there yet.
func (a *Assembler) deliver(r *infer.Response) error {
	outputs := r.Outputs
	if err := a.intact(); err != nil {
		return err
	}
	if len(a.spans) == 0 {
		return nil
	}
	for i := range outputs {
		span := a.spans[outputs[i].Name]
		if span == nil || slices.Contains(r.Landed, outputs[i].Name) {
			continue
		}
		var err error
		if infer.MadeIn(a.Rooms[outputs[i].Name], outputs[i].Data) {
			err = span.Whole()
		} else {
			err = a.named(span.Write(outputs[i].Name, outputs[i].Data))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// named returns the error of an output that does not fit, under the name of an ensemble, as Triton does.
func (a *Assembler) named(err error) error {
	if err == nil || !a.ensemble() {
		return err
	}
	return infer.Errorf(infer.CodeOf(err), "in ensemble '%s', %s", a.Model, err)
}

// releaseRegions ends the use of shared memory.
func (a *Assembler) releaseRegions() {
	for _, span := range a.borrowed {
		span.Release()
	}
	a.borrowed = nil
	for name, span := range a.spans {
		delete(a.spans, name)
		span.Release()
	}
}

// RegionClash refuses an output in shared memory that has a setting for another form as well.
func (w *Wire) RegionClash(setting string) error {
	return infer.Errorf(infer.InvalidArg, w.regionClash, setting)
}
