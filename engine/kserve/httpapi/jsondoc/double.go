package jsondoc

import (
	"bytes"
	"math"
	"strconv"
)

// AppendDouble writes a double as RapidJSON's Writer does: the shortest digits that read back the same,
// always with a fraction or an exponent, as in "3.0", "1e-7", "1.5e30". NaN and the infinities are
// written as words without quotes.
func AppendDouble(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		return appendExponent(dst, f)
	}
	from := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	if bytes.IndexByte(dst[from:], '.') < 0 {
		dst = append(dst, '.', '0')
	}
	return dst
}

// appendExponent writes "1e-7" where Go writes "1e-07", and "1e30" where it writes "1e+30".
func appendExponent(dst []byte, f float64) []byte {
	var buf [32]byte
	s := strconv.AppendFloat(buf[:0], f, 'e', -1, 64)
	e := bytes.IndexByte(s, 'e') + 1
	dst = append(dst, s[:e]...)
	if s[e] == '-' {
		dst = append(dst, '-')
	}
	for e++; s[e] == '0'; e++ {
	}
	return append(dst, s[e:]...)
}
