package refusals

import (
	"net/http"
	"strconv"
)

// AddHTTP keeps an HTTP request that was refused with a status. r has what is known beside the request itself.
func (l *Log) AddHTTP(port string, request *http.Request, status int, r Refusal) {
	if l == nil {
		return
	}
	r.Port, r.Status = port, strconv.Itoa(status)+" "+http.StatusText(status)
	r.Method, r.Path, r.Client = request.Method, request.URL.EscapedPath(), request.RemoteAddr
	l.Add(r)
}
