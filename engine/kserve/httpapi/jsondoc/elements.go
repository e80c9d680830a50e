package jsondoc

// Elements iterates over the values in an array and its nested arrays, as if it were flat. Triton reads
// a tensor's data in this way.
type Elements struct {
	raw   []byte
	pos   int
	depth int
}

// Next returns the next value as it was written; its first byte determines its kind. It returns
// false at the end.
func (e *Elements) Next() ([]byte, bool) {
	for e.pos < len(e.raw) {
		switch e.raw[e.pos] {
		case '[':
			e.depth++
		case ']':
			e.depth--
		case ',', ' ', '\n', '\r', '\t':
		default:
			return e.token(), true
		}
		e.pos++
	}
	return nil, false
}

// Depth returns how many arrays contain the value of the last Next.
func (e *Elements) Depth() int { return e.depth }

func (e *Elements) token() []byte {
	start := e.pos
	switch e.raw[start] {
	case '"':
		e.pos = stringEnd(e.raw, start)
	case '{':
		e.pos = objectEnd(e.raw, start)
	default:
		for e.pos < len(e.raw) && !endsScalar[e.raw[e.pos]] {
			e.pos++
		}
	}
	return e.raw[start:e.pos]
}

var endsScalar = [256]bool{',': true, ']': true, ' ': true, '\n': true, '\r': true, '\t': true}

// stringEnd returns the position behind the closing quotation mark of the string at start.
func stringEnd(s []byte, start int) int {
	for i := start + 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// objectEnd returns the position behind the closing brace of the object at start.
func objectEnd(s []byte, start int) int {
	depth := 0
	for i := start; i < len(s); i++ {
		switch s[i] {
		case '"':
			i = stringEnd(s, i) - 1
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}
