package check

import (
	"path"
	"strings"

	"conch/configedit/derive"
	"conch/configedit/diag"
	"conch/configedit/text"
)

// place is a file of the model as Triton's log names it.
func (c *checker) place(rel string) string {
	dir := c.m.Folder.Dir
	if dir == "" {
		dir = c.m.Name
	}
	return dir + "/" + rel
}

// checkLabels: L8.
func (c *checker) checkLabels() {
	if c.m.Folder == nil || c.m.Folder.Has == nil {
		return
	}
	for i, out := range c.cfg.GetOutput() {
		rel := strings.TrimPrefix(path.Clean("/"+out.LabelFilename), "/")
		if out.LabelFilename == "" || strings.Contains(out.LabelFilename, "..") || c.full() || c.m.Folder.Has(rel) {
			continue
		}
		span := c.span("output", i, "label_filename")
		better := guess(rel, c.m.Folder.Files)
		tail, fixes := didYouMean(out.LabelFilename, better, span, text.Quote(better))
		c.found = append(c.found, finding{stage: stageLabels, word: derive.Internal, Diagnostic: diag.Diagnostic{
			Code: "L8", Span: span, Message: say("the model's folder holds no label file %q", out.LabelFilename) + tail,
			Triton: triton("failed to open text file for read %s: No such file or directory", c.place(rel)),
			Fixes:  fixes,
		}})
	}
}

// checkModelFile looks for the file that the backend opens, in every version that is served: L25 and ORT0.
func (c *checker) checkModelFile() {
	name := c.cfg.GetDefaultModelFilename()
	if c.m.Folder == nil || c.m.Folder.Has == nil || name == "" ||
		strings.Contains(name, "..") || c.rejected || c.isEnsemble() {
		return
	}
	for _, version := range Served(c.m) {
		rel := say("%d/%s", version, name)
		if c.m.Folder.Has(rel) {
			continue
		}
		d := diag.Diagnostic{Span: c.name("default_model_filename"), Message: say("version %d has no file %s", version, name)}
		if c.has("default_model_filename") {
			d.Span = c.span("default_model_filename")
		}
		switch {
		case c.cfg.GetBackend() == "onnxruntime" && len(c.cfg.GetCcModelFilenames()) == 0:
			d.Code, d.Triton = "ORT0", triton("failed to stat file %s", c.place(rel))
			c.found = append(c.found, finding{Diagnostic: d, stage: stageInstance, word: derive.Internal})
		case c.cfg.GetBackend() == "python" && c.cfg.GetRuntime() == "":
			d.Code, d.Triton = "L25", triton("Failed to preinitialize Python stub: Python model file not found in '%s'", c.place(rel))
			c.found = append(c.found, finding{Diagnostic: d, stage: stageInstance, word: derive.Internal})
		case platforms[c.cfg.GetBackend()] != nil && len(c.cfg.GetCcModelFilenames()) == 0:
			d.Code, d.Severity = "FILE", diag.Warning
			c.add(stageNever, d)
		}
		return
	}
	if c.m.FileProblem != nil {
		c.found = append(c.found, finding{stage: stageInstance, word: derive.Internal, Diagnostic: diag.Diagnostic{
			Code: "ORT13", Span: c.name("default_model_filename"), Message: say("the model file cannot be read: %s", c.m.FileProblem),
			Triton: triton("onnx runtime error 7: Load model from %s failed:Protobuf parsing failed.", c.place(say("%d/%s", newest(c.m), name))),
		}})
	}
}
