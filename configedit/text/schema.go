package text

// Schema knows which fields a message has. The parser uses it only for files whose brackets or quotes do not match,
// as evidence for where one is missing. A nil Schema knows nothing.
type Schema interface {
	// Field returns the field of the message with a name, or false if there is none.
	Field(name string) (FieldType, bool)
}

// FieldType is what a schema tells of a field.
type FieldType struct {
	// Message is the schema of its value, or nil for a scalar.
	Message Schema
	// List reports whether it takes several values.
	List bool
	// String reports whether it takes text in quotes.
	String bool
	// Number is the field's own among those of its message, from 0 on.
	Number int
}
