package httpapi

import (
	"net/http"

	"conch/engine/infer"
	"conch/engine/kserve/httpapi/jsondoc"
	"conch/engine/kserve/region"
)

// registering is how a kind of region is registered, and the schema of the request.
type registering struct {
	run     func(*handler, *call) error
	request string
}

// addRegions adds the calls for shared memory (docs/triton/http.md, "Shared memory").
func (t *table) addRegions() {
	for kind, register := range map[region.Kind]registering{
		region.System: {(*handler).registerRegion, "RegisterRegion"}, region.CUDA: {(*handler).registerCUDARegion, "RegisterCUDARegion"},
	} {
		base := "/" + string(kind) + "sharedmemory"
		for _, path := range []string{base, base + "/region/{region}"} {
			t.get(path+"/status", regionStatus(kind), about{summary: "the regions of " + string(kind) + " shared memory", answer: "Regions"})
			t.post(path+"/register", register.run, about{summary: "register a region of " + string(kind) + " shared memory", request: register.request})
			t.post(path+"/unregister", unregisterRegion(kind), about{summary: "forget regions of " + string(kind) + " shared memory"})
		}
	}
}

func regionStatus(kind region.Kind) func(*handler, *call) error {
	return func(h *handler, c *call) error {
		list, err := h.opts.Regions.Status(kind, c.region)
		if err != nil {
			return err
		}
		var b jsondoc.Builder
		b.Begin('[')
		for _, r := range list {
			b.Begin('{')
			b.Member("name", r.Name)
			b.Member("key", r.Key)
			b.Key("offset")
			b.Uint(r.Offset)
			b.Key("byte_size")
			b.Uint(r.Size)
			b.End('}')
		}
		b.End(']')
		c.json(b.Bytes)
		return nil
	}
}

func (h *handler) registerRegion(c *call) error {
	if err := h.opts.Regions.Enabled(); err != nil {
		return err
	}
	if c.region == "" {
		return infer.Errorf(infer.InvalidArg, "'region name' is necessary to register system shared memory region")
	}
	text, err := h.readText(c)
	if err != nil {
		return err
	}
	doc, err := c.parse(text) // an empty body is no JSON, unlike in a load
	if err != nil {
		return err
	}
	key, offset, size, err := readRegion(doc)
	if err == nil {
		err = h.opts.Regions.Register(c.region, key, offset, size)
	}
	if err != nil {
		return err
	}
	c.empty(http.StatusOK, typeJSON)
	return nil
}

// readRegion reads the body of a registration.
func readRegion(doc *jsondoc.Value) (key string, offset, size uint64, err error) {
	v, ok := doc.Find("key")
	if !ok {
		return "", 0, 0, infer.Errorf(infer.InvalidArg, "Shared memory register request has no 'key' field")
	}
	if key, err = v.Text(); err != nil {
		return "", 0, 0, infer.Errorf(infer.Internal, "%v", err)
	}
	if v, ok = doc.Find("offset"); ok {
		if offset, err = v.Uint(); err != nil {
			return "", 0, 0, infer.Errorf(infer.Internal, "%v", err)
		}
	}
	if v, ok = doc.Find("byte_size"); !ok {
		return "", 0, 0, infer.Errorf(infer.InvalidArg, "Shared memory register request has no 'byte_size' field")
	}
	if size, err = v.Uint(); err != nil {
		return "", 0, 0, infer.Errorf(infer.Internal, "%v", err)
	}
	return key, offset, size, nil
}

func (h *handler) registerCUDARegion(c *call) error {
	if err := h.opts.Regions.Enabled(); err != nil {
		return err
	}
	if c.region == "" {
		return infer.Errorf(infer.InvalidArg, "'region name' is necessary to register cuda shared memory region")
	}
	return h.opts.Regions.RegisterCUDA(c.region)
}

func unregisterRegion(kind region.Kind) func(*handler, *call) error {
	return func(h *handler, c *call) error {
		if err := h.opts.Regions.Unregister(kind, c.region); err != nil {
			return err
		}
		c.empty(http.StatusOK, typeJSON)
		return nil
	}
}
