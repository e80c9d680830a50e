package web

import (
	"bytes"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"conch/engine/origin"
)

// policy lets the page load only its own files. The editor and the graph set styles from scripts.
const policy = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
	"font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func handler(opts Options, g *gate, k *key) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/api/", guardAPI(k, http.StripPrefix("/api", opts.API)))
	mux.Handle("/", &files{fs: opts.Files, packer: packer{fs: opts.Files}})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("X-Frame-Options", "DENY")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		if !g.admitsHost(r.Host) {
			http.Error(w, "This is not the host that the workbench was started for. Open the address that conch web printed.", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// guardAPI checks in the order that reveals least to a stranger. A call ends when its token is no
// longer valid.
func guardAPI(k *key, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !origin.SameSite(r) {
			http.Error(w, "Requests from other pages are refused.", http.StatusForbidden)
			return
		}
		replaced, ok := k.admits(r)
		if !ok {
			w.Header().Set("Connection", "close") // does not wait for the rest of the request
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "The token is missing or wrong. Open the address that conch web printed.", http.StatusUnauthorized)
			return
		}
		limited, end := until(replaced, r)
		defer end()
		next.ServeHTTP(w, limited)
	})
}

// files serves the frontend: one page for every path, and the files that it loads.
type files struct {
	fs     fs.FS
	packer packer
}

func (f *files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "Only GET is allowed here.", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	info, err := fs.Stat(f.fs, name)
	switch {
	case name == "" || err != nil && path.Ext(name) == "":
		name = "index.html" // a place in the workbench
	case err != nil || info.IsDir():
		http.NotFound(w, r)
		return
	}
	if strings.HasPrefix(name, "assets/") {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable") // their names have a hash
	} else {
		w.Header().Set("Cache-Control", "no-store")
	}
	f.send(w, r, name)
}

// send writes a file, compressed where the client takes that.
func (f *files) send(w http.ResponseWriter, r *http.Request, name string) {
	if isText(name) {
		w.Header().Add("Vary", "Accept-Encoding")
	}
	if acceptsGzip(r) && r.Header.Get("Range") == "" {
		if packed, err := f.packer.packed(name); err == nil && packed != nil {
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
			w.Header().Set("Content-Length", strconv.Itoa(len(packed)))
			http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(packed))
			return
		}
	}
	http.ServeFileFS(w, r, f.fs, name)
}
