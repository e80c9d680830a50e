package origin

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Guard keeps the pages of other web sites from an HTTP port.
type Guard struct {
	loopback bool
	all      bool            // pages of every site are let in
	allowed  map[string]bool // pages of these sites are let in

	// Refused is called with each request that is refused; nil calls nothing.
	Refused func(r *http.Request, status int, reason string)
}

// NewGuard makes the guard of a listener. allow are the origins whose pages may use the port, such as
// "https://dashboard.example:3000"; "*" stands for all.
func NewGuard(at net.Addr, allow []string) (*Guard, error) {
	g := &Guard{allowed: map[string]bool{}}
	if tcp, ok := at.(*net.TCPAddr); ok {
		g.loopback = tcp.IP.IsLoopback()
	}
	for _, text := range allow {
		if text == "*" {
			g.all = true
			continue
		}
		u, err := url.Parse(text)
		if err != nil || u.Scheme == "" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
			return nil, fmt.Errorf("%q is not the origin of a page: write it as https://dashboard.example or http://localhost:3000, or * for all pages", text)
		}
		g.allowed[strings.ToLower(u.Scheme+"://"+u.Host)] = true
	}
	return g, nil
}

// Wrap puts the guard in front of a handler. Pages that are let in get the headers that their browser asks for (CORS).
func (g *Guard) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, given := g.page(r)
		if reason := g.refusal(r, given); reason != "" {
			if g.Refused != nil {
				g.Refused(r, http.StatusForbidden, reason)
			}
			refuse(w, reason)
			return
		}
		if given {
			w.Header().Add("Vary", "Origin")
			w.Header().Set("Access-Control-Allow-Origin", page)
			w.Header().Set("Access-Control-Expose-Headers", "*")
			if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
				preflight(w, r)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// page returns the origin of the page that sent the request, and whether the flags allow this origin.
func (g *Guard) page(r *http.Request) (origin string, allowed bool) {
	origins := r.Header["Origin"]
	if len(origins) != 1 {
		return "", false
	}
	return origins[0], g.all || g.allowed[strings.ToLower(origins[0])]
}

// refusal returns why a request is refused; "" when it is not.
func (g *Guard) refusal(r *http.Request, allowed bool) string {
	if host, _ := SplitHost(r.Host); g.loopback && host != "" && !IsAddress(host) && !IsMachine(host) {
		return fmt.Sprintf("The request is for the host %q, which is not a name of this machine, and this port is for this machine alone. "+
			"Use localhost or an IP address, or have the server listen on another address with --http-address.", host)
	}
	if allowed || g.all || SameSite(r) {
		return ""
	}
	return "The request comes from a page of another web site. To let a page use this server, start it with --http-allow-origin=ORIGIN."
}

// preflight answers the question that a browser asks before a request that a plain form cannot send.
func preflight(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", "GET, POST")
	if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
		h.Set("Access-Control-Allow-Headers", asked)
	}
	if r.Header.Get("Access-Control-Request-Private-Network") != "" {
		h.Set("Access-Control-Allow-Private-Network", "true")
	}
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
}

// refuse sends the reason in the form of Triton's errors, so that clients show it.
func refuse(w http.ResponseWriter, reason string) {
	body, _ := json.Marshal(map[string]string{"error": reason}) // a map of strings never fails
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusForbidden)
	_, _ = w.Write(body) // the client may have left
}
