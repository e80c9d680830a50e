package httpapi

import (
	"context"
	"crypto/subtle"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"conch/configedit/folder"
	"conch/engine/budget"
	"conch/engine/kserve"
	"conch/engine/kserve/httpapi/jsondoc"
	"conch/engine/kserve/refusals"
)

// endpoint is the function and the rules of a path.
type endpoint struct {
	method string // "" stands for GET and POST
	run    func(*handler, *call) error
	plain  bool // a wrong method is refused as text/plain (docs/triton/http.md, "Status codes")
	about  about
	// category is the group by which the API may be restricted (docs/triton/http.md, "Restricted
	// APIs").
	category string
}

// about is what the OpenAPI document says of an endpoint: a few words, and the schemas of its bodies.
type about struct{ summary, request, answer string }

// call is one request to an endpoint.
type call struct {
	w http.ResponseWriter
	r *http.Request
	// account counts the memory of the call, including its answer, until the answer has been sent.
	account budget.Account
	// The values of the path's placeholders, as they were sent: Triton does not decode percent
	// signs (docs/triton/http.md, "Paths").
	model, version, repository, region string
	refusals                           *refusals.Log
	id                                 string // of the request, once its body has been read; used when it is refused
	ran                                bool   // it reached its model, and failed there
	// endless is true when there is no connection that could have a deadline.
	endless bool
}

// node is a place in the tree of paths.
type node struct {
	exact    map[string]*node
	param    *node
	name     string // of the placeholder that leads here
	endpoint *endpoint
}

// table collects endpoints.
type table struct {
	root     *node
	category string // of the endpoints that follow (docs/triton/http.md, "Restricted APIs")
}

func (t *table) get(path string, run func(*handler, *call) error, a about) {
	t.root.add(path, &endpoint{method: http.MethodGet, run: run, about: a, category: t.category})
}

func (t *table) post(path string, run func(*handler, *call) error, a about) {
	t.root.add(path, &endpoint{method: http.MethodPost, run: run, about: a, category: t.category})
}

// plain adds an endpoint whose wrong method is refused as text/plain.
func (t *table) plain(method, path string, run func(*handler, *call) error, a about) {
	t.root.add(path, &endpoint{method: method, run: run, plain: true, about: a, category: t.category})
}

// setting adds an endpoint that returns and changes settings.
func (t *table) setting(path string, run func(*handler, *call) error, a about) {
	t.root.add(path, &endpoint{run: run, about: a, category: t.category})
}

// models are the paths of a model, without and with a version.
var models = []string{"/models/{model}", "/models/{model}/versions/{version}"}

