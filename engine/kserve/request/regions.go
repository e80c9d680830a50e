package request

import (
	"conch/engine/infer"
	"conch/engine/kserve/region"
	"conch/engine/tensor"
)

// Place is where a client says that a tensor lies in shared memory.
type Place struct {
	Region       string
	Offset, Size uint64 // bytes
}

// ReadRegion returns a copy of an input's bytes in shared memory.
func (a *Assembler) ReadRegion(p Place) ([]byte, error) {
	span, err := a.regions.Use(p.Region, p.Offset, p.Size)
	if err != nil {
		return nil, err
	}
	defer span.Release()
	if err := a.account.Grow(int64(span.Size())); err != nil {
		return nil, err
	}
	data := make([]byte, span.Size())
	return data, span.Read(data)
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

// deliver writes the outputs of an answer that the client wants in shared memory.
func (a *Assembler) deliver(outputs []tensor.Tensor) error {
	if len(a.spans) == 0 {
		return nil
	}
	for i := range outputs {
		if span := a.spans[outputs[i].Name]; span != nil {
			if err := span.Write(outputs[i].Name, outputs[i].Data); err != nil {
				return err
			}
		}
	}
	return nil
}

// releaseRegions ends the use of the outputs' places.
func (a *Assembler) releaseRegions() {
	for name, span := range a.spans {
		delete(a.spans, name)
		span.Release()
	}
}

// RegionClash refuses an output in shared memory that has a setting for another form as well.
func (w *Wire) RegionClash(setting string) error {
	return infer.Errorf(infer.InvalidArg, w.regionClash, setting)
}
