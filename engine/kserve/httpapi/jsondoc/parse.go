package jsondoc

import (
	"bytes"
	"fmt"
	"sync"
)

// MaxDepth is how deep values may be nested; Triton's limit since May 2025.
const MaxDepth = 100

// SyntaxError is an error in a text that is not JSON, in RapidJSON's words.
type SyntaxError struct {
	Text   string
	Offset int
}

// Error returns the error in Triton's form.
func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at %d", e.Text, e.Offset) }

// DepthError says that values are nested deeper than MaxDepth.
type DepthError struct{}

// Error names the limit.
func (DepthError) Error() string {
	return fmt.Sprintf("JSON nesting depth exceeds maximum allowed limit (%d)", MaxDepth)
}

// Parse reads a whole document. The error is a *SyntaxError or a DepthError.
func Parse(src []byte) (*Value, error) { return ParseWithin(src, nil) }

// ParseWithin does what Parse does, within a limit of memory: the values of a text can take ten times as much memory
// as the text. It calls grow with a number of bytes before it takes them. An error of grow ends the parsing; a nil
// grow sets no limit.
func ParseWithin(src []byte, grow func(bytes int64) error) (*Value, error) {
	return parseWithin(src, grow, false)
}

// parseWithin parses a text. Strings may share the bytes of one that stays.
func parseWithin(src []byte, grow func(bytes int64) error, stays bool) (*Value, error) {
	room := rooms.Get().(*[keptMembers]Member)
	defer rooms.Put(room)
	defer clear(room[:]) // a parsed text must not be kept alive
	src = untilNul(src)
	p := parser{src: src, open: room[:0], grow: grow, stays: stays}
	p.members.size, p.insides.size = blockSizes(src)
	if bytes.HasPrefix(src, byteOrderMark) {
		p.pos = len(byteOrderMark)
	}
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

// byteOrderMark may begin a text, as in Triton. Some editors and shells write it.
var byteOrderMark = []byte("\ufeff")

// untilNul returns a text up to its first NUL byte, where it ends for RapidJSON: a client in C may send the byte that ends
// its string.
func untilNul(src []byte) []byte {
	if i := bytes.IndexByte(src, 0); i >= 0 {
		return src[:i]
	}
	return src
}

// rooms are the first lists of members of a parser. Later parsers use them again.
var rooms = sync.Pool{New: func() any { return new([keptMembers]Member) }}

// keptMembers is more than most requests have at a time.
const keptMembers = 16

const (
	// shortText is the longest text whose parts are counted before it is parsed.
	shortText = 4 << 10
	// largestBlock is the largest number of parts of a block.
	largestBlock = 32
)

// blockSizes returns how many members, and how many objects and arrays, a text has. It may be wrong: the text of
// strings counts too, and there is a maximum.
func blockSizes(src []byte) (members, insides int) {
	if len(src) > shortText {
		return largestBlock, largestBlock
	}
	members = bytes.Count(src, []byte{':'})
	insides = bytes.Count(src, []byte{'{'}) + bytes.Count(src, []byte{'['})
	return min(members, largestBlock), min(insides, largestBlock)
}

// block is memory for parts of the same type. One block is faster than many small pieces of memory.
type block[T any] struct {
	free []T
	size int // of a new one
}

// cut takes n parts from a block, or from a new one. Each part takes the given number of bytes.
func (b *block[T]) cut(p *parser, n int, bytes int64) ([]T, error) {
	if n > len(b.free) {
		size := max(n, b.size)
		if err := p.spend(int64(size) * bytes); err != nil {
			return nil, err
		}
		b.free = make([]T, size)
	}
	part := b.free[:n:n]
	b.free = b.free[n:]
	return part, nil
}

type parser struct {
	src   []byte
	pos   int
	depth int
	open  []Member // of the objects that have not ended yet; the innermost object's are last
	grow  func(bytes int64) error
	stays bool // nobody changes src

	members block[Member]
	insides block[inside]
}

func (p *parser) fail(text string) error { return &SyntaxError{Text: text, Offset: p.pos} }

func (p *parser) failAt(offset int, text string) error {
	return &SyntaxError{Text: text, Offset: offset}
}

// peek returns the next byte, 0 at the end.
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
	v.raw, v.stays = p.src[start:p.pos], p.stays
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
