package tensorjson

import "math"

// toHalf rounds to the nearest FP16, ties to even. A number that is too large becomes infinite.
func toHalf(f float64) uint16 {
	b := math.Float32bits(float32(f))
	sign := uint16(b>>16) & 0x8000
	exponent, fraction := int(b>>23&0xff)-127+15, b&0x7fffff
	switch {
	case b&0x7fffffff > 0x7f800000:
		return sign | 0x7e00 // not a number
	case exponent >= 31:
		return sign | 0x7c00
	case exponent <= -11:
		return sign
	case exponent <= 0: // subnormal: the hidden bit becomes visible
		fraction |= 0x800000
		return sign | round(fraction, uint(14-exponent))
	}
	return sign | round(uint32(exponent)<<23|fraction, 13)
}

// round shifts right, to the nearest, ties to even. A carry into the exponent gives the right result.
func round(v uint32, shift uint) uint16 {
	half := uint32(1) << (shift - 1)
	rest := v & (half<<1 - 1)
	v >>= shift
	if rest > half || rest == half && v&1 == 1 {
		v++
	}
	return uint16(v)
}

func fromHalf(h uint16) float64 {
	sign := 1.0
	if h&0x8000 != 0 {
		sign = -1
	}
	exponent, fraction := int(h>>10&31), float64(h&0x3ff)
	switch {
	case exponent == 31 && fraction != 0:
		return math.NaN()
	case exponent == 31:
		return sign * math.Inf(1)
	case exponent == 0:
		return sign * math.Ldexp(fraction, -24)
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// toBrain rounds to the nearest BF16, ties to even.
func toBrain(f float64) uint16 {
	b := math.Float32bits(float32(f))
	if b&0x7fffffff > 0x7f800000 {
		return uint16(b>>16) | 0x40 // so that NaN stays NaN
	}
	return uint16((uint64(b) + 0x7fff + uint64(b>>16&1)) >> 16)
}

func fromBrain(h uint16) float64 { return float64(math.Float32frombits(uint32(h) << 16)) }
