package text

// Walk visits every field in file order, before the fields inside it. parents
// are the fields around it, outermost first, and only valid during the call.
// Answering false leaves out what is inside the field.
func Walk(d *Document, visit func(parents []*Field, f *Field) bool) {
	w := walker{visit: visit}
	w.message(d.Root)
}

type walker struct {
	visit   func(parents []*Field, f *Field) bool
	parents []*Field
}

func (w *walker) message(m *Message) {
	for _, f := range m.Fields {
		if !w.visit(w.parents, f) {
			continue
		}
		w.parents = append(w.parents, f)
		w.value(f.Value)
		w.parents = w.parents[:len(w.parents)-1]
	}
}

func (w *walker) value(v Value) {
	switch v := v.(type) {
	case *Message:
		w.message(v)
	case *List:
		for _, e := range v.Elements {
			w.value(e.Value)
		}
	}
}
