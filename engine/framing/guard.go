package framing

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strconv"
)

const reason = "A request of HTTP/1.0 cannot have Transfer-Encoding: its end is not known. Send it with Content-Length, or as HTTP/1.1."

// behind is the reason behind a request with chunks: whether a later one has Transfer-Encoding too is not known.
const behind = "A request of HTTP/1.0 cannot follow one with Transfer-Encoding on the same connection. Send it on another connection, or as HTTP/1.1."

// watchedKey is the key of a connection in the context of its requests.
type watchedKey struct{}

// Guard makes a server refuse requests of HTTP/1.0 that say Transfer-Encoding. What it serves should be a Listener's; it closes
// other connections behind each request of HTTP/1.0. refused is called with each request that is refused; nil calls nothing.
func Guard(server *http.Server, refused func(r *http.Request, status int, reason string)) {
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if w, ok := c.(*watched); ok {
			return context.WithValue(ctx, watchedKey{}, w)
		}
		return ctx
	}
	next := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, known := r.Context().Value(watchedKey{}).(*watched)
		if r.ProtoAtLeast(1, 1) {
			if known && len(r.TransferEncoding) > 0 {
				c.chunked.Store(true)
			}
			next.ServeHTTP(w, r)
			return
		}
		switch {
		case !known:
			w.Header().Set("Connection", "close")
		case c.coded.Load():
			why := reason
			if c.chunked.Load() {
				why = behind
			}
			if refused != nil {
				refused(r, http.StatusBadRequest, why)
			}
			refuse(w, why)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// refuse sends a reason in the form of Triton's errors, and ends the connection.
func refuse(w http.ResponseWriter, reason string) {
	body, _ := json.Marshal(map[string]string{"error": reason}) // a map of strings never fails
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Header().Set("Connection", "close")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(body) // the client may have left
}
