package httpapi

import (
	"encoding/base64"
	"net/http"
	"strings"

	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/httpapi/jsondoc"
)

// repositoryIndex lists the repository. A repository's name in the path changes nothing
// (docs/triton/http.md, "Routes").
func (h *handler) repositoryIndex(c *call) error {
	doc, err := h.readDocument(c)
	if err != nil {
		return err
	}
	ready := false
	if v, ok := doc.Find("ready"); ok {
		if ready, err = v.Bool(); err != nil {
			return infer.Errorf(infer.Internal, "%v", err)
		}
	}
	c.json(indexDocument(h.svc.Index(ready)))
	return nil
}

func indexDocument(entries []kserve.IndexEntry) []byte {
	var b jsondoc.Builder
	b.Begin('[')
	for i := range entries {
		e := &entries[i]
		b.Begin('{')
		b.Member("name", e.Name)
		for _, m := range [...]struct{ name, text string }{{"version", e.Version}, {"state", e.State}, {"reason", e.Reason}} {
			if m.text != "" {
				b.Member(m.name, m.text)
			}
		}
		b.End('}')
	}
	b.End(']')
	return b.Bytes
}

func (h *handler) load(c *call) error {
	if err := c.refuseRepository(); err != nil {
		return err
	}
	doc, err := h.readDocument(c)
	if err != nil {
		return err
	}
	opts, err := c.loadOptions(doc)
	if err != nil {
		return err
	}
	if err := h.svc.Load(c.lasting(), c.model, opts); err != nil {
		return err
	}
	c.empty(http.StatusOK, typeJSON)
	return nil
}

func (c *call) refuseRepository() error {
	if c.repository != "" {
		return infer.Errorf(infer.Unsupported, "'repository_name' specification is not supported")
	}
	return nil
}

// loadOptions reads the parameters of a load (docs/triton/http.md, "Repository extension").
func (c *call) loadOptions(doc *jsondoc.Value) (kserve.LoadOptions, error) {
	var opts kserve.LoadOptions
	params, ok := doc.Find("parameters")
	if !ok {
		return opts, nil
	}
	members, err := params.Members()
	if err != nil {
		return opts, infer.Errorf(infer.Internal, "%v", err)
	}
	for i := range members {
		if err := c.account.Grow(2 * int64(members[i].Value.Size())); err != nil { // the text and the file
			return opts, err
		}
		if err := addLoadOption(&opts, &members[i]); err != nil {
			return opts, err
		}
	}
	return opts, nil
}

func addLoadOption(opts *kserve.LoadOptions, m *jsondoc.Member) error {
	text, err := m.Value.Text()
	if err != nil {
		return infer.Errorf(infer.Internal, "%v", err)
	}
	if m.Name == "config" {
		opts.Config = kserve.ClientsConfig(text)
		return nil
	}
	path, isFile := strings.CutPrefix(m.Name, "file:")
	if !isFile {
		return infer.Errorf(infer.Internal, "unexpected error on creating Triton parameter")
	}
	if opts.Files == nil {
		opts.Files = map[string][]byte{}
	}
	opts.Files[path], err = decodeBase64(text)
	if err != nil {
		return infer.Errorf(infer.InvalidArg, "failed to decode the Base64 text of '%s'", m.Name)
	}
	return nil
}

// decodeBase64 decodes text with and without padding.
func decodeBase64(text string) ([]byte, error) {
	return base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
}

func (h *handler) unload(c *call) error {
	if err := c.refuseRepository(); err != nil {
		return err
	}
	var opts kserve.UnloadOptions
	// Triton ignores a body that it cannot read (docs/triton/http.md, "Repository extension").
	if doc, err := h.readDocument(c); err == nil {
		if params, ok := doc.Find("parameters"); ok {
			if v, ok := params.Find("unload_dependents"); ok {
				opts.Dependents, _ = v.Bool()
			}
		}
	}
	if err := h.svc.Unload(c.lasting(), c.model, opts); err != nil {
		return err
	}
	c.empty(http.StatusOK, typeJSON)
	return nil
}
