package httpapi

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strconv"
	"strings"
	"sync"
)

// replyEncoding chooses gzip, deflate or "" from an Accept-Encoding header (docs/triton/http.md,
// "Compression"): the highest q wins, and the first among equals. Names are case sensitive; "*" and
// unknown names are passed over.
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

// compressor is what both kinds of writers can do.
type compressor interface {
	io.WriteCloser
	Reset(io.Writer)
}

// compressors are kept: making one takes over a megabyte. The fastest level is chosen, because replies travel no
// further than the next machine.
var compressors = map[string]*sync.Pool{
	"gzip": {New: func() any {
		w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is a valid one
		return w
	}},
	"deflate": {New: func() any {
		w, _ := zlib.NewWriterLevel(nil, zlib.BestSpeed)
		return w
	}},
}

// compress gives body in an encoding that replyEncoding chose.
func compress(body []byte, encoding string) []byte {
	pool := compressors[encoding]
	w := pool.Get().(compressor)
	defer pool.Put(w)
	var out bytes.Buffer
	w.Reset(&out)
	// A bytes.Buffer never fails.
	_, _ = w.Write(body)
	_ = w.Close()
	w.Reset(nil)
	return out.Bytes()
}
