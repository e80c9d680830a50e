package check

import (
	"conch/configedit/backends"
	"conch/configedit/diag"
	"conch/configedit/rule"
)

// contents looks into a model file as far as its first bytes tell; false when something was said about it. The
// contents of ONNX files are checkONNX's, those of Python programs checkPythonFile's.
func (c *checker) contents(rel string) bool {
	f := c.m.Folder
	_, plain := f.sizeOf(rel)
	if f.Size == nil || f.Read == nil {
		return true
	}
	span := c.name("default_model_filename")
	if special := f.special(rel); special != nil {
		c.keep(kept{stage: rule.Instance, status: rule.Internal, Diagnostic: diag.Diagnostic{
			Code: "ORT0", Span: span, Message: say("%s cannot be opened: %s", rel, special),
		}})
		return false
	}
	switch {
	case c.cfg.GetBackend() == backends.ONNXRuntime && !plain && !f.hasFile(rel+"/"+backends.ONNX.Inside):
		c.keep(kept{stage: rule.Instance, status: rule.Unavailable, Diagnostic: diag.Diagnostic{
			Code: "ORT0", Span: span, Message: say("%s is no file, and no folder with a %s in it", rel, backends.ONNX.Inside),
			Triton: triton("unable to find '%s' for model instance '%s'", c.place(rel+"/"+backends.ONNX.Inside), c.cfg.GetName()),
		}})
		return false
	case c.cfg.GetPlatform() == backends.SavedModel.Platform && !f.hasFile(rel+"/"+backends.SavedModel.Inside) && !f.hasFile(rel+"/saved_model.pbtxt"):
		c.add(rule.Never, diag.Diagnostic{
			Severity: diag.Warning, Code: "FILE", Span: span, Message: say("%s is no saved model: it holds no %s", rel, backends.SavedModel.Inside),
		})
		return false
	}
	return true
}
