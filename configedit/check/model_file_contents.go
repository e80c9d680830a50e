package check

import (
	"conch/configedit/backends"
	"conch/configedit/rule"
)

// contents checks the first bytes of a model file. It returns false if it reported something. checkONNX checks the
// contents of ONNX files, and checkPythonFile those of Python programs.
func (c modelFiles) contents(rel string) bool {
	f := c.m.Folder
	_, plain := f.sizeOf(rel)
	if f.Size == nil || f.Open == nil {
		return true
	}
	span := c.name("default_model_filename")
	if special := f.special(rel); special != nil {
		c.report(finding{
			rule: rule.ORT0, span: span, unsaid: true, message: say("%s cannot be opened: %s", rel, special),
		})
		return false
	}
	switch {
	case c.cfg.GetBackend() == backends.ONNXRuntime && !plain && !f.hasFile(rel+"/"+backends.ONNX.Inside):
		c.report(finding{
			rule: rule.ORT0, span: span, status: rule.Unavailable,
			args: values(c.place(rel+"/"+backends.ONNX.Inside), c.cfg.GetName()), also: 1,
			message: say("%s is neither a file nor a folder with a %s in it", rel, backends.ONNX.Inside),
		})
		return false
	case c.cfg.GetPlatform() == backends.SavedModel.Platform && !f.hasFile(rel+"/"+backends.SavedModel.Inside) && !f.hasFile(rel+"/saved_model.pbtxt"):
		c.report(finding{
			rule: rule.FILE, span: span,
			message: say("%s is not a saved model: it holds no %s", rel, backends.SavedModel.Inside),
		})
		return false
	}
	return true
}
