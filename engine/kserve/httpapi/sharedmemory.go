package httpapi

import (
	"encoding/base64"
	"math"
	"net/http"

	"conch/engine/infer"
	"conch/engine/kserve/httpapi/jsondoc"
	"conch/engine/kserve/region"
)

// registering is how a kind of region is registered, and the schema of the request.
type registering struct {
	run     func(regions *region.Regions, name string, doc *jsondoc.Value) error
	request string
}

// addRegions adds the calls for shared memory (docs/triton/http.md, "Shared memory").
func (t *table) addRegions() {
	for kind, register := range map[region.Kind]registering{
		region.System: {registerSystem, "RegisterRegion"}, region.CUDA: {registerCUDA, "RegisterCUDARegion"},
	} {
		base := "/" + string(kind) + "sharedmemory"
		for _, path := range []string{base, base + "/region/{region}"} {
			t.get(path+"/status", regionStatus(kind), about{summary: "the regions of " + string(kind) + " shared memory", answer: "Regions"})
			t.post(path+"/register", registerRegion(kind, register.run), about{summary: "register a region of " + string(kind) + " shared memory", request: register.request})
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
			if kind == region.CUDA {
				b.Key("device_id")
				b.Uint(r.Device)
			} else {
				b.Member("key", r.Key)
				b.Key("offset")
				b.Uint(r.Offset)
			}
			b.Key("byte_size")
			b.Uint(r.Size)
			b.End('}')
		}
		b.End(']')
		c.json(b.Bytes)
		return nil
	}
}

// registerRegion registers a region of a kind; register reads the body.
func registerRegion(kind region.Kind, register func(regions *region.Regions, name string, doc *jsondoc.Value) error) func(*handler, *call) error {
	return func(h *handler, c *call) error {
		if err := h.opts.Regions.Enabled(); err != nil {
			return err
		}
		if c.region == "" {
			return infer.Errorf(infer.InvalidArg, "'region name' is necessary to register %s shared memory region", kind)
		}
		doc, err := h.readRegistration(c)
		if err != nil {
			return err
		}
		if err := register(h.opts.Regions, c.region, doc); err != nil {
			return err
		}
		c.empty(http.StatusOK, typeJSON)
		return nil
	}
}

// readRegistration reads a body. An empty one is no JSON, unlike in a load.
func (h *handler) readRegistration(c *call) (*jsondoc.Value, error) {
	text, err := h.readText(c)
	if err != nil {
		return nil, err
	}
	return c.parse(text)
}

// registerSystem reads the registration of system shared memory.
func registerSystem(regions *region.Regions, name string, doc *jsondoc.Value) error {
	key, offset, size, err := readRegion(doc)
	if err != nil {
		return err
	}
	return regions.Register(name, key, offset, size)
}

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

// registerCUDA reads the registration of CUDA shared memory.
func registerCUDA(regions *region.Regions, name string, doc *jsondoc.Value) error {
	handle, device, size, err := readGPURegion(doc)
	if err != nil {
		return err
	}
	return regions.RegisterCUDA(name, handle, device, size)
}

// readGPURegion reads in Triton's order.
func readGPURegion(doc *jsondoc.Value) (handle []byte, device int64, size uint64, err error) {
	raw, ok := doc.Find("raw_handle")
	if !ok {
		return nil, 0, 0, infer.Errorf(infer.InvalidArg, "Shared memory register request has no 'raw_handle' field")
	}
	text, err := raw.GetString("b64")
	if err == nil {
		size, err = unsigned(doc, "byte_size")
	}
	number := uint64(0)
	if err == nil {
		number, err = unsigned(doc, "device_id")
	}
	if err != nil {
		return nil, 0, 0, infer.Errorf(infer.Internal, "%v", err)
	}
	// Damaged base64 makes a handle of the wrong length, which is refused.
	handle, _ = base64.StdEncoding.DecodeString(text)
	return handle, int64(min(number, math.MaxInt64)), size, nil
}

func unsigned(object *jsondoc.Value, name string) (uint64, error) {
	v, err := object.Get(name)
	if err != nil {
		return 0, err
	}
	return v.Uint()
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
