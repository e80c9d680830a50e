package web

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
)

// smallestPacked is the size in bytes below which a file is sent as it is: packing would save less than a
// packet.
const smallestPacked = 1400

// packer compresses each file of the page once, when it is first asked for. The files are those that are
// built into the program, so what is kept is bounded by them.
type packer struct {
	fs   fs.FS
	done sync.Map // name to func() ([]byte, error)
}

// packed returns the file compressed with gzip, or nil where that does not make it smaller.
func (p *packer) packed(name string) ([]byte, error) {
	pack, _ := p.done.LoadOrStore(name, sync.OnceValues(func() ([]byte, error) { return pack(p.fs, name) }))
	return pack.(func() ([]byte, error))()
}

func pack(files fs.FS, name string) ([]byte, error) {
	if !isText(name) {
		return nil, nil
	}
	plain, err := fs.ReadFile(files, name)
	if err != nil || len(plain) < smallestPacked {
		return nil, err
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(plain); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// isText tells the files that compress well from fonts and pictures, which are compressed already.
func isText(name string) bool {
	switch path.Ext(name) {
	case ".js", ".css", ".html", ".svg", ".json":
		return true
	}
	return false
}

// acceptsGzip reports whether the client takes gzip. "gzip;q=0" refuses it.
func acceptsGzip(r *http.Request) bool {
	for _, list := range r.Header.Values("Accept-Encoding") {
		for coding := range strings.SplitSeq(list, ",") {
			name, params, err := mime.ParseMediaType(coding)
			if err == nil && name == "gzip" {
				return strings.Trim(params["q"], "0.") != "" || params["q"] == ""
			}
		}
	}
	return false
}
