package check

import (
	"fmt"
	"strings"

	"conch/configedit/diag"
	"conch/configedit/edit"
	"conch/configedit/text"
)

// replace returns a fix that writes another text at a place.
func replace(title string, span diag.Span, with string) []diag.Fix {
	return []diag.Fix{{Title: title, Edits: []diag.Edit{{Span: span, New: with}}}}
}

// message returns the part of the tree at a path, or nil.
func (c *checker) message(path ...any) *text.Message {
	if c.m.Decoded == nil {
		return nil
	}
	if len(path) == 0 {
		return c.m.Decoded.Doc.Root
	}
	m, _ := c.m.Decoded.Node(path...).(*text.Message)
	return m
}

// insert returns a fix that adds a field to the message at a path, or none if there is no such message.
func (c *checker) insert(field string, path ...any) []diag.Fix {
	m := c.message(path...)
	if m == nil {
		return nil
	}
	first, _, _ := strings.Cut(field, "\n")
	return []diag.Fix{{Title: "add " + strings.TrimSuffix(first, " {"), Edits: []diag.Edit{edit.Insert(c.m.Decoded.Doc, m, field)}}}
}

// remove returns a fix that removes the field at a path.
func (c *checker) remove(title string, path ...any) []diag.Fix {
	if c.m.Decoded == nil {
		return nil
	}
	f := c.m.Decoded.Field(path...)
	if f == nil {
		return nil
	}
	if _, list := f.Value.(*text.List); list {
		if _, index := path[len(path)-1].(int); index {
			return nil // one element of a list: its commas would need changes too
		}
	}
	return []diag.Fix{{Title: title, Edits: []diag.Edit{edit.Remove(c.m.Decoded.Doc, f)}}}
}

// setDims returns a fix that replaces dims if the text has them in one place, or adds them.
func (c *checker) setDims(dims []int64, path ...any) []diag.Fix {
	scope := c.message(path[:len(path)-1]...)
	if scope == nil {
		return nil
	}
	var field *text.Field
	for _, f := range scope.Fields {
		if f.Name.Text != path[len(path)-1] {
			continue
		}
		if field != nil {
			return nil
		}
		field = f
	}
	shape := shapeText(dims)
	if field == nil {
		return c.insert(fmt.Sprintf("%s: %s", path[len(path)-1], shape), path[:len(path)-1]...)
	}
	if field.Value == nil {
		return nil
	}
	return replace(fmt.Sprintf("change %s to %s", path[len(path)-1], shape), field.Value.Span(), shape)
}

// shapeText writes dims as configs do: [ -1, 64 ].
func shapeText(dims []int64) string {
	if len(dims) == 0 {
		return "[]"
	}
	return "[ " + strings.Join(numbers(dims), ", ") + " ]"
}

// shown writes a shape as people read it: [-1, 64].
func shown(dims []int64) string { return "[" + strings.Join(numbers(dims), ", ") + "]" }

func numbers(dims []int64) []string {
	out := make([]string, len(dims))
	for i, d := range dims {
		out[i] = fmt.Sprint(d)
	}
	return out
}
