package check

import (
	"slices"

	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/text"
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

// structural are mistakes after which the structure of the text is unknown.
var structural = []string{
	text.CodeUnclosed, text.CodeUnopened, text.CodeMismatch, text.CodeUnended, text.CodeJSON, text.CodeDepth,
	text.CodeTooMany, text.CodeBOM,
}

// missing reports whether a field is really not there: nothing is written under its name, and no mistake in the
// text around it could be it.
func (c *checker) missing(path ...any) bool {
	return !c.has(path...) && !c.spoiled(path[:len(path)-1]...)
}

// spoiled reports whether a mistake in the text, in the message at a path, may be what hides something there.
func (c *checker) spoiled(path ...any) bool {
	d := c.m.Decoded
	if d == nil || len(c.m.Syntax) == 0 {
		return false
	}
	scope := d.Doc.Root
	if len(path) > 0 {
		inner, ok := d.Node(path...).(*text.Message)
		if !ok {
			return diag.HasErrors(c.m.Syntax)
		}
		scope = inner
	}
	return slices.ContainsFunc(c.m.Syntax, func(s diag.Diagnostic) bool {
		return s.Severity.IsError() && (slices.Contains(structural, s.Code) || innermost(d, s.Span.Start) == scope)
	})
}

func innermost(d *modelconfig.Decoded, off int) *text.Message { return d.Doc.At(off).Message() }

// garbled reports whether the text has a mistake that could hide or rename a tensor or a step.
func (c *checker) garbled() bool {
	return slices.ContainsFunc(c.m.Syntax, func(s diag.Diagnostic) bool {
		return s.Severity.IsError() && s.Code != modelconfig.CodeEnum && s.Code != modelconfig.CodeRange
	})
}
