package jsondoc

import (
	"fmt"
	"sync"
)

// MaxDepth is how deep values may be nested; Triton's limit since May 2025.
const MaxDepth = 100

// SyntaxError is what is wrong with a text that is no JSON, in RapidJSON's words.
type SyntaxError struct {
	Text   string
	Offset int
}

// Error is the form in which Triton reports it.
func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at %d", e.Text, e.Offset) }

// DepthError says that values are nested deeper than MaxDepth.
type DepthError struct{}

// Error names the limit.
func (DepthError) Error() string {
	return fmt.Sprintf("JSON nesting depth exceeds maximum allowed limit (%d)", MaxDepth)
}

// Parse reads a whole document. The error is a *SyntaxError or a DepthError.
func Parse(src []byte) (*Value, error) { return ParseWithin(src, nil) }

// ParseWithin is Parse for a text of which one does not know how much memory its values take: a text of a megabyte can
// hold ten times as much. grow is told of it before it is taken, in bytes, and its error ends the reading; nil allows all.
func ParseWithin(src []byte, grow func(bytes int64) error) (*Value, error) {
	room := rooms.Get().(*[keptMembers]Member)
	defer rooms.Put(room)
	defer clear(room[:]) // a parsed text must not be kept alive
	p := parser{src: src, open: room[:0], grow: grow}
	p.space()
	if p.pos >= len(src) {
		return nil, p.fail("The document is empty.")
	}
	v, err := p.value()
	if err != nil {
		return nil, err
	}
	p.space()
	if p.pos < len(src) {
		return nil, p.fail("The document root must not be followed by other values.")
	}
	return &v, nil
}

// rooms are where a parser begins to collect members: texts hand them on to each other.
var rooms = sync.Pool{New: func() any { return new([keptMembers]Member) }}

// keptMembers of one text at a time are more than most requests have.
const keptMembers = 16

type parser struct {
	src   []byte
	pos   int
	depth int
	open  []Member // of the objects that have not ended yet, the innermost's last
	grow  func(bytes int64) error
}

func (p *parser) fail(text string) error { return &SyntaxError{Text: text, Offset: p.pos} }

func (p *parser) failAt(offset int, text string) error {
	return &SyntaxError{Text: text, Offset: offset}
}

// peek is the next byte, 0 at the end.
func (p *parser) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

func (p *parser) take(c byte) bool {
	if p.pos < len(p.src) && p.src[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

func (p *parser) space() {
	for p.pos < len(p.src) && isSpace(p.src[p.pos]) {
		p.pos++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

func (p *parser) value() (Value, error) {
	start := p.pos
	var (
		v   Value
		err error
	)
	switch p.peek() {
	case '{':
		err = p.nested(&v, (*parser).object)
	case '[':
		err = p.nested(&v, (*parser).array)
	default:
		v.kind, err = p.scalar()
	}
	v.raw = p.src[start:p.pos]
	return v, err
}

func (p *parser) nested(v *Value, parse func(*parser, *Value) error) error {
	if p.depth++; p.depth > MaxDepth {
		return DepthError{}
	}
	err := parse(p, v)
	p.depth--
	return err
}
