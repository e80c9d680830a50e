package httpapi

import (
	"context"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"

	"conch/engine/infer"
	"conch/engine/kserve"
)

type handler struct {
	svc    kserve.Service
	opts   Options
	routes *node
}

// ServeHTTP finds the endpoint by the path as it was sent, without the query (docs/triton/http.md,
// "Paths").
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{w: w, r: r, account: h.opts.Memory.Open()}
	defer c.account.Close()
	path, ok := strings.CutPrefix(r.URL.EscapedPath(), "/v2")
	if !ok || (path != "" && path[0] != '/') {
		c.fail(http.StatusNotFound, typePlain, "Not Found")
		return
	}
	e := h.routes.find(path, c)
	switch {
	case e == nil:
		c.fail(http.StatusNotFound, typePlain, "Not Found")
	case !h.allows(e, r):
		c.fail(http.StatusForbidden, typePlain, "This API is restricted, expecting header '"+h.opts.Restricted[e.category].Key+"'")
	case !e.takes(r.Method):
		c.fail(http.StatusMethodNotAllowed, e.refusalType(), "Method Not Allowed")
	default:
		c.model = h.modelName(c.model)
		err := e.run(h, c)
		switch {
		case errors.Is(err, errUnread):
			c.refuse(err)
		case err != nil:
			c.error(err)
		}
	}
}

// allows says whether a request has the header that its API is restricted to, if it is
// (docs/triton/http.md, "Restricted APIs").
func (h *handler) allows(e *endpoint, r *http.Request) bool {
	restriction, restricted := h.opts.Restricted[e.category]
	if !restricted {
		return true
	}
	given := r.Header.Get(restriction.Key)
	return subtle.ConstantTimeCompare([]byte(given), []byte(restriction.Value)) == 1
}

func (e *endpoint) refusalType() string {
	if e.plain {
		return typePlain
	}
	return typeJSON
}

func (e *endpoint) takes(method string) bool {
	return method == e.method || (e.method == "" && (method == http.MethodGet || method == http.MethodPost))
}

// versionOf reads the version in the path.
func (c *call) versionOf() (int64, error) { return kserve.ParseVersion(c.version) }

// lasting is the request's context without its end: a request that came over HTTP goes on when its
// client has gone (docs/triton/http.md, "Paths"), and is counted.
func (c *call) lasting() context.Context { return context.WithoutCancel(c.r.Context()) }

// someEntries are read of a long list before it is asked again whether anybody waits for the answer.
const someEntries = 1024

// gone is an error when the client has gone before its request was read to the end. It is asked before each entry of a list.
func (c *call) gone(entry int) error {
	if entry%someEntries != someEntries-1 || c.r.Context().Err() == nil {
		return nil
	}
	return infer.Errorf(infer.Cancelled, "the client closed the connection while its request was read")
}
