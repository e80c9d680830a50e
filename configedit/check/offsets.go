package check

import "conch/configedit/text"

// offsets holds the places of the parts of an ensemble, found in one walk over the tree.
type offsets struct {
	doc *text.Document
	// names are the places of the names of inputs and outputs, by side and index.
	names map[string][]int
	// reads are the places of the values of input maps, by step and port.
	reads map[end]int
}

func offsetsOf(m *Model) *offsets {
	o := &offsets{names: map[string][]int{}, reads: map[end]int{}}
	if m.Decoded == nil {
		return o
	}
	o.doc = m.Decoded.Doc
	for _, side := range []string{"input", "output"} {
		for _, tensor := range messagesOf(o.doc.Root, side) {
			at, _ := o.scalar(tensor, "name")
			o.names[side] = append(o.names[side], at)
		}
	}
	for _, scheduling := range messagesOf(o.doc.Root, "ensemble_scheduling") {
		for i, step := range messagesOf(scheduling, "step") {
			for _, entry := range messagesOf(step, "input_map") {
				_, port := o.scalar(entry, "key")
				o.reads[end{i, port}], _ = o.scalar(entry, "value")
			}
		}
	}
	return o
}

// name returns the place where an input or output is named.
func (o *offsets) name(side string, i int) int {
	if i < len(o.names[side]) {
		return o.names[side][i]
	}
	return 0
}

// scalar returns the place and the string of a field of a message. Without the field it returns the place of the message.
func (o *offsets) scalar(m *text.Message, name string) (int, string) {
	for i := len(m.Fields) - 1; i >= 0; i-- {
		s, ok := m.Fields[i].Value.(*text.Scalar)
		if !ok || m.Fields[i].Name.Text != name {
			continue
		}
		value := ""
		for _, part := range s.Parts {
			if part.Kind == text.String {
				value += text.Unquote(o.doc.Text(part))
			}
		}
		return s.Span().Start, value
	}
	return m.Span().Start, ""
}
