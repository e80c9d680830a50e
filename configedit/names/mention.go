package names

import (
	"fmt"
	"slices"

	"conch/configedit/check"
	"conch/configedit/diag"
	"conch/configedit/text"
)

// Place is where a name is written.
type Place struct {
	// Model is the one whose config it is.
	Model string
	// Span covers the name with its quotes.
	Span diag.Span
	// Role says what it does there: "read by step 2, digits".
	Role string
	// Definition means that the name is defined here.
	Definition bool
	// Outer means that clients see it.
	Outer bool
}

// mention is a place and the name there.
type mention struct {
	Place
	subject Subject
}

// reading collects the mentions in one config.
type reading struct {
	m    *check.Model
	env  check.Env
	side func(Side) Side
	list []mention
}

// mentions are all names of models and tensors in a config, in the order of the text.
func mentions(m *check.Model, env check.Env) []mention {
	if m.Decoded == nil {
		return nil
	}
	r := &reading{m: m, env: env, side: func(s Side) Side { return s }}
	if ensemble(m) {
		r.side = func(Side) Side { return Wire }
	}
	root := m.Decoded.Doc.Root
	r.own(root)
	r.batch(root)
	r.sequence(root)
	for _, scheduling := range messages(root, "ensemble_scheduling") {
		for i, step := range messages(scheduling, "step") {
			r.step(i, step)
		}
	}
	slices.SortStableFunc(r.list, func(a, b mention) int { return a.Span.Start - b.Span.Start })
	return r.list
}

// own are the names that the config gives: its own, and those of its inputs and outputs.
func (r *reading) own(root *text.Message) {
	for _, s := range literals(root, "name") {
		r.add(s, Subject{Model: r.m.Name}, Place{Role: "the model's own name", Definition: true})
	}
	for _, in := range messages(root, "input") {
		r.tensors(in, "name", Input, Place{Role: "an input of " + r.m.Name, Definition: true, Outer: true})
	}
	for _, out := range messages(root, "output") {
		r.tensors(out, "name", Output, Place{Role: "an output of " + r.m.Name, Definition: true, Outer: true})
	}
}

// batch are the references of batch_input, batch_output and model_warmup to the model's tensors.
func (r *reading) batch(root *text.Message) {
	for _, b := range messages(root, "batch_input") {
		r.tensors(b, "source_input", Input, Place{Role: "the source of a batch_input"})
	}
	for _, b := range messages(root, "batch_output") {
		r.tensors(b, "source_input", Input, Place{Role: "the source of a batch_output"})
		r.tensors(b, "target_name", Output, Place{Role: "the target of a batch_output"})
	}
	for _, w := range messages(root, "model_warmup") {
		for _, entry := range messages(w, "inputs") {
			r.tensors(entry, "key", Input, Place{Role: "given by a warm-up"})
		}
	}
}

// sequence are the tensors that sequence batching adds to a model.
func (r *reading) sequence(root *text.Message) {
	for _, batching := range messages(root, "sequence_batching") {
		for _, control := range messages(batching, "control_input") {
			r.tensors(control, "name", Input, Place{Role: "a control input of " + r.m.Name, Definition: true})
		}
		for _, state := range messages(batching, "state") {
			r.tensors(state, "input_name", Input, Place{Role: "a state of " + r.m.Name, Definition: true})
			r.tensors(state, "output_name", Output, Place{Role: "a state of " + r.m.Name, Definition: true})
		}
	}
}

// step are the names in a step of an ensemble: its model, that model's tensors, and the ensemble's. Steps are counted
// from 1, as in the messages of package check.
func (r *reading) step(i int, step *text.Message) {
	model := ""
	for _, s := range literals(step, "model_name") {
		model = r.value(s)
		r.add(s, Subject{Model: model}, Place{Role: fmt.Sprintf("run by step %d of %s", i+1, r.m.Name)})
	}
	number := fmt.Sprintf("step %d", i+1)
	if model != "" {
		number += ", " + model
	}
	for _, entry := range messages(step, "input_map") {
		for _, s := range literals(entry, "key") {
			r.add(s, port(r.env, model, r.value(s), Input), Place{Role: fmt.Sprintf("fed by step %d of %s", i+1, r.m.Name)})
		}
		r.tensors(entry, "value", Wire, Place{Role: "read by " + number})
	}
	for _, entry := range messages(step, "output_map") {
		for _, s := range literals(entry, "key") {
			r.add(s, port(r.env, model, r.value(s), Output), Place{Role: fmt.Sprintf("taken by step %d of %s", i+1, r.m.Name)})
		}
		r.tensors(entry, "value", Wire, Place{Role: "written by " + number, Definition: true})
	}
}

// tensors notes the names of this model's tensors in a field.
func (r *reading) tensors(m *text.Message, field string, side Side, at Place) {
	for _, s := range literals(m, field) {
		r.add(s, Subject{Model: r.m.Name, Tensor: r.value(s), Side: r.side(side)}, at)
	}
}

func (r *reading) add(s *text.Scalar, subject Subject, at Place) {
	if r.value(s) == "" {
		return // the quotes of a name that is still to be written
	}
	at.Model, at.Span = r.m.Name, s.Span()
	r.list = append(r.list, mention{at, subject})
}

// value returns the value of a string literal.
func (r *reading) value(s *text.Scalar) string { return valueOf(r.m, s) }

func valueOf(m *check.Model, s *text.Scalar) string {
	value := ""
	for _, part := range s.Parts {
		value += text.Unquote(m.Decoded.Doc.Text(part))
	}
	return value
}

// messages are the values of a field that are messages, one by one.
func messages(m *text.Message, name string) []*text.Message { return values[*text.Message](m, name) }

// literals are the values of a field that are strings, one by one.
func literals(m *text.Message, name string) []*text.Scalar {
	return slices.DeleteFunc(values[*text.Scalar](m, name), func(s *text.Scalar) bool { return s.Kind() != text.String })
}

// values are the values of one kind that a field of a message has, out of lists too.
func values[V text.Value](m *text.Message, name string) []V {
	var out []V
	for _, f := range m.Fields {
		if f.Name.Text != name || f.Name.Extension {
			continue
		}
		if v, ok := f.Value.(V); ok {
			out = append(out, v)
		}
		if list, ok := f.Value.(*text.List); ok {
			for _, e := range list.Elements {
				if v, ok := e.Value.(V); ok {
					out = append(out, v)
				}
			}
		}
	}
	return out
}
