package check

import (
	"errors"
	"path"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/diag"
	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
	"conch/configedit/rule"
	"conch/configedit/text"
)

// place returns a file of the model as Triton's log names it.
func (c *checker) place(rel string) string {
	dir := c.m.Name
	if c.m.Folder != nil && c.m.Folder.Dir != "" {
		dir = c.m.Folder.Dir
	}
	return dir + "/" + rel
}

// missingFile reports a file that is missing in the model's folder.
func (c *checker) missingFile(r *rule.Rule, path []any, rel string) {
	span := c.span(path...)
	tail, fixes := "", []diag.Fix(nil)
	if folder, base := splitFolder(rel); c.m.Folder != nil {
		if better := guess(base, within(c.m.Folder.Files, folder)); better != "" {
			tail, fixes = didYouMean(base, better, span, text.Quote(better))
		}
	}
	c.report(finding{
		rule: r, span: span, args: values(c.place(rel)),
		message: say("the model's folder holds no file %q", rel) + tail, fixes: fixes,
	})
}

// splitFolder splits a path after its first folder.
func splitFolder(rel string) (folder, rest string) {
	i := strings.IndexByte(rel, '/') + 1
	return rel[:i], rel[i:]
}

// within returns the files of a folder, relative to it.
func within(files []string, folder string) []string {
	var out []string
	for _, f := range files {
		if rest, ok := strings.CutPrefix(f, folder); ok {
			out = append(out, rest)
		}
	}
	return out
}

// tooShort compares a file's size with the size of a tensor. Strings have no fixed size.
func (c *checker) tooShort(rel string, typ modelconfig.DataType, dims []int64) (need, have int64, short bool) {
	have, known := c.m.Folder.sizeOf(rel)
	count := elements(dims)
	if !known || count < 0 || typ == modelconfig.DataType_TYPE_STRING {
		return 0, 0, false
	}
	need = count * bytesOf[typ]
	return need, have, have < need
}

// bytesOf are the sizes of elements (docs/triton/requests.md, "Data types").
var bytesOf = map[modelconfig.DataType]int64{
	modelconfig.DataType_TYPE_BOOL: 1, modelconfig.DataType_TYPE_UINT8: 1, modelconfig.DataType_TYPE_INT8: 1,
	modelconfig.DataType_TYPE_UINT16: 2, modelconfig.DataType_TYPE_INT16: 2, modelconfig.DataType_TYPE_FP16: 2, modelconfig.DataType_TYPE_BF16: 2,
	modelconfig.DataType_TYPE_UINT32: 4, modelconfig.DataType_TYPE_INT32: 4, modelconfig.DataType_TYPE_FP32: 4,
	modelconfig.DataType_TYPE_UINT64: 8, modelconfig.DataType_TYPE_INT64: 8, modelconfig.DataType_TYPE_FP64: 8,
}

// modelFile returns the file that the backend opens. The PyTorch backend knows its file's name, although
// Triton does not fill it in if a config names the platform (docs/triton/completion.md, "Backend
// and platform").
func (c *checker) modelFile() string {
	if c.cfg.GetDefaultModelFilename() == "" && c.cfg.GetPlatform() == backends.TorchScript.Platform && c.cfg.GetBackend() == backends.PyTorch {
		return backends.TorchScript.File
	}
	return c.cfg.GetDefaultModelFilename()
}

// namesModelFile reports whether the backend opens a file whose name is known, in each version folder.
func (c *checker) namesModelFile() bool {
	name := c.modelFile()
	return name != "" && !strings.Contains(name, "..") && !c.rejected && !c.isEnsemble()
}

// module reports whether the PyTorch backend runs a class of a Python program, and looks for that program besides the file that the
// config names.
func (c *checker) module() bool {
	return c.cfg.GetBackend() == backends.PyTorch && c.cfg.GetRuntime() == backends.PythonRuntime
}

// modelFiles checks the files that backends open.
type modelFiles struct{ *checker }

