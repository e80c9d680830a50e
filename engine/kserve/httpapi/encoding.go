package httpapi

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strconv"
	"strings"
)

// replyEncoding chooses gzip, deflate or "" from an Accept-Encoding header as Triton does (A8): the
// highest q wins, the first listed among equals; names are case sensitive; "*" and unknown names count for nothing.
func replyEncoding(header string) string {
	best, bestQ := "", 0.0
	for item := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(item), ";")
		name = strings.TrimSpace(name)
		if name != "gzip" && name != "deflate" && name != "identity" {
			continue
		}
		if q := quality(params); q > bestQ {
			best, bestQ = name, q
		}
	}
	if best == "identity" {
		return ""
	}
	return best
}

func quality(params string) float64 {
	text, ok := strings.CutPrefix(strings.TrimSpace(params), "q=")
	if !ok {
		return 1
	}
	q, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0
	}
	return q
}

// compress gives body in an encoding that replyEncoding chose.
func compress(body []byte, encoding string) []byte {
	var out bytes.Buffer
	var w io.WriteCloser = zlib.NewWriter(&out)
	if encoding == "gzip" {
		w = gzip.NewWriter(&out)
	}
	// A bytes.Buffer never fails.
	_, _ = w.Write(body)
	_ = w.Close()
	return out.Bytes()
}
