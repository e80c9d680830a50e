package check

import (
	"conch/configedit/backends"
	"conch/configedit/release"
	"conch/configedit/rule"
)

// checkRelease reports what the chosen release of Triton does not have: REL1 to REL4.
func checkRelease(c *checker) {
	if r := c.m.Release; r != nil {
		c.newFields(r)
		c.goneBackend(r)
		c.newONNX(r)
	}
}

// newFields: REL1.
func (c *checker) newFields(r *release.Release) {
	for _, f := range release.Fields {
		if !r.Before(f.Since) || !c.has(f.Path...) {
			continue
		}
		name := f.Path[len(f.Path)-1]
		span := c.name(f.Path...)
		at := span.Start
		if next := c.m.Decoded.Doc.TokenAt(span.End); next < len(c.m.Decoded.Doc.Tokens) {
			at = c.m.Decoded.Doc.Tokens[next].Span.Start
		}
		line, col := c.m.Decoded.File.Told(at)
		c.report(finding{
			rule: rule.REL1, span: span, args: values(line, col, f.Message, name),
			message: say("Triton %s has no field %s; it came with %s", r.Name, name, f.Since),
		})
	}
}

// goneBackend: REL2, a backend that was removed.
func (c *checker) goneBackend(r *release.Release) {
	since := release.Without(c.cfg.GetBackend())
	if since == "" || r.Before(since) {
		return
	}
	c.report(finding{
		rule: rule.REL2, span: c.span("backend"),
		message: say("Triton %s has no backend %q; releases since %s do not have it", r.Name, c.cfg.GetBackend(), since),
	})
}

// newONNX: REL3 and REL4.
func (c *checker) newONNX(r *release.Release) {
	m := c.m.Facts.ONNX
	if m == nil || c.cfg.GetBackend() != backends.ONNXRuntime {
		return
	}
	library := r.Library()
	if m.IRVersion > library.IR {
		c.tooNew(r, say("version %d of the ONNX file format, and its ONNX Runtime %s reads up to %d", m.IRVersion, library.Version, library.IR))
	}
	for _, set := range m.Opsets {
		if set.Domain != "" && set.Domain != "ai.onnx" {
			continue
		}
		if set.Version > library.Opset {
			c.tooNew(r, say("operator set %d, and its ONNX Runtime %s has them up to %d", set.Version, library.Version, library.Opset))
		}
		c.operators(r, set.Version)
	}
}

func (c *checker) tooNew(r *release.Release, what string) {
	c.report(finding{
		rule: rule.REL3, span: c.top(), unsaid: true,
		message: say("the model is too new for Triton %s: it needs %s", r.Name, what),
	})
}

// operators: REL4. It is an error only if the type of the operator's input is known.
func (c *checker) operators(r *release.Release, opset int64) {
	for _, o := range release.Operators {
		if !r.Before(o.Since) || opset < o.Opset {
			continue
		}
		for _, used := range c.m.Facts.ONNX.Operators {
			if used.Name != o.Name || used.Type != 0 && used.Type != o.Number {
				continue
			}
			c.report(finding{
				rule: rule.REL4, span: c.top(), args: values(o.Name, o.Opset, used.Node), perhaps: used.Type == 0,
				message: say("the model uses %s of operator set %d; ONNX Runtime %s in Triton %s does not have it for %s", o.Name, o.Opset,
					r.ONNXRuntime, r.Name, o.Type),
			})
		}
	}
}
