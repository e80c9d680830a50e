package check

import (
	"slices"

	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/text"
)

// slips are the errors in the text after which a part of the config is unknown. One whose meaning is certain is
// not among them: the config holds what was meant.
type slips struct {
	decoded *modelconfig.Decoded
	list    []slip
	// structure means that the structure of the text is unknown.
	structure bool
}

// slip is an error in the text, and the message in which it is.
type slip struct {
	diag.Diagnostic
	scope *text.Message
}

// structural are mistakes after which the structure of the text is unknown.
var structural = []string{
	text.CodeUnclosed, text.CodeUnopened, text.CodeMismatch, text.CodeUnended, text.CodeJSON, text.CodeDepth,
	text.CodeTooMany, text.CodeBOM,
}

// valued are mistakes that make one field unknown, and hide no other one.
var valued = []string{
	modelconfig.CodeEnum, modelconfig.CodeRange, modelconfig.CodeType, modelconfig.CodeRepeated, modelconfig.CodeOneof,
	modelconfig.CodeExtension,
}

func slipsOf(m *Model) *slips {
	list := &slips{decoded: m.Decoded}
	for _, d := range m.Syntax {
		if !d.Severity.IsError() || m.Decoded == nil || m.Decoded.Understood(d) {
			continue
		}
		list.structure = list.structure || slices.Contains(structural, d.Code)
		list.list = append(list.list, slip{Diagnostic: d, scope: m.Decoded.Doc.At(d.Span.Start).Message()})
	}
	return list
}

// hide reports whether a mistake in a message may be the field of that name.
func (l *slips) hide(scope *text.Message, field string) bool {
	return l.structure || slices.ContainsFunc(l.list, func(m slip) bool { return l.mayBe(m, scope, field) })
}

// mayBe reports whether a mistake may be the field of that name of a message.
func (l *slips) mayBe(m slip, scope *text.Message, field string) bool {
	switch {
	case m.scope != scope:
		return false
	case m.Code == modelconfig.CodeUnknownField:
		return l.decoded.MayMean(m.Span.Start, field)
	}
	return !slices.Contains(valued, m.Code)
}

// touch reports whether there is a mistake in a part of the text.
func (l *slips) touch(part text.Span) bool {
	return slices.ContainsFunc(l.list, func(m slip) bool {
		return part.Start <= m.Span.Start && m.Span.Start < max(part.End, part.Start+1)
	})
}

// fieldAt returns the name of the field at the top level in which an offset is, or "".
func (l *slips) fieldAt(off int) string {
	for _, f := range l.decoded.Doc.Root.Fields {
		if s := f.Span(); s.Start <= off && off <= s.End {
			return l.decoded.Meant(f)
		}
	}
	return ""
}

// scope returns the message at a path, or false if there is no message.
func (l *slips) scope(path []any) (*text.Message, bool) {
	if len(path) == 0 {
		return l.decoded.Doc.Root, true
	}
	inner, ok := l.decoded.Node(path...).(*text.Message)
	return inner, ok
}

// missing reports whether a field is really not there: nothing is written under its name, and no mistake in the
// text around it could be it.
func (c *checker) missing(path ...any) bool { return !c.has(path...) && !c.hidden(path...) }

// hidden reports whether a mistake in the text may be the field at a path.
func (c *checker) hidden(path ...any) bool {
	if len(c.slips.list) == 0 {
		return false
	}
	scope, ok := c.slips.scope(path[:len(path)-1])
	name, _ := path[len(path)-1].(string)
	return !ok || c.slips.hide(scope, name)
}

// spoiled reports whether a mistake in the text, in the message at a path, may be what hides something there.
func (c *checker) spoiled(path ...any) bool {
	if len(c.slips.list) == 0 {
		return false
	}
	scope, ok := c.slips.scope(path)
	return !ok || c.slips.structure ||
		slices.ContainsFunc(c.slips.list, func(m slip) bool { return m.scope == scope })
}

// broken reports whether there is a mistake anywhere in the value at a path.
func (c *checker) broken(path ...any) bool {
	if len(c.slips.list) == 0 {
		return false
	}
	value := c.m.Decoded.Node(path...)
	return c.slips.structure || value != nil && c.slips.touch(value.Span())
}

// rests reports whether a finding at a place rests on text that had to be guessed: a mistake is at the place, or the
// structure of a message around it is uncertain.
func (c *checker) rests(at text.Span) bool {
	if len(c.slips.list) == 0 {
		return false
	}
	around := c.m.Decoded.Doc.At(at.Start).Messages
	return at != c.top() && c.slips.touch(at) || slices.ContainsFunc(c.slips.list, func(m slip) bool {
		guessed := m.Code != modelconfig.CodeUnknownField && !slices.Contains(valued, m.Code)
		return guessed && slices.Contains(around[1:], m.scope)
	})
}

// unread reports whether fields at the top level may be other than the config says: one of them has a mistake, or a
// mistake may be one of them. Mistakes with the codes in harmless do not count.
func (c *checker) unread(harmless []string, fields ...string) bool {
	return slices.ContainsFunc(c.slips.list, func(m slip) bool {
		if slices.Contains(harmless, m.Code) {
			return false
		}
		in := c.slips.fieldAt(m.Span.Start)
		return c.slips.structure || slices.ContainsFunc(fields, func(name string) bool {
			return in == name || c.slips.mayBe(m, c.m.Decoded.Doc.Root, name) && !c.given(m, name)
		})
	})
}

// given reports whether an unknown field cannot be the field of that name, because the config has that field and takes it
// only once.
func (c *checker) given(m slip, name string) bool {
	return m.Code == modelconfig.CodeUnknownField && c.has(name) && modelconfig.Once(name)
}

// named are mistakes after which it is still known which tensors and steps there are.
var named = []string{modelconfig.CodeEnum, modelconfig.CodeRange}