// checkModelFile looks for the file that the backend opens, in every version that is served: L25, ORT0 and PT0.
func checkModelFile(base *checker) {
	c := modelFiles{base}
	name := c.modelFile()
	if c.m.Folder == nil || c.m.Folder.Has == nil || !c.namesModelFile() {
		return
	}
	for _, version := range Served(c.m) {
		rel := say("%d/%s", version, name)
		if c.m.Folder.unread(rel) {
			continue
		}
		if c.m.Folder.Has(rel) {
			if c.contents(rel) {
				continue
			}
			return
		}
		if c.module() {
			program := say("%d/%s", version, backends.PythonProgram.File)
			if c.m.Folder.Has(program) || c.m.Folder.unread(program) {
				continue
			}
			name, rel = backends.PythonProgram.File, program
		}
		d := finding{span: c.name("default_model_filename"), message: say("version %d has no file %s", version, name), missing: rel, fixes: c.renamedModel(version, name)}
		if c.has("default_model_filename") {
			d.span = c.span("default_model_filename")
		}
		switch {
		case c.cfg.GetBackend() == backends.ONNXRuntime && len(c.cfg.GetCcModelFilenames()) == 0:
			d.rule, d.args = rule.ORT0, values(c.place(rel))
			c.report(d)
		case c.torchScript() && len(c.cfg.GetCcModelFilenames()) == 0:
			d.rule, d.args = rule.PT0, values(c.place(rel), c.cfg.GetName())
			c.report(d)
		case c.cfg.GetBackend() == backends.Python && c.cfg.GetRuntime() == "":
			d.rule, d.args, d.fixes = rule.L25, values(c.place(rel)), append(d.fixes, c.firstProgram(version)...)
			c.report(d)
		case c.cfg.GetBackend() != backends.Python && backends.Named(c.cfg.GetBackend()).Formats != nil && len(c.cfg.GetCcModelFilenames()) == 0:
			d.rule = rule.FILE
			c.report(d)
		}
		return
	}
	c.externalFiles(name)
	if c.m.FileProblem != nil && c.m.Facts.ONNX == nil && c.cfg.GetBackend() == backends.ONNXRuntime {
		c.notONNX(c.place(say("%d/%s", newest(c.m), name)))
	}
}

// renamedModel gives the only file of a version that can be its model the name that the backend opens.
func (c modelFiles) renamedModel(version int64, name string) []diag.Fix {
	_, wanted, known := backends.OfEnding(name)
	if !known || wanted.Form == backends.Folder || wanted.Weights != "" || c.m.Name == "" || c.m.Folder.Within == nil {
		return nil
	}
	var models []string
	for _, file := range c.m.Folder.Within(version) {
		if _, format, known := backends.OfEnding(file); known && format == wanted {
			models = append(models, file)
		}
	}
	if len(models) != 1 || strings.Contains(models[0], "/") {
		return nil
	}
	at := say("%s/%d/", c.m.Name, version)
	return []diag.Fix{{
		Title: say("rename %d/%s to %s", version, models[0], name),
		Edits: []diag.Edit{{File: at + name, From: at + models[0]}},
	}}
}

// noGraph is the place in the source of ONNX Runtime 1.19, the one of Triton 24.10, that refuses a model without a
// graph. Other releases name another line.
const noGraph = "/onnxruntime_src/onnxruntime/core/graph/model.cc:165 onnxruntime::Model::Model(onnx::ModelProto&&, " +
	"const onnxruntime::PathString&, const onnxruntime::IOnnxRuntimeOpSchemaRegistryList*, " +
	"const onnxruntime::logging::Logger&, const onnxruntime::ModelOptions&)"

// notONNX: ORT13, a model file that ONNX Runtime cannot read.
func (c modelFiles) notONNX(file string) {
	f := finding{
		rule: rule.ORT13, span: c.name("default_model_filename"), args: values(file),
		message: say("the model file cannot be read: %s", c.m.FileProblem),
	}
	var broken *modelfile.Error
	if errors.As(c.m.FileProblem, &broken) && broken.Graphless {
		f.also, f.args = 1, values(file, noGraph)
	}
	c.report(f)
}

// externalFiles: ORT14, files with weights that an ONNX model names but that are not beside it. The sentence is the one
// of ONNX Runtime 1.31; older releases have another one.
func (c modelFiles) externalFiles(name string) {
	if c.m.Facts.ONNX == nil || c.cfg.GetBackend() != backends.ONNXRuntime {
		return
	}
	rel := say("%d/%s", newest(c.m), name)
	dir := path.Dir(rel)
	if c.m.Folder.Has(rel + "/" + backends.ONNX.Inside) {
		dir = rel
	}
	for _, file := range c.m.Facts.ONNX.ExternalFiles {
		at := path.Join(dir, file)
		if path.IsAbs(file) || folder.Outside(file) || strings.HasPrefix(file, "*") || c.m.Folder.hasFile(at) || c.full() {
			continue
		}
		c.report(finding{
			rule: rule.ORT14, span: c.name("default_model_filename"), args: values(c.place(at)),
			message: say("the model keeps weights in %q, which is not beside it: copy it to %s", file, at),
		})
	}
}
