package agreement

import (
	"encoding/binary"
	"fmt"
	"math"
)

// floating are the types whose values may be scores.
var floating = map[string]bool{"FP16": true, "BF16": true, "FP32": true, "FP64": true}

// kind is how a value of a type is read.
type kind struct {
	size int
	read func([]byte) float64
}

var little = binary.LittleEndian

var kinds = map[string]kind{
	"BOOL":   {1, func(b []byte) float64 { return float64(b[0]) }},
	"UINT8":  {1, func(b []byte) float64 { return float64(b[0]) }},
	"INT8":   {1, func(b []byte) float64 { return float64(int8(b[0])) }},
	"UINT16": {2, func(b []byte) float64 { return float64(little.Uint16(b)) }},
	"INT16":  {2, func(b []byte) float64 { return float64(int16(little.Uint16(b))) }},
	"UINT32": {4, func(b []byte) float64 { return float64(little.Uint32(b)) }},
	"INT32":  {4, func(b []byte) float64 { return float64(int32(little.Uint32(b))) }},
	"UINT64": {8, func(b []byte) float64 { return float64(little.Uint64(b)) }},
	"INT64":  {8, func(b []byte) float64 { return float64(int64(little.Uint64(b))) }},
	"FP16":   {2, func(b []byte) float64 { return half(little.Uint16(b)) }},
	"BF16":   {2, func(b []byte) float64 { return float64(math.Float32frombits(uint32(little.Uint16(b)) << 16)) }},
	"FP32":   {4, func(b []byte) float64 { return float64(math.Float32frombits(little.Uint32(b))) }},
	"FP64":   {8, func(b []byte) float64 { return math.Float64frombits(little.Uint64(b)) }},
}

func numbers(t Tensor) ([]float64, error) {
	k, known := kinds[t.Datatype]
	if !known {
		return nil, fmt.Errorf("values of type %s are not compared", t.Datatype)
	}
	list := make([]float64, len(t.Raw)/k.size)
	for i := range list {
		list[i] = k.read(t.Raw[i*k.size:])
	}
	return list, nil
}

// half returns the value of an IEEE 754 binary16.
func half(h uint16) float64 {
	sign, exponent, mantissa := 1.0, int(h>>10&0x1f), float64(h&0x3ff)
	if h>>15 == 1 {
		sign = -1
	}
	switch exponent {
	case 0x1f:
		if mantissa != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	case 0:
		return sign * math.Ldexp(mantissa, -24)
	}
	return sign * math.Ldexp(1024+mantissa, exponent-25)
}

// compareTexts compares elements of text, each of which is a length and its bytes.
func compareTexts(a, b []byte) (d Difference) {
	d.Cosine = math.NaN()
	left, right := texts(a), texts(b)
	for i, text := range left {
		d.Elements++
		if i < len(right) && right[i] == text {
			d.Equal++
		}
	}
	return d
}

func texts(raw []byte) (list []string) {
	for len(raw) >= 4 {
		size := min(int64(little.Uint32(raw)), int64(len(raw)-4))
		list = append(list, string(raw[4:4+size]))
		raw = raw[4+size:]
	}
	return list
}
