package text

// Schema tells which fields a message has. The parser asks it only about files whose brackets or quotes do not match,
// as evidence for where one is missing. A nil Schema knows nothing.
type Schema interface {
	// Field tells of a field of the message; false where there is none of that name.
	Field(name string) (FieldType, bool)
}

// FieldType is what a schema tells of a field.
type FieldType struct {
	// Message tells of the fields of its value; nil for a scalar.
	Message Schema
	// List reports whether it takes several values.
	List bool
	// String reports whether it takes text in quotes.
	String bool
	// Number is the field's own among those of its message, from 0 on.
	Number int
}
