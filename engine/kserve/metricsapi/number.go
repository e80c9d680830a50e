package metricsapi

import (
	"bytes"
	"math"
	"strconv"
)

// asTriton writes the numbers of a page as Triton's library does: 16 digits, without an exponent below 10^16, and "Nan"
// for the quantiles of an empty summary.
func asTriton(page []byte) []byte {
	out := make([]byte, 0, len(page))
	for line := range bytes.Lines(page) {
		at := bytes.LastIndexByte(line, ' ') + 1
		value, err := strconv.ParseFloat(string(bytes.TrimSuffix(line[at:], []byte("\n"))), 64)
		if line[0] == '#' || err != nil {
			out = append(out, line...)
			continue
		}
		out = append(append(out, line[:at]...), number(value)...)
		out = append(out, '\n')
	}
	return out
}

func number(value float64) string {
	if math.IsNaN(value) {
		return "Nan"
	}
	return strconv.FormatFloat(value, 'g', 16, 64)
}
