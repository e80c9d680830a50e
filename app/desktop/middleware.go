package desktop

import (
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
)

// apiPrefix is where the API is mounted, as in the browser.
const apiPrefix = "/api/"

// mount answers the API before the window's own files are looked at.
func mount(api http.Handler, log *slog.Logger) func(http.Handler) http.Handler {
	api = http.StripPrefix(strings.TrimSuffix(apiPrefix, "/"), api)
	return func(files http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer recoverCall(w, r, log)
			if strings.HasPrefix(r.URL.Path, apiPrefix) {
				w.Header().Set("X-Content-Type-Options", "nosniff") // or small parts of a stream are held back
				api.ServeHTTP(flusher{w}, r)
				// An empty answer writes nothing. The window would make a 501 of that, and wait for a body of unknown length.
				w.Header().Set("Content-Length", "0")
				w.WriteHeader(http.StatusOK)
				return
			}
			files.ServeHTTP(w, r)
		})
	}
}

// recoverCall keeps a mistake in one call from ending the window.
func recoverCall(w http.ResponseWriter, r *http.Request, log *slog.Logger) {
	if p := recover(); p != nil {
		log.Error("a call failed badly", "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
		w.WriteHeader(http.StatusInternalServerError)
	}
}

// flusher has the method that streams insist on. The window's writer passes on every write at once, but says so
// by no interface.
type flusher struct{ http.ResponseWriter }

// Flush implements http.Flusher.
func (f flusher) Flush() {
	if inner, ok := f.ResponseWriter.(http.Flusher); ok {
		inner.Flush()
	}
}

// Unwrap lets http.ResponseController find what the writer really can.
func (f flusher) Unwrap() http.ResponseWriter { return f.ResponseWriter }
