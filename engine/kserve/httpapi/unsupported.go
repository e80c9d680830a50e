package httpapi

import (
	"net/http"

	"conch/engine/infer"
)

// addUnsupported routes the extensions that answer as a Triton does in which they are switched off (A12).
func addUnsupported(root *node) {
	add := func(method, path string, run func(*handler, *call) error) {
		root.add(path, &endpoint{method: method, run: run})
	}
	for _, kind := range []string{"system", "cuda"} {
		base := "/" + kind + "sharedmemory"
		add(http.MethodGet, base+"/status", (*handler).noRegions)
		add(http.MethodGet, base+"/region/{region}/status", noRegion(kind))
		add(http.MethodPost, base+"/region/{region}/register", (*handler).noSharedMemory)
		add(http.MethodPost, base+"/region/{region}/unregister", (*handler).noSharedMemory)
		add(http.MethodPost, base+"/unregister", (*handler).noSharedMemory)
	}
	for _, path := range []string{"/trace/setting", "/models/{model}/trace/setting"} {
		root.add(path, &endpoint{run: (*handler).noTrace})
	}
	root.add("/logging", &endpoint{run: (*handler).noLogging})
}

func (h *handler) noRegions(c *call) error {
	c.json([]byte("[]"))
	return nil
}

func noRegion(kind string) func(*handler, *call) error {
	return func(_ *handler, c *call) error {
		return infer.Errorf(infer.NotFound, "Unable to find %s shared memory region: '%s'", kind, c.region)
	}
}

func (h *handler) noSharedMemory(*call) error {
	return infer.Errorf(infer.Unsupported, "the server does not support shared memory of clients")
}

func (h *handler) noTrace(c *call) error {
	return infer.Errorf(infer.Unavailable, "the server does not support tracing")
}

func (h *handler) noLogging(*call) error {
	return infer.Errorf(infer.Unavailable, "the server does not support dynamic logging")
}
