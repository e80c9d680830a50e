package origin

import (
	"net/http"
	"net/url"
	"strings"
)

// SameSite reports whether a program sent the request, or a page of this server (same name and port). Browsers set
// both headers, and no script can change them. Older browsers set only Origin.
func SameSite(r *http.Request) bool {
	for _, site := range r.Header["Sec-Fetch-Site"] {
		if site != "same-origin" && site != "none" { // none: the user typed the address
			return false
		}
	}
	for _, text := range r.Header["Origin"] {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || !strings.EqualFold(u.Host, r.Host) {
			return false
		}
	}
	return true
}
