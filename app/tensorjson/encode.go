package tensorjson

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Tensor is what a person typed for one input.
type Tensor struct {
	Datatype string
	Shape    []int64
	JSON     string // an array, nested or flat
}

// Encode returns the tensor's bytes: little-endian, row major; BYTES elements as four bytes of length and the bytes.
func Encode(t Tensor) ([]byte, error) {
	d, ok := datatypes[t.Datatype]
	if !ok {
		return nil, fmt.Errorf("%q is not a data type; there are BOOL, INT8 to INT64, UINT8 to UINT64, FP16, BF16, FP32, FP64 and BYTES", t.Datatype)
	}
	want, err := Count(t.Shape)
	if err != nil {
		return nil, err
	}
	e := encoder{typ: t.Datatype, datatype: d, out: make([]byte, 0, min(want*max(d.size, 4), 4*len(t.JSON)))}
	s := scanner{text: t.JSON}
	err = s.array(func(element string) error {
		e.count++
		if err := e.add(element); err != nil {
			return fmt.Errorf("element %d is %s: %w", e.count, shorten(element), err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if e.count != want {
		return nil, fmt.Errorf("the shape %s takes %d elements, %d were given", shapeText(t.Shape), want, e.count)
	}
	return e.out, nil
}

type encoder struct {
	datatype
	typ   string
	out   []byte
	count int
}

func (e *encoder) add(element string) error {
	switch e.kind {
	case boolean:
		return e.addBool(element)
	case signed, unsigned:
		return e.addInteger(element)
	case floating:
		return e.addFloat(element)
	}
	return e.addText(element)
}

func (e *encoder) addBool(element string) error {
	switch element {
	case "true", "1":
		e.out = append(e.out, 1)
	case "false", "0":
		e.out = append(e.out, 0)
	default:
		return fmt.Errorf("BOOL takes true and false")
	}
	return nil
}

func (e *encoder) addInteger(element string) error {
	lowest, highest := e.limits()
	switch element {
	case "true", "false":
		return fmt.Errorf("%s takes numbers", e.typ)
	}
	if n, err := strconv.ParseInt(element, 10, 64); err == nil && n >= lowest && (n < 0 || uint64(n) <= highest) {
		e.put(uint64(n))
		return nil
	}
	if n, err := strconv.ParseUint(element, 10, 64); err == nil && n <= highest {
		e.put(n)
		return nil
	}
	return fmt.Errorf("%s takes whole numbers from %d to %d", e.typ, lowest, highest)
}

func (e *encoder) put(n uint64) {
	var all [8]byte
	binary.LittleEndian.PutUint64(all[:], n)
	e.out = append(e.out, all[:e.size]...)
}

func (e *encoder) addFloat(element string) error {
	f, ok := parseFloat(element)
	if !ok {
		return fmt.Errorf("%s takes numbers, NaN, Infinity and -Infinity", e.typ)
	}
	if e.overflows(f, element) {
		end := largest[e.typ]
		if f < 0 {
			return fmt.Errorf("%s ends at -%s; write -Infinity to send an infinity", e.typ, end)
		}
		return fmt.Errorf("%s ends at %s; write Infinity to send an infinity", e.typ, end)
	}
	e.put(toBits(e.typ, f))
	return nil
}

// largest is the largest number of each type, for people.
var largest = map[string]string{"FP16": "65504", "BF16": "3.39e38", "FP32": "3.4e38", "FP64": "1.8e308"}

// overflows reports whether a number that is written in digits becomes an infinity.
func (e *encoder) overflows(f float64, element string) bool {
	return !strings.HasSuffix(element, "Infinity") && math.IsInf(fromBits(e.typ, toBits(e.typ, f)), 0)
}

// toBits rounds to a type of floating point.
func toBits(typ string, f float64) uint64 {
	switch typ {
	case "FP16":
		return uint64(toHalf(f))
	case "BF16":
		return uint64(toBrain(f))
	case "FP32":
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

func fromBits(typ string, n uint64) float64 {
	switch typ {
	case "FP16":
		return fromHalf(uint16(n))
	case "BF16":
		return fromBrain(uint16(n))
	case "FP32":
		return float64(math.Float32frombits(uint32(n)))
	}
	return math.Float64frombits(n)
}

// parseFloat reads a JSON number or one of the words that JSON lacks. strconv accepts more: hex,
// underscores, "inf".
func parseFloat(element string) (float64, bool) {
	switch element {
	case "NaN":
		return math.NaN(), true
	case "Infinity":
		return math.Inf(1), true
	case "-Infinity":
		return math.Inf(-1), true
	}
	for i := range len(element) {
		if c := element[i]; (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return 0, false
		}
	}
	f, err := strconv.ParseFloat(element, 64)
	return f, err == nil || math.IsInf(f, 0) // the caller refuses a number that is too large
}

func (e *encoder) addText(element string) error {
	var s string
	if !strings.HasPrefix(element, `"`) || json.Unmarshal([]byte(element), &s) != nil {
		return fmt.Errorf("BYTES takes strings in double quotes")
	}
	e.out = binary.LittleEndian.AppendUint32(e.out, uint32(len(s)))
	e.out = append(e.out, s...)
	return nil
}

// shapeText writes a shape as [1, 64].
func shapeText(shape []int64) string {
	words := make([]string, len(shape))
	for i, dim := range shape {
		words[i] = strconv.FormatInt(dim, 10)
	}
	return "[" + strings.Join(words, ", ") + "]"
}

func shorten(s string) string {
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "…"
	}
	return s
}
