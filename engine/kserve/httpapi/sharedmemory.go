package httpapi

import "conch/engine/kserve"

// addUnsupported adds the calls for shared memory, which answer like a server with shared memory
// switched off (docs/triton/http.md, "Shared memory").
func (t *table) addUnsupported() {
	for _, kind := range []string{"system", "cuda"} {
		base := "/" + kind + "sharedmemory"
		t.get(base+"/status", (*handler).noRegions)
		t.get(base+"/region/{region}/status", noRegion(kind))
		t.post(base+"/region/{region}/register", (*handler).noSharedMemory)
		t.post(base+"/region/{region}/unregister", (*handler).noSharedMemory)
		t.post(base+"/unregister", (*handler).noSharedMemory)
	}
}

func (h *handler) noRegions(c *call) error {
	c.json([]byte("[]"))
	return nil
}

func noRegion(kind string) func(*handler, *call) error {
	return func(_ *handler, c *call) error {
		return kserve.NoRegion(kind, c.region)
	}
}

func (h *handler) noSharedMemory(*call) error { return kserve.NoSharedMemory() }
