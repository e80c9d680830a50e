package jsondoc

import (
	"math"
	"strconv"
)

// ParseUint reads a token as RapidJSON's IsUint64 and GetUint64 do.
func ParseUint(token []byte) (uint64, error) {
	if len(token) == 0 || len(token) > 20 {
		return 0, ErrNotUint
	}
	var n uint64
	for _, c := range token {
		d := uint64(c - '0')
		if d > 9 || n > math.MaxUint64/10 || n*10 > math.MaxUint64-d {
			return 0, minusZero(token)
		}
		n = n*10 + d
	}
	return n, nil
}

// minusZero accepts "-0": RapidJSON reads it as the integer 0.
func minusZero(token []byte) error {
	if string(token) == "-0" {
		return nil
	}
	return ErrNotUint
}

// ParseInt reads a token as RapidJSON's IsInt64 and GetInt64 do.
func ParseInt(token []byte) (int64, error) {
	negative := len(token) > 0 && token[0] == '-'
	if negative {
		token = token[1:]
	}
	n, err := ParseUint(token)
	switch {
	case err != nil || len(token) == 0:
		return 0, ErrNotInt
	case negative && n <= 1<<63:
		return -int64(n), nil
	case !negative && n <= math.MaxInt64:
		return int64(n), nil
	}
	return 0, ErrNotInt
}

// ParseDouble reads any number, including NaN and the infinities.
func ParseDouble(token []byte) (float64, error) {
	if len(token) == 0 {
		return 0, ErrNotDouble
	}
	if f, ok := simpleDouble(token); ok {
		return f, nil
	}
	switch c := token[len(token)-1]; {
	case token[0] == '"' || token[0] == '{':
		return 0, ErrNotDouble
	case c == 'N' || c == 'f' || c == 'y':
		return notFinite(token), nil
	}
	f, err := strconv.ParseFloat(string(token), 64)
	if err != nil {
		return 0, ErrNotDouble
	}
	return f, nil
}

func notFinite(token []byte) float64 {
	sign := 1
	if token[0] == '-' {
		sign, token = -1, token[1:]
	}
	if token[0] == 'I' {
		return math.Inf(sign)
	}
	return math.NaN()
}

var powersOfTen = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// simpleDouble reads "-12.5": up to 15 digits with a fraction and no exponent. Such a mantissa and the
// power of ten are exact in a double, so one division is rounded correctly.
func simpleDouble(token []byte) (float64, bool) {
	negative := token[0] == '-'
	if negative {
		token = token[1:]
	}
	if len(token) == 0 || len(token) > 16 {
		return 0, false
	}
	mantissa, point := uint64(0), -1
	for i, c := range token {
		switch d := c - '0'; {
		case d <= 9:
			mantissa = mantissa*10 + uint64(d)
		case c == '.' && point < 0:
			point = i
		default:
			return 0, false
		}
	}
	if mantissa >= 1<<53 {
		return 0, false
	}
	f := float64(mantissa)
	if point >= 0 {
		f /= powersOfTen[len(token)-1-point]
	}
	if negative {
		f = -f
	}
	return f, true
}
