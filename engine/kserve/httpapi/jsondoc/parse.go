package jsondoc

import "fmt"

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
func Parse(src []byte) (*Value, error) {
	p := parser{src: src}
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

type parser struct {
	src   []byte
	pos   int
	depth int
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
		err = p.nested(func() error { return p.object(&v) })
	case '[':
		err = p.nested(func() error { return p.array(&v) })
	default:
		v.kind, err = p.scalar()
	}
	v.raw = p.src[start:p.pos]
	return v, err
}

func (p *parser) nested(parse func() error) error {
	if p.depth++; p.depth > MaxDepth {
		return DepthError{}
	}
	err := parse()
	p.depth--
	return err
}

func (p *parser) object(v *Value) error {
	v.kind = Object
	p.pos++ // {
	p.space()
	if p.take('}') {
		return nil
	}
	for {
		if err := p.member(v); err != nil {
			return err
		}
		p.space()
		switch {
		case p.take(','):
			p.space()
		case p.take('}'):
			return nil
		default:
			return p.fail("Missing a comma or '}' after an object member.")
		}
	}
}

func (p *parser) member(v *Value) error {
	if p.peek() != '"' {
		return p.fail("Missing a name for object member.")
	}
	start := p.pos
	if err := p.str(); err != nil {
		return err
	}
	name := string(Unquote(nil, p.src[start:p.pos]))
	p.space()
	if !p.take(':') {
		return p.fail("Missing a colon after a name of object member.")
	}
	p.space()
	val, err := p.value()
	if err != nil {
		return err
	}
	v.members = append(v.members, Member{Name: name, Value: val})
	return nil
}

func (p *parser) array(v *Value) error {
	v.kind = Array
	p.pos++ // [
	p.space()
	if p.take(']') {
		return nil
	}
	for {
		if err := p.element(v); err != nil {
			return err
		}
		p.space()
		switch {
		case p.take(','):
			p.space()
		case p.take(']'):
			return nil
		default:
			return p.fail("Missing a comma or ']' after an array element.")
		}
	}
}

// element checks one element and keeps it when it is an object.
func (p *parser) element(v *Value) error {
	v.length++
	switch p.peek() {
	case '{', '[':
	default: // the hot path: nothing is kept of a scalar
		v.leaves++
		_, err := p.scalar()
		return err
	}
	item, err := p.value()
	if err != nil || item.kind == Array {
		v.leaves += item.leaves
		return err
	}
	v.leaves++
	for len(v.items) < v.length-1 {
		v.items = append(v.items, Value{})
	}
	v.items = append(v.items, item)
	return nil
}
