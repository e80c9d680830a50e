package check

import (
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
	case c.cfg.GetBackend() == "onnxruntime" && !plain && !f.hasFile(rel+"/model.onnx"):
		c.keep(kept{stage: rule.Instance, status: rule.Unavailable, Diagnostic: diag.Diagnostic{
			Code: "ORT0", Span: span, Message: say("%s is no file, and no folder with a model.onnx in it", rel),
			Triton: triton("unable to find '%s' for model instance '%s'", c.place(rel+"/model.onnx"), c.cfg.GetName()),
		}})
		return false
	case c.cfg.GetPlatform() == "tensorflow_savedmodel" && !f.hasFile(rel+"/saved_model.pb") && !f.hasFile(rel+"/saved_model.pbtxt"):
		c.add(rule.Never, diag.Diagnostic{
			Severity: diag.Warning, Code: "FILE", Span: span, Message: say("%s is no saved model: it holds no saved_model.pb", rel),
		})
		return false
	}
	return true
}
