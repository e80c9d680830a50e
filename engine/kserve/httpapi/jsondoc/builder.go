package jsondoc

import "strconv"

// Builder writes a document piece by piece and adds the commas. The zero value is ready to use. Bytes
// is the document so far.
type Builder struct {
	Bytes []byte
}

// sep writes a comma, unless the piece is the first of its object or array, or a member's value. It
// looks at the last byte: a string ends in a quotation mark.
func (b *Builder) sep() {
	if len(b.Bytes) == 0 {
		return
	}
	switch b.Bytes[len(b.Bytes)-1] {
	case '{', '[', ':':
	default:
		b.Bytes = append(b.Bytes, ',')
	}
}

// Begin opens an object '{' or an array '['.
func (b *Builder) Begin(bracket byte) {
	b.sep()
	b.Bytes = append(b.Bytes, bracket)
}

// End closes what Begin opened: '}' or ']'.
func (b *Builder) End(bracket byte) { b.Bytes = append(b.Bytes, bracket) }

// Key names the member whose value comes next.
func (b *Builder) Key(name string) {
	b.sep()
	b.Bytes = append(AppendString(b.Bytes, name), ':')
}

// String writes a string.
func (b *Builder) String(s string) {
	b.sep()
	b.Bytes = AppendString(b.Bytes, s)
}

// RawString writes a string from bytes.
func (b *Builder) RawString(s []byte) {
	b.sep()
	b.Bytes = AppendString(b.Bytes, s)
}

// Int writes a whole number.
func (b *Builder) Int(n int64) {
	b.sep()
	b.Bytes = strconv.AppendInt(b.Bytes, n, 10)
}

// Uint writes a whole number.
func (b *Builder) Uint(n uint64) {
	b.sep()
	b.Bytes = strconv.AppendUint(b.Bytes, n, 10)
}

// Double writes a number with a fraction.
func (b *Builder) Double(f float64) {
	b.sep()
	b.Bytes = AppendDouble(b.Bytes, f)
}

// Bool writes true or false.
func (b *Builder) Bool(v bool) {
	b.sep()
	b.Bytes = strconv.AppendBool(b.Bytes, v)
}

// Ints writes an array of whole numbers under a name.
func (b *Builder) Ints(name string, numbers []int64) {
	b.Key(name)
	b.Begin('[')
	for _, n := range numbers {
		b.Int(n)
	}
	b.End(']')
}

// Strings writes an array of strings under a name.
func (b *Builder) Strings(name string, texts []string) {
	b.Key(name)
	b.Begin('[')
	for _, s := range texts {
		b.String(s)
	}
	b.End(']')
}

// Member writes a string under a name.
func (b *Builder) Member(name, text string) {
	b.Key(name)
	b.String(text)
}
