package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"conch/engine/infer"
	"conch/engine/kserve/httpapi/openapi"
)

// addDocuments adds the OpenAPI documents and the page that shows them (docs/triton/http.md, "OpenAPI").
func (t *table) addDocuments() {
	t.get("/openapi.json", (*handler).serverDocument, about{summary: "this API as an OpenAPI document", answer: "Document"})
	for _, model := range models {
		t.get(model+"/openapi.json", (*handler).modelDocument, about{summary: "the API of a model, with its types and shapes", answer: "Document"})
	}
	for i, file := range openapi.Files {
		path := "/docs"
		if i > 0 {
			path += "/" + file.Name
		}
		t.get(path, page(file), about{summary: "a page to read and try this API in"})
	}
}

func (h *handler) serverDocument(c *call) error {
	return c.document(openapi.Server(h.opts.Server, h.routes.list()))
}

func (h *handler) modelDocument(c *call) error {
	version, err := c.versionOf()
	if err != nil {
		return err
	}
	config, err := h.svc.Config(c.model, version)
	if err != nil {
		return err
	}
	return c.document(openapi.Model(h.opts.Server, h.routes.list(), config, c.version))
}

func (c *call) document(text []byte, err error) error {
	if err != nil {
		return infer.Errorf(infer.Internal, "write the OpenAPI document: %v", err)
	}
	c.json(text)
	return nil
}

// page returns the endpoint of a file of the page.
func page(file openapi.File) func(*handler, *call) error {
	return func(_ *handler, c *call) error {
		text, err := file.Read()
		if err != nil {
			return infer.Errorf(infer.Internal, "read %s: %v", file.Name, err)
		}
		header := c.w.Header()
		header.Set("Content-Security-Policy", openapi.Policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		c.send(http.StatusOK, file.Type, text)
		return nil
	}
}

// list returns all routes, in the order of their paths.
func (n *node) list() (routes []openapi.Route) {
	n.walk("/v2", func(path string, e *endpoint) {
		methods := []string{e.method}
		if e.method == "" {
			methods = []string{http.MethodGet, http.MethodPost}
		}
		for _, method := range methods {
			r := openapi.Route{Method: method, Path: path, Group: e.category, Summary: e.about.summary, Request: e.about.request, Answer: e.about.answer}
			if method == http.MethodGet {
				r.Request = ""
			}
			routes = append(routes, r)
		}
	})
	slices.SortStableFunc(routes, func(a, b openapi.Route) int { return strings.Compare(a.Path, b.Path) })
	return routes
}

// walk visits all endpoints below n.
func (n *node) walk(path string, visit func(path string, e *endpoint)) {
	if n.endpoint != nil {
		visit(path, n.endpoint)
	}
	for segment, next := range n.exact {
		next.walk(path+"/"+segment, visit)
	}
	if n.param != nil {
		n.param.walk(path+"/"+n.param.name, visit)
	}
}
