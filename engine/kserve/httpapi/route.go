package httpapi

import (
	"net/http"
	"strings"
)

// endpoint is what answers a path.
type endpoint struct {
	method string // "" takes GET and POST
	run    func(*handler, *call) error
	plain  bool // a wrong method is refused as text/plain (A1)
}

// call is one request to an endpoint.
type call struct {
	w http.ResponseWriter
	r *http.Request
	// What the path's placeholders hold, as sent: Triton does not decode percent signs (A1).
	model, version, repository, region string
}

// node is a place in the tree of paths.
type node struct {
	exact    map[string]*node
	param    *node
	name     string // of the placeholder that leads here
	endpoint *endpoint
}

// routes is the table of A2.
func routes() *node {
	root := &node{}
	get := func(path string, run func(*handler, *call) error) {
		root.add(path, &endpoint{method: http.MethodGet, run: run})
	}
	post := func(path string, run func(*handler, *call) error) {
		root.add(path, &endpoint{method: http.MethodPost, run: run})
	}
	get("", (*handler).serverMetadata)
	root.add("/health/live", &endpoint{method: http.MethodGet, run: (*handler).live, plain: true})
	root.add("/health/ready", &endpoint{method: http.MethodGet, run: (*handler).ready, plain: true})
	get("/models/stats", (*handler).allStatistics)
	for _, model := range []string{"/models/{model}", "/models/{model}/versions/{version}"} {
		get(model, (*handler).modelMetadata)
		root.add(model+"/ready", &endpoint{method: http.MethodGet, run: (*handler).modelReady, plain: true})
		get(model+"/config", (*handler).modelConfig)
		get(model+"/stats", (*handler).modelStatistics)
		root.add(model+"/infer", &endpoint{method: http.MethodPost, run: (*handler).infer, plain: true})
	}
	for _, repository := range []string{"/repository", "/repository/{repository}"} {
		post(repository+"/index", (*handler).repositoryIndex)
		post(repository+"/models/{model}/load", (*handler).load)
		post(repository+"/models/{model}/unload", (*handler).unload)
	}
	addUnsupported(root)
	return root
}

func (n *node) add(path string, e *endpoint) {
	for _, seg := range strings.Split(path, "/")[1:] {
		n = n.child(seg)
	}
	n.endpoint = e
}

func (n *node) child(seg string) *node {
	if strings.HasPrefix(seg, "{") {
		if n.param == nil {
			n.param = &node{name: seg}
		}
		return n.param
	}
	if n.exact == nil {
		n.exact = map[string]*node{}
	}
	if n.exact[seg] == nil {
		n.exact[seg] = &node{}
	}
	return n.exact[seg]
}

// find looks a path below n up, "" or "/seg/seg", and fills in the call's placeholders. A fixed name goes
// before a placeholder.
func (n *node) find(path string, c *call) *endpoint {
	if path == "" {
		return n.endpoint
	}
	seg, rest := cut(path[1:])
	if next := n.exact[seg]; next != nil {
		if e := next.find(rest, c); e != nil {
			return e
		}
	}
	if n.param == nil || !n.param.takes(seg) {
		return nil
	}
	e := n.param.find(rest, c)
	if e != nil {
		c.set(n.param.name, seg)
	}
	return e
}

// cut splits "a/b" into "a" and "/b".
func cut(path string) (seg, rest string) {
	if i := strings.IndexByte(path, '/'); i >= 0 {
		return path[:i], path[i:]
	}
	return path, ""
}

// takes says whether the placeholder accepts a segment: anything but nothing, digits for a version.
func (n *node) takes(seg string) bool {
	return seg != "" && (n.name != "{version}" || strings.Trim(seg, "0123456789") == "")
}

func (c *call) set(placeholder, seg string) {
	switch placeholder {
	case "{model}":
		c.model = seg
	case "{version}":
		c.version = seg
	case "{repository}":
		c.repository = seg
	case "{region}":
		c.region = seg
	}
}
