package httpapi

import (
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
