package model

import (
	"encoding/binary"
	"math"
	"slices"

	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
	"conch/engine/infer"
	"conch/engine/sched"
	"conch/engine/tensor"
)

// sequenceWiring adds the control tensors and implicit states of a sequence to its requests
// (docs/triton/sequences.md, "Controls").
type sequenceWiring struct {
	controls []control
	states   []state
	outputs  []infer.RequestedOutput // all outputs of the config, for a request that names none
	batching bool
}

var _ sched.Wiring = (*sequenceWiring)(nil)

// state is one tensor that the model returns and gets again with the next request.
type state struct {
	input, output string
	initial       tensor.Tensor
	visible       bool // it is also an output of the config
}

func newSequenceWiring(cfg *modelconfig.ModelConfig, own files) (*sequenceWiring, error) {
	w := &sequenceWiring{batching: cfg.MaxBatchSize > 0}
	for _, out := range cfg.Output {
		w.outputs = append(w.outputs, infer.RequestedOutput{Name: out.Name})
	}
	batching := cfg.GetSequenceBatching()
	for _, in := range batching.ControlInput {
		for _, c := range in.Control {
			w.controls = append(w.controls, newControl(in.Name, c))
		}
	}
	for _, s := range batching.State {
		if slices.ContainsFunc(w.states, func(known state) bool { return known.input == s.InputName || known.output == s.OutputName }) {
			continue // a second entry is ignored, as in Triton
		}
		initial, err := w.initialState(s, own)
		if err != nil {
			return nil, err
		}
		w.states = append(w.states, state{
			input: s.InputName, output: s.OutputName, initial: initial,
			visible: slices.ContainsFunc(cfg.Output, func(o *modelconfig.ModelOutput) bool { return o.Name == s.OutputName }),
		})
	}
	return w, nil
}

// initialState returns the state at the beginning of a sequence: the config's, or zeros. (Triton uses uninitialised memory
// instead of zeros.) A variable dimension is 1 at the beginning.
func (w *sequenceWiring) initialState(s *modelconfig.ModelSequenceBatching_State, own files) (tensor.Tensor, error) {
	t := tensor.Tensor{Name: s.InputName, Type: tensor.DataType(s.DataType)}
	dims := s.Dims
	file := ""
	if len(s.InitialState) > 0 {
		dims, file = s.InitialState[0].Dims, s.InitialState[0].GetDataFile()
	}
	for _, d := range dims {
		t.Shape = append(t.Shape, max(d, 1))
	}
	size, ok := zeroBytes(t.Shape, t.Type)
	if !ok {
		return t, infer.Errorf(infer.InvalidArg, "state '%s' is too large: shape %s", s.InputName, t.Shape)
	}
	if w.batching {
		t.Shape = append(tensor.Shape{1}, t.Shape...)
	}
	t.Data = make([]byte, size)
	if file == "" {
		return t, nil
	}
	data, err := own.read(folder.InitialState, file)
	switch {
	case err != nil:
		return t, err
	case t.Type == tensor.Bytes:
		t.Data = data
	case len(data) < len(t.Data):
		return t, infer.Refused(rule.ST9, len(t.Data), file, len(data))
	default:
		t.Data = data[:len(t.Data)]
	}
	return t, nil
}

// zeros returns the data of a number of zeros, or of empty strings.
func zeros(t tensor.DataType, elements int64) []byte {
	size := int64(t.Size())
	if t == tensor.Bytes {
		size = 4
	}
	return make([]byte, elements*size)
}

// Wire implements sched.Wiring. kept is the result of Keep; nil at the start of a sequence.
func (w *sequenceWiring) Wire(r *infer.Request, kept any) *infer.Request {
	wired := *r
	wired.Inputs = make([]tensor.Tensor, len(r.Inputs), len(r.Inputs)+len(w.controls)+len(w.states))
	copy(wired.Inputs, r.Inputs)
	w.control(&wired, moment{id: r.Sequence, ready: true})
	states, _ := kept.([]tensor.Tensor)
	for i := range w.states {
		t := w.states[i].initial
		if states != nil && states[i].Data != nil {
			t = states[i]
		}
		wired.Inputs = append(wired.Inputs, t)
	}
	w.wantStates(&wired)
	return &wired
}

// wantStates asks the backend for the states, beside the outputs that the client asked for.
func (w *sequenceWiring) wantStates(r *infer.Request) {
	if len(w.states) == 0 {
		return
	}
	asked := r.Outputs
	if len(asked) == 0 {
		asked = w.outputs
	}
	r.Outputs = make([]infer.RequestedOutput, len(asked), len(asked)+len(w.states))
	copy(r.Outputs, asked)
	for i := range w.states {
		if !r.Wants(w.states[i].output) {
			r.Outputs = append(r.Outputs, infer.RequestedOutput{Name: w.states[i].output})
		}
	}
}

