package check

import (
	"strings"

	"conch/configedit/derive"
	"conch/configedit/diag"
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
	switch {
	case c.cfg.GetBackend() == "onnxruntime" && !plain && !f.hasFile(rel+"/model.onnx"):
		c.found = append(c.found, finding{stage: stageInstance, word: derive.Unavailable, Diagnostic: diag.Diagnostic{
			Code: "ORT0", Span: span, Message: say("%s is no file, and no folder with a model.onnx in it", rel),
			Triton: triton("unable to find '%s' for model instance '%s'", c.place(rel+"/model.onnx"), c.cfg.GetName()),
		}})
		return false
	case c.cfg.GetPlatform() == "tensorflow_savedmodel" && !f.hasFile(rel+"/saved_model.pb") && !f.hasFile(rel+"/saved_model.pbtxt"):
		c.add(stageNever, diag.Diagnostic{
			Severity: diag.Warning, Code: "FILE", Span: span, Message: say("%s is no saved model: it holds no saved_model.pb", rel),
		})
		return false
	case c.cfg.GetPlatform() == "pytorch_libtorch" && c.cfg.GetRuntime() == "" && plain:
		return c.torchArchive(rel, span)
	}
	return true
}

// torchArchive: PT1. TorchScript is a zip archive; what torch.save writes of a model's weights alone was a plain
// pickle until version 1.6 and then is an archive too, which only its index would tell apart.
func (c *checker) torchArchive(rel string, span diag.Span) bool {
	head := string(c.m.Folder.Read(rel, len(zipMagic)))
	if head == "" || strings.HasPrefix(head, zipMagic) {
		return true
	}
	c.add(stageNever, diag.Diagnostic{
		Severity: diag.Warning, Code: "PT1", Span: span,
		Message: say("%s is no TorchScript archive, which torch.jit.save writes; torch.save of a model or its weights does not make one", rel),
	})
	return false
}

const zipMagic = "PK\x03\x04"
