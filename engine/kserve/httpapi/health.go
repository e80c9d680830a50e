package httpapi

import (
	"net/http"

	"conch/engine/infer"
)

// live answers the liveness probe: 200, or 400 without a body (docs/triton/http.md, "Routes").
func (h *handler) live(c *call) error {
	c.probe(h.svc.Live())
	return nil
}

// ready answers the readiness probe.
func (h *handler) ready(c *call) error {
	c.probe(h.svc.Ready())
	return nil
}

func (c *call) probe(ok bool) {
	if ok {
		c.empty(http.StatusOK, typePlain)
		return
	}
	c.empty(http.StatusBadRequest, typePlain)
}

// modelReady says whether a model, or a version of it, is ready; an unknown one is not
// (docs/triton/http.md, "Routes").
func (h *handler) modelReady(c *call) error {
	version, err := c.versionOf()
	if err != nil {
		return asPlain(err)
	}
	ready, err := h.svc.ModelReady(c.model, version)
	if err != nil && infer.CodeOf(err) != infer.NotFound {
		return asPlain(err)
	}
	if !ready {
		return asPlain(infer.Errorf(infer.InvalidArg, "Model version not ready"))
	}
	c.empty(http.StatusOK, typePlain)
	return nil
}