// Null implements sched.Wiring: zeros in the shapes of another request, with the controls of an empty slot.
func (w *sequenceWiring) Null(like *infer.Request) *infer.Request {
	null := &infer.Request{Model: like.Model, Version: like.Version, Batch: like.Batch, Outputs: like.Outputs, Trial: like.Trial}
	for _, t := range like.Inputs {
		if w.isControl(t.Name) {
			continue
		}
		elements, _ := t.Shape.Elements()
		t.Data = zeros(t.Type, elements)
		null.Inputs = append(null.Inputs, t)
	}
	w.control(null, moment{})
	return null
}

func (w *sequenceWiring) isControl(name string) bool {
	return slices.ContainsFunc(w.controls, func(c control) bool { return c.name == name })
}

// control adds the control tensors. Where one tensor has several kinds, the last one counts.
func (w *sequenceWiring) control(r *infer.Request, m moment) {
	shape := tensor.Shape{1}
	if w.batching {
		shape = tensor.Shape{1, 1}
	}
	for i := range w.controls {
		c := &w.controls[i]
		t := tensor.Tensor{Name: c.name, Type: c.datatype, Shape: shape, Data: c.value(m)}
		if known := r.Input(c.name); known != nil {
			*known = t
			continue
		}
		r.Inputs = append(r.Inputs, t)
	}
}

// Keep implements sched.Wiring: it copies the states of a response, and removes those from it that are not outputs. A
// state that the response lacks keeps its value.
func (w *sequenceWiring) Keep(before any, resp *infer.Response) any {
	if len(w.states) == 0 {
		return nil
	}
	kept := make([]tensor.Tensor, len(w.states))
	if known, ok := before.([]tensor.Tensor); ok {
		copy(kept, known)
	}
	for i := range w.states {
		out := resp.Output(w.states[i].output)
		if out == nil {
			continue
		}
		kept[i] = tensor.Tensor{
			Name: w.states[i].input, Type: out.Type, Shape: append(tensor.Shape(nil), out.Shape...), Data: append([]byte{}, out.Data...),
		}
	}
	resp.Outputs = slices.DeleteFunc(resp.Outputs, func(t tensor.Tensor) bool {
		return slices.ContainsFunc(w.states, func(s state) bool { return s.output == t.Name && !s.visible })
	})
	return kept
}

// control is a tensor that tells the model the position of a request in its sequence.
type control struct {
	name     string
	kind     modelconfig.ModelSequenceBatching_Control_Kind
	datatype tensor.DataType
	off, on  []byte
}

// moment is the position of a request in its sequence; the zero value is an empty slot.
type moment struct {
	id    infer.Sequence
	ready bool
}

func newControl(name string, c *modelconfig.ModelSequenceBatching_Control) control {
	built := control{name: name, kind: c.Kind}
	switch {
	case c.Kind == modelconfig.ModelSequenceBatching_Control_CONTROL_SEQUENCE_CORRID:
		built.datatype = tensor.DataType(c.DataType)
	case len(c.Int32FalseTrue) == 2:
		built.datatype = tensor.Int32
		built.off = binary.LittleEndian.AppendUint32(nil, uint32(c.Int32FalseTrue[0]))
		built.on = binary.LittleEndian.AppendUint32(nil, uint32(c.Int32FalseTrue[1]))
	case len(c.Fp32FalseTrue) == 2:
		built.datatype = tensor.FP32
		built.off = binary.LittleEndian.AppendUint32(nil, math.Float32bits(c.Fp32FalseTrue[0]))
		built.on = binary.LittleEndian.AppendUint32(nil, math.Float32bits(c.Fp32FalseTrue[1]))
	case len(c.BoolFalseTrue) == 2:
		built.datatype, built.off, built.on = tensor.Bool, boolByte(c.BoolFalseTrue[0]), boolByte(c.BoolFalseTrue[1])
	}
	return built
}

func boolByte(b bool) []byte {
	if b {
		return []byte{1}
	}
	return []byte{0}
}

// value returns the tensor's only element.
func (c *control) value(m moment) []byte {
	set := false
	switch c.kind {
	case modelconfig.ModelSequenceBatching_Control_CONTROL_SEQUENCE_CORRID:
		return c.correlation(m.id)
	case modelconfig.ModelSequenceBatching_Control_CONTROL_SEQUENCE_START:
		set = m.id.Start
	case modelconfig.ModelSequenceBatching_Control_CONTROL_SEQUENCE_END:
		set = m.id.End
	case modelconfig.ModelSequenceBatching_Control_CONTROL_SEQUENCE_READY:
		set = m.ready
	}
	if set {
		return c.on
	}
	return c.off
}

// correlation returns the ID in the config's type; a larger number loses its upper bits, as in Triton.
func (c *control) correlation(id infer.Sequence) []byte {
	switch {
	case c.datatype == tensor.Bytes:
		return appendElement(nil, []byte(id.Name))
	case c.datatype.Size() == 4:
		return binary.LittleEndian.AppendUint32(nil, uint32(id.ID))
	}
	return binary.LittleEndian.AppendUint64(nil, id.ID)
}
