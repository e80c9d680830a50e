package desktop

import (
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"

	"conch/app/unshared"
)

// apiPrefix is where the API is mounted, as in the browser.
const apiPrefix = "/api/"

// mount answers API requests itself, gives the page what was dropped on the window, and passes others on to the
// window's own files.
func mount(api http.Handler, drops *dropped, log *slog.Logger) func(http.Handler) http.Handler {
	api = http.StripPrefix(strings.TrimSuffix(apiPrefix, "/"), api)
	return func(files http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w = &private{ResponseWriter: w}
			defer recoverCall(w, r, log)
			if strings.HasPrefix(r.URL.Path, apiPrefix) {
				w.Header().Set("X-Content-Type-Options", "nosniff") // otherwise small parts of a stream are held back
				api.ServeHTTP(flusher{w}, r)
				// An empty answer writes nothing. The window would turn that into a 501, and wait for
				// a body of unknown length.
				w.Header().Set("Content-Length", "0")
				w.WriteHeader(http.StatusOK)
				return
			}
			if strings.HasPrefix(r.URL.Path, droppedPrefix) {
				drops.ServeHTTP(w, r)
				return
			}
			files.ServeHTTP(w, r)
		})
	}
}

// recoverCall keeps a panic in one call from ending the window.
func recoverCall(w http.ResponseWriter, r *http.Request, log *slog.Logger) {
	if p := recover(); p != nil {
		log.Error("a call panicked", "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
		w.WriteHeader(http.StatusInternalServerError)
	}
}

// private keeps an answer's pipe, which the window opens with the head, from programs that are started.
type private struct {
	http.ResponseWriter
	begun bool
}

// WriteHeader implements http.ResponseWriter.
func (p *private) WriteHeader(code int) {
	if p.begun {
		return
	}
	p.begun = true
	unshared.While(func() { p.ResponseWriter.WriteHeader(code) })
}

// Write implements http.ResponseWriter. It writes the head first, because a body may have to wait for its reader.
func (p *private) Write(body []byte) (int, error) {
	if !p.begun && p.Header().Get("Content-Type") == "" {
		p.Header().Set("Content-Type", http.DetectContentType(body))
	}
	p.WriteHeader(http.StatusOK)
	return p.ResponseWriter.Write(body)
}

// Unwrap lets http.ResponseController find the methods of the real writer.
func (p *private) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// flusher has the method that streams require. The window's writer sends every write at once, but has
// no method for it.
type flusher struct{ http.ResponseWriter }

// Flush implements http.Flusher.
func (f flusher) Flush() {
	if inner, ok := f.ResponseWriter.(http.Flusher); ok {
		inner.Flush()
	}
}

// Unwrap lets http.ResponseController find the methods of the real writer.
func (f flusher) Unwrap() http.ResponseWriter { return f.ResponseWriter }
