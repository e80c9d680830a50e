package httpapi

import (
	"net/http"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/httpapi/jsondoc"
)

func (h *handler) serverMetadata(c *call) error {
	var b jsondoc.Builder
	b.Begin('{')
	b.Member("name", h.opts.Server.Name)
	b.Member("version", h.opts.Server.Version)
	b.Strings("extensions", kserve.Extensions())
	b.End('}')
	c.json(b.Bytes)
	return nil
}

func (h *handler) modelMetadata(c *call) error {
	version, err := c.versionOf()
	if err != nil {
		return err
	}
	meta, err := h.svc.Metadata(c.model, version)
	if err != nil {
		return err
	}
	var b jsondoc.Builder
	b.Begin('{')
	b.Member("name", meta.Name)
	b.Strings("versions", meta.Versions)
	b.Member("platform", meta.Platform)
	writeTensors(&b, "inputs", meta.Inputs)
	writeTensors(&b, "outputs", meta.Outputs)
	b.End('}')
	c.json(b.Bytes)
	return nil
}

func writeTensors(b *jsondoc.Builder, name string, tensors []kserve.TensorMetadata) {
	b.Key(name)
	b.Begin('[')
	for i := range tensors {
		b.Begin('{')
		b.Member("name", tensors[i].Name)
		b.Member("datatype", tensors[i].Datatype)
		b.Ints("shape", tensors[i].Shape)
		b.End('}')
	}
	b.End(']')
}

func (h *handler) modelConfig(c *call) error {
	version, err := c.versionOf()
	if err != nil {
		return err
	}
	cfg, err := h.svc.Config(c.model, version)
	if err != nil {
		return err
	}
	text, err := modelconfig.MarshalJSON(cfg)
	if err != nil {
		return infer.Errorf(infer.Internal, "failed to write the configuration of model '%s' as JSON: %v", c.model, err)
	}
	c.json(text)
	return nil
}

// live answers the liveness probe: 200, or 400 without a body (docs/triton/http.md, "Routes").
func (h *handler) live(c *call) error {
	c.probe(h.svc.Live())
	return nil
}

// ready answers the readiness probe.
func (h *handler) ready(c *call) error {
	c.probe(h.svc.Ready(c.r.Context()))
	return nil
}

func (c *call) probe(ok bool) {
	if ok {
		c.empty(http.StatusOK, typePlain)
		return
	}
	c.empty(http.StatusBadRequest, typePlain)
}

// modelReady reports whether a model, or a version of it, is ready; an unknown model is not
// (docs/triton/http.md, "Routes").
func (h *handler) modelReady(c *call) error {
	version, err := c.versionOf()
	if err != nil {
		return asPlain(err)
	}
	ready, err := h.svc.ModelReady(c.r.Context(), c.model, version)
	if err != nil && infer.CodeOf(err) != infer.NotFound {
		return asPlain(err)
	}
	if !ready {
		return asPlain(infer.Errorf(infer.InvalidArg, "Model version not ready"))
	}
	c.empty(http.StatusOK, typePlain)
	return nil
}
