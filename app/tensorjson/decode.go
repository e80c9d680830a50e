package tensorjson

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// Literals writes a tensor's elements as JSON. plain is false when JSON cannot hold one of them: NaN,
// infinities, bytes that are not text. NaN and infinities get the words that Encode takes; bytes get a
// replacement.
func Literals(typ string, raw []byte) (list []string, plain bool, err error) {
	d, ok := datatypes[typ]
	if !ok {
		return nil, false, fmt.Errorf("%q is not a data type", typ)
	}
	if d.kind == text {
		return textLiterals(raw)
	}
	if len(raw)%d.size != 0 {
		return nil, false, fmt.Errorf("%d bytes are not a whole number of %s elements", len(raw), typ)
	}
	plain = true
	list = make([]string, 0, len(raw)/d.size)
	for ; len(raw) > 0; raw = raw[d.size:] {
		literal, ok := d.literal(typ, raw)
		plain = plain && ok
		list = append(list, literal)
	}
	return list, plain, nil
}

func (d datatype) literal(typ string, raw []byte) (string, bool) {
	var all [8]byte
	copy(all[:], raw[:d.size])
	n := binary.LittleEndian.Uint64(all[:])
	shift := uint(64 - 8*d.size)
	switch d.kind {
	case boolean:
		return strconv.FormatBool(n != 0), true
	case signed:
		return strconv.FormatInt(int64(n<<shift)>>shift, 10), true
	case unsigned:
		return strconv.FormatUint(n, 10), true
	}
	return floatLiteral(typ, fromBits(typ, n))
}

func floatLiteral(typ string, f float64) (string, bool) {
	switch {
	case math.IsNaN(f):
		return "NaN", false
	case math.IsInf(f, 1):
		return "Infinity", false
	case math.IsInf(f, -1):
		return "-Infinity", false
	}
	return shortest(typ, f), true
}

// wholeUpTo is where whole numbers stop being written whole: 65504 in FP16 is not the shorter 65500.
const wholeUpTo = 1 << 24

// shortest writes a number with the fewest digits that read back as the same value of its type.
func shortest(typ string, f float64) string {
	switch {
	case f == math.Trunc(f) && math.Abs(f) <= wholeUpTo:
		return strconv.FormatFloat(f, 'f', -1, 64)
	case typ == "FP32":
		return strconv.FormatFloat(f, 'g', -1, 32)
	case typ == "FP64":
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	for digits := 1; ; digits++ {
		text := strconv.FormatFloat(f, 'g', digits, 64)
		if back, err := strconv.ParseFloat(text, 64); err != nil || toBits(typ, back) == toBits(typ, f) {
			return text
		}
	}
}

func textLiterals(raw []byte) (list []string, plain bool, err error) {
	plain = true
	for len(raw) > 0 {
		if len(raw) < 4 || uint64(len(raw)-4) < uint64(binary.LittleEndian.Uint32(raw)) {
			return nil, false, fmt.Errorf("element %d of the BYTES tensor is cut off", len(list)+1)
		}
		end := 4 + int(binary.LittleEndian.Uint32(raw))
		literal, err := json.Marshal(string(raw[4:end]))
		if err != nil {
			return nil, false, fmt.Errorf("write element %d: %w", len(list)+1, err)
		}
		plain = plain && utf8.Valid(raw[4:end])
		list = append(list, string(literal))
		raw = raw[end:]
	}
	return list, plain, nil
}
