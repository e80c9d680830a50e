package check

import (
	"conch/configedit/diag"
)

// span returns the place of a value, or the place where a missing value belongs.
func (c *checker) span(path ...any) diag.Span {
	if !c.begins(path[0]) {
		return c.top()
	}
	return c.m.Decoded.Span(path...)
}

// name returns the place of a field's name.
func (c *checker) name(path ...any) diag.Span {
	if !c.begins(path[0]) {
		return c.top()
	}
	return c.m.Decoded.NameSpan(path...)
}

// begins reports whether the text has a field of that name at its top level.
func (c *checker) begins(field any) bool {
	if c.m.Decoded == nil {
		return false
	}
	if c.fields == nil {
		c.fields = map[any]bool{}
		for _, f := range c.m.Decoded.Doc.Root.Fields {
			c.fields[f.Name.Text] = c.fields[f.Name.Text] || f.Value != nil
		}
	}
	return c.fields[field]
}

// top returns the place to point at if the whole config lacks something: its first word.
func (c *checker) top() diag.Span {
	if c.m.Decoded == nil || len(c.m.Decoded.Doc.Root.Fields) == 0 {
		return diag.Span{}
	}
	return c.m.Decoded.Doc.Root.Fields[0].Name.Span()
}

// has reports whether the text holds a value, readable or not.
func (c *checker) has(path ...any) bool {
	return c.begins(path[0]) && c.m.Decoded.Has(path...)
}
