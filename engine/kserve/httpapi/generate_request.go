package httpapi

import (
	"errors"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
	"conch/engine/kserve/httpapi/jsondoc"
	"conch/engine/kserve/request"
	"conch/engine/tensor"
)

// nested is the member whose members count like those beside it.
const nested = "parameters"

// read makes the request from a JSON object: a member with the name of an input is that input, any other is a parameter.
func (g *generation) read(text []byte) error {
	doc, err := g.c.parse(text)
	if err != nil {
		return err
	}
	if id, ok := doc.Find("id"); ok {
		if g.ID, err = id.Text(); err != nil {
			return request.Unparsable("id", err)
		}
	}
	members, err := doc.Members()
	if err != nil {
		return infer.Errorf(infer.Internal, "%v", err)
	}
	return g.readMembers(members, g.readTop)
}

// readMembers reads the members of an object. One that comes again has the value of the first, as in Triton.
func (g *generation) readMembers(members []jsondoc.Member, read func(*jsondoc.Member) error) error {
	firsts := make(map[string]int, len(members))
	for i := range members {
		if err := request.Awaited(g.c.r.Context(), i); err != nil {
			return err
		}
		name := members[i].Name
		if _, again := firsts[name]; !again {
			firsts[name] = i
		}
		if err := read(&members[firsts[name]]); err != nil {
			return err
		}
	}
	return nil
}

func (g *generation) readTop(m *jsondoc.Member) error {
	if m.Name != nested {
		return g.readMember(m)
	}
	if g.input(nested) != nil {
		return infer.Errorf(infer.InvalidArg, "Keyword '%s' for nested schema also given as input tensor name", nested)
	}
	members, err := m.Value.Members()
	if err != nil {
		return infer.Errorf(infer.Internal, "Expected JSON object for keyword: '%s': attempt to access JSON non-object as object", nested)
	}
	return inside(g.readMembers(members, g.readMember))
}

// inside adds to an error that it is one of a nested member.
func inside(err error) error {
	var known *infer.Error
	if !errors.As(err, &known) {
		return err
	}
	return &infer.Error{Code: known.Code, Fate: known.Fate, Message: "Converting keyword: '" + nested + "': " + known.Message}
}

func (g *generation) readMember(m *jsondoc.Member) error {
	if in := g.input(m.Name); in != nil {
		return g.readTensor(in, &m.Value)
	}
	return g.Custom(m.Name, (*parameter)(&m.Value))
}

// input returns an input of the model, or nil.
func (g *generation) input(name string) *modelconfig.ModelInput {
	for _, in := range g.Config().GetInput() {
		if in.GetName() == name {
			return in
		}
	}
	return nil
}

// readTensor adds an input whose values are an array or a single value. Its shape is that of the model.
func (g *generation) readTensor(in *modelconfig.ModelInput, v *jsondoc.Value) error {
	t, err := g.NewInput(in.GetName(), tensor.DataType(in.GetDataType()).String(), nil)
	if err != nil {
		return err
	}
	count, leaves := 1, 1
	if v.Kind() == jsondoc.Array {
		count, leaves = v.Len(), v.Leaves()
	}
	if t.Type == tensor.Bytes { // Triton looks at strings before the shape
		if t.Data, err = readBytes(v, leaves, &g.c.account); err != nil {
			return err
		}
	}
	if t.Shape, err = g.fit(in, int64(count)); err != nil {
		return err
	}
	if t.Type != tensor.Bytes {
		if t.Data, err = readValues(&t, v, leaves, &g.c.account); err != nil {
			return err
		}
	}
	return g.AddInput(t)
}

// fit returns the shape of an input with this many values: fixed dimensions stay, the innermost variable one takes what
// is left, and the other variable ones are 1.
func (g *generation) fit(in *modelconfig.ModelInput, count int64) (tensor.Shape, error) {
	misfit := infer.Errorf(infer.InvalidArg, "The schema can not convert input '%s' to tensor with proper shape", in.GetName())
	dims := in.GetDims()
	shape, err := g.NewShape(len(dims) + 1)
	if err != nil {
		return nil, err
	}
	if g.Config().GetMaxBatchSize() > 0 {
		shape = append(shape, -1)
	}
	shape = append(shape, dims...)
	left, open := count, -1
	for i, d := range shape {
		switch {
		case d < 0:
			shape[i], open = 1, i
		case d == 0 && left == 0:
		case d == 0 || left%d != 0:
			return nil, misfit
		default:
			left /= d
		}
	}
	switch {
	case open >= 0:
		shape[open] = left
	case left > 1 || left == 0 && count == 0 && !holdsZero(shape):
		return nil, misfit
	}
	return shape, nil
}

func holdsZero(shape tensor.Shape) bool {
	n, fits := shape.Elements()
	return fits && n == 0
}
