package text

// Place says what may be written at an offset.
type Place uint8

// The places.
const (
	// PlaceName: a field name, or the beginning of one.
	PlaceName Place = iota
	// PlaceValue: the value of Context.Field, or the beginning of one.
	PlaceValue
	// PlaceComment: inside a comment.
	PlaceComment
)

// Context is what surrounds a byte offset; see Document.At.
type Context struct {
	Place Place
	// Messages are the messages around the offset, the root first.
	Messages []*Message
	// Fields are the fields whose values were entered; Fields[i] holds
	// Messages[i+1].
	Fields []*Field
	// Field is the field of the innermost message the offset is in: on its
	// name, its colon or its value. Nil where a new field would begin.
	Field *Field
	// Scalar is the value the offset touches, or nil.
	Scalar *Scalar
	// Token is the word the offset touches, Absent where there is none. For
	// completion it is what would be replaced.
	Token Token
}

// Names are the names of the entered fields, outermost first, such as
// ["input", "reshape"].
func (c Context) Names() []string {
	names := make([]string, len(c.Fields))
	for i, f := range c.Fields {
		names[i] = f.Name.Text
	}
	return names
}

// Message is the innermost message around the offset.
func (c Context) Message() *Message { return c.Messages[len(c.Messages)-1] }
