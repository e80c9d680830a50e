package text

// reading is one way to read a broken file up to a token: which brackets are open there, and what was assumed to be
// missing or too much before. Readings share what they have in common and are never changed once they are in a search.
type reading struct {
	// cost is what the assumptions and the mistakes that remain cost together.
	cost int
	// top is the innermost open bracket, or the root.
	top   *frame
	state state
	// field is the one whose value is read.
	field field
	// assumed are the assumptions, the newest first.
	assumed *assumption
}

// frame is an open bracket.
type frame struct {
	up *frame
	// closer is what ends it; 0 for the root.
	closer byte
	// schema tells of the fields of a message, and of a list those of its elements; known is false where nothing is
	// known of it. A scalar list is known and has no schema.
	schema Schema
	known  bool
	// absent means that the bracket itself is missing.
	absent bool
	// text means that the elements of a list are strings.
	text bool
	// line is where it was opened, and indent how far that line is indented; -1 where that is not known.
	line, indent int
	// inner is how far the first line of its content is indented; -1 where none has begun.
	inner int
	// seen are the fields that a message has, by their numbers.
	seen uint64
	// shape is a hash of what is open, to find readings that differ only in their past.
	shape uint64
}

// field is what is known of the field whose value is read.
type field struct {
	FieldType
	known bool
}

// state is what may come next in a bracket.
type state uint8

const (
	atName       state = iota // in a message: the name of a field
	afterName                 // a colon, or the value
	atValue                   // the value
	afterValue                // a separator, or the next name
	atFirst                   // in a list: its first element
	atElement                 // the element after a comma
	afterElement              // a comma
)

// assumption is one thing that a reading takes for a slip.
type assumption struct {
	before *assumption
	// at is the index of the token before which a bracket is missing, or that is wrong itself.
	at   int
	what slip
	// opener is the bracket that is missing, for missingOpener.
	opener byte
}

// slip is what is wrong with a bracket.
type slip uint8

const (
	missingCloser slip = iota
	missingOpener
	extraCloser // it closes nothing
	wrongCloser // it closes the innermost bracket, and is of the wrong kind
)

// The costs. An assumption costs more than a mistake that is not about a bracket. The indentation of the lines decides
// between assumptions of equal cost.
const (
	costMissing = 100
	costExtra   = 125
	costWrong   = 110
	costMistake = 60
	costType    = 40
	costLayout  = 12
	costSlight  = 6
)

// assume returns the reading with one more assumption.
func (r reading) assume(what slip, at, cost int, opener byte) reading {
	r.assumed = &assumption{before: r.assumed, at: at, what: what, opener: opener}
	r.cost += cost
	return r
}

// in changes a reading to have a changed innermost bracket; the others keep theirs.
func (r *reading) change(f frame) { r.top = &f }

// push opens a bracket.
func (r *reading) push(f frame) {
	f.up, f.inner = r.top, -1
	f.shape = r.top.shape*31 + uint64(f.closer)
	if f.known {
		f.shape += 7
	}
	if f.schema != nil {
		f.shape += 13 * uint64(1+r.field.Number)
	}
	r.top = &f
	r.state = atName
	if f.closer == ']' {
		r.state = atFirst
	}
}

// pop closes the innermost bracket.
func (r *reading) pop() {
	r.top = r.top.up
	r.state = afterValue
	if r.top.closer == ']' {
		r.state = afterElement
	}
}

// key is equal for readings that go on alike.
func (r *reading) key() uint64 {
	k := r.top.shape*8 + uint64(r.state)
	if r.state == afterName || r.state == atValue {
		k = k*67 + uint64(r.field.Number) + 1
	}
	return k
}
