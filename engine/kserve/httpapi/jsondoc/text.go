package jsondoc

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote appends the text of a string that Parse has checked. quoted includes the quotation marks.
func Unquote(dst, quoted []byte) []byte {
	s := quoted[1 : len(quoted)-1]
	for {
		i := bytes.IndexByte(s, '\\')
		if i < 0 {
			return append(dst, s...)
		}
		dst = append(dst, s[:i]...)
		dst, s = unescape(dst, s[i+1:])
	}
}

// textOf returns Unquote's text as a string. It needs one allocation when nothing is escaped.
func textOf(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	return string(Unquote(nil, quoted))
}

// names are the member names that every request has. They need no allocation.
var names = map[string]string{
	`"id"`: "id", `"parameters"`: "parameters", `"inputs"`: "inputs", `"outputs"`: "outputs",
	`"name"`: "name", `"shape"`: "shape", `"datatype"`: "datatype", `"data"`: "data",
	`"binary_data"`: "binary_data", `"binary_data_size"`: "binary_data_size", `"binary_data_output"`: "binary_data_output",
}

var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape reads one escape; s begins after its backslash.
func unescape(dst, s []byte) (out, rest []byte) {
	if s[0] != 'u' {
		return append(dst, escapes[s[0]]), s[1:]
	}
	r, _ := hex4(s[1:])
	s = s[5:]
	if utf16.IsSurrogate(r) {
		low, _ := hex4(s[2:])
		r, s = utf16.DecodeRune(r, low), s[6:]
	}
	return utf8.AppendRune(dst, r), s
}

const upperHex = "0123456789ABCDEF"

var shortEscapes = [256]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

// AppendString writes a string as RapidJSON's Writer does: bytes that are not UTF-8 are written
// unchanged.
func AppendString[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		if e := shortEscapes[c]; e != 0 {
			dst = append(dst, '\\', e)
		} else {
			dst = append(dst, '\\', 'u', '0', '0', upperHex[c>>4], upperHex[c&15])
		}
		from = i + 1
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}