// routes returns the tree of all paths (docs/triton/http.md, "Routes").
func routes() *node {
	t := &table{root: &node{}, category: "metadata"}
	t.get("", (*handler).serverMetadata, about{summary: "what this server is", answer: "ServerMetadata"})
	for _, model := range models {
		t.get(model, (*handler).modelMetadata, about{summary: "the versions and tensors of a model", answer: "ModelMetadata"})
	}
	t.addDocuments()
	t.category = "health"
	t.plain(http.MethodGet, "/health/live", (*handler).live, about{summary: "whether the server runs"})
	t.plain(http.MethodGet, "/health/ready", (*handler).ready, about{summary: "whether all models are ready"})
	for _, model := range models {
		t.plain(http.MethodGet, model+"/ready", (*handler).modelReady, about{summary: "whether a model is ready"})
	}
	t.category = "statistics"
	t.get("/models/stats", (*handler).allStatistics, about{summary: "counts and times of all ready models", answer: "Statistics"})
	for _, model := range models {
		t.get(model+"/stats", (*handler).modelStatistics, about{summary: "counts and times of a model", answer: "Statistics"})
	}
	for _, model := range models {
		t.category = "model-config"
		t.get(model+"/config", (*handler).modelConfig, about{summary: "the completed config of a model", answer: "ModelConfig"})
		t.category = "inference"
		t.plain(http.MethodPost, model+"/infer", (*handler).infer, about{"run a model", "InferRequest", "InferResponse"})
		t.post(model+"/generate", (*handler).generate, about{"run a model, with inputs and outputs by name", "GenerateRequest", "GenerateResponse"})
		t.post(model+"/generate_stream", (*handler).generateStream, about{"the same, with each answer as an event", "GenerateRequest", "GenerateEvents"})
	}
	t.category = "model-repository"
	for _, repository := range []string{"/repository", "/repository/{repository}"} {
		t.post(repository+"/index", (*handler).repositoryIndex, about{"the models of the repository and their states", "IndexRequest", "Index"})
		t.post(repository+"/models/{model}/load", (*handler).load, about{summary: "load a model", request: "LoadRequest"})
		t.post(repository+"/models/{model}/unload", (*handler).unload, about{summary: "unload a model", request: "UnloadRequest"})
	}
	t.category = "trace"
	t.setting("/trace/setting", (*handler).traceSetting, about{"what is traced", "TraceSetting", "TraceSetting"})
	t.setting("/models/{model}/trace/setting", (*handler).traceSetting, about{"what is traced of a model", "TraceSetting", "TraceSetting"})
	t.category = "logging"
	t.setting("/logging", (*handler).logSettings, about{"what is logged", "LogSetting", "LogSetting"})
	t.category = "shared-memory"
	t.addRegions()
	return t.root
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

// find looks up a path below n, "" or "/seg/seg", and fills in the call's placeholders. A fixed name is
// tried before a placeholder.
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

// takes reports whether the placeholder accepts a segment: digits for a version, otherwise any text
// that is not empty.
func (n *node) takes(seg string) bool {
	return seg != "" && (n.name != "{version}" || strings.Trim(seg, "0123456789") == "")
}

// modelName returns the model's name in a path's segment. Triton decodes nothing. So it finds a model whose name is
// not UTF-8 only by its raw bytes, which few clients can send. Conch also finds such a model by its percent-encoded
// bytes, and by its name in the index, unless a model has exactly the segment as its name.
func (h *handler) modelName(seg string) string {
	raw, err := url.PathUnescape(seg)
	if err != nil || raw == seg || utf8.ValidString(raw) && !strings.Contains(raw, `\x`) {
		return seg
	}
	if slices.ContainsFunc(h.svc.Index(false), func(e kserve.IndexEntry) bool { return e.Name == seg }) {
		return seg
	}
	return folder.Text(raw)
}

// escaped reports whether the client says that it escaped the names in the path, as the page of the API does: a browser
// cannot send most names otherwise (docs/triton/http.md, "Paths").
func (c *call) escaped() bool { return c.r.Header.Get("Conch-Names") == "escaped" }

// unescape decodes the names in the path. What is not well escaped stays.
func (c *call) unescape() {
	for _, name := range []*string{&c.model, &c.repository, &c.region} {
		if raw, err := url.PathUnescape(*name); err == nil {
			*name = folder.Text(raw)
		}
	}
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

type handler struct {
	svc    kserve.Service
	opts   Options
	routes *node
	known  *jsondoc.Known // the texts of inferences
}

// ServeHTTP finds the endpoint by the path as it was sent, without the query (docs/triton/http.md,
// "Paths").
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{w: w, r: r, account: h.opts.Memory.Open(), refusals: h.opts.Refusals}
	defer c.account.Close()
	path, ok := strings.CutPrefix(sentPath(r), "/v2")
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
		if c.escaped() {
			c.unescape()
		}
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

// sentPath returns a request's path as it was sent. EscapedPath encodes what a client should have encoded, such as the
// bytes of a name that is not ASCII. Bytes that are not UTF-8 stay encoded: names are text in all answers.
func sentPath(r *http.Request) string {
	path, _, _ := strings.Cut(r.RequestURI, "?")
	if strings.HasPrefix(path, "/") && utf8.ValidString(path) {
		return path
	}
	return r.URL.EscapedPath()
}

// allows reports whether a request may use its API: it has the required header, or the API is not
// restricted (docs/triton/http.md, "Restricted APIs").
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

// lasting returns the request's context without its end. A request over HTTP goes on when its
// client has left (docs/triton/http.md, "Paths"), and it is counted.
func (c *call) lasting() context.Context { return context.WithoutCancel(c.r.Context()) }
