package folder

import "unicode"

// Misleading reports whether a rune is not seen as itself but changes what is seen: control characters, the ends of lines and
// paragraphs, and the marks of writing direction above all.
func Misleading(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Cf) && !Joins(r)
}

// Joins reports whether a rune joins letters or keeps them apart, as Persian and emoji need it; that is harmless.
func Joins(r rune) bool { return r == '\u200c' || r == '\u200d' }
