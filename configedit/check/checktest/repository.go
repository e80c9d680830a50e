// Package checktest makes model repositories from text, for tests of the checks and of packages that use them.
package checktest

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"conch/configedit/check"
	"conch/configedit/derive"
	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
	"conch/configedit/release"
)

// Repository is a model repository written as text, such as the sections of a golden case. A model.onnx is written as lines
// such as "input image TYPE_FP32 [-1, 64]"; a saved_model.pb, a model.xml, a model.pt and a model.plan likewise, and what they say is
// written and read for real (see SavedModel, OpenVINO, TorchArchive and Plan).
// Files in no model tell what surrounds them: release is the release of Triton that serves the models, strict is a server that completes no configs, memory is the machine's in
// bytes, gpus is how many GPUs it has, MODEL.weights the size of a version's files, MODEL.unread lists folders that cannot be read (. is the model's own), and MODEL.clashes
// folders of the same name in other repositories.
type Repository struct {
	Files  map[string]string
	models map[string]*check.Model
}

var (
	_ check.Env     = (*Repository)(nil)
	_ check.Clashes = (*Repository)(nil)
)

// Model implements check.Env.
func (r *Repository) Model(name string) (*check.Model, bool) {
	m, ok := r.models[name]
	return m, ok
}

// Names implements check.Env.
func (r *Repository) Names() []string { return slices.Sorted(maps.Keys(r.models)) }

// New makes a repository of files by path.
func New(t testing.TB, files map[string]string) *Repository {
	t.Helper()
	r := &Repository{Files: files, models: map[string]*check.Model{}}
	for name := range files {
		model, _, inside := strings.Cut(name, "/")
		if inside && r.models[model] == nil {
			r.models[model] = r.model(t, model)
		}
	}
	return r
}

func (r *Repository) model(t testing.TB, name string) *check.Model {
	m := &check.Model{Name: name, Folder: r.folder(name)}
	if text, ok := r.Files[name+"/"+folder.ConfigName]; ok {
		m.Decoded, m.Syntax = modelconfig.Parse(folder.ConfigName, []byte(text))
	}
	m.Release = release.Find(strings.TrimSpace(r.Files["release"]))
	m.Facts = derive.Facts{
		ModelName: name, AutoComplete: !r.has("strict"), Memory: r.number(t, "memory"),
		Weights: r.number(t, name+".weights"), Processors: int(r.number(t, "processors")),
	}
	if r.has("gpus") {
		m.Facts.CountGPUs(int(r.number(t, "gpus")))
	}
	folders := r.readFiles(t, m)
	readVersions(m, folders)
	m.Facts.FilesIn = derive.FirstFolder(folders)
	m.Facts.Files = r.list(name + "/" + m.Facts.FilesIn + "/")
	var cfg *modelconfig.ModelConfig
	if m.Decoded != nil {
		cfg = m.Decoded.Config
	}
	m.Effective, _, m.Problem = derive.Effective(cfg, m.Facts)
	return m
}

// folder is a model's folder as checks see it.
func (r *Repository) folder(name string) *check.Folder {
	f := &check.Folder{
		Has: func(rel string) bool { return r.has(name + "/" + rel) },
		Size: func(rel string) (int64, bool) {
			content, ok := r.Files[path.Clean(name+"/"+rel)]
			return int64(len(content)), ok
		},
		Open: func(rel string) (io.ReadCloser, error) {
			content, ok := r.Files[path.Clean(name+"/"+rel)]
			if !ok {
				return nil, fs.ErrNotExist
			}
			if path.Base(rel) == "model.py" && len(content) < 8 { // a single word means a correct program
				content = "class TritonPythonModel: pass\n"
			}
			return io.NopCloser(strings.NewReader(content)), nil
		},
	}
	f.Within = func(version int64) (files []string) {
		for file := range r.Files {
			if rel, inside := strings.CutPrefix(file, fmt.Sprintf("%s/%d/", name, version)); inside {
				files = append(files, rel)
			}
		}
		slices.Sort(files)
		return files
	}
	for _, folder := range strings.Fields(r.Files[name+".unread"]) {
		f.Unread = append(f.Unread, strings.TrimPrefix(folder, "."))
	}
	return f
}

// readFiles notes a model's files and reads its model files. It gives the names of the folders in the model's folder, sorted.
func (r *Repository) readFiles(t testing.TB, m *check.Model) (folders []string) {
	for file, content := range r.Files {
		rel, inside := strings.CutPrefix(file, m.Name+"/")
		if !inside {
			continue
		}
		dir, base, deep := strings.Cut(rel, "/")
		if _, kind := folder.ParseVersion(dir); !deep || kind != folder.PlainVersion {
			m.Folder.Files = append(m.Folder.Files, rel)
		}
		if !deep {
			continue
		}
		folders = append(folders, dir)
		switch path.Base(base) {
		case "model.onnx":
			m.Facts.ONNX, m.FileProblem = onnxFile(t, content)
		case "saved_model.pb":
			m.Facts.SavedModel, m.FileProblem = savedModel(t, content)
		case "model.xml":
			m.Facts.OpenVINO, m.FileProblem = openVINO(t, content)
		case "model.pt":
			m.Facts.Torch, m.FileProblem = torchModel(t, content)
		case "model.plan":
			m.Facts.Plan, m.FileProblem = plan(content)
		}
	}
	slices.Sort(m.Folder.Files)
	slices.Sort(folders)
	return slices.Compact(folders)
}

// readVersions notes which folders are versions, and which only look like one.
func readVersions(m *check.Model, folders []string) {
	for _, f := range folders {
		if v, ok := folder.Version(f); ok {
			m.Folder.Versions = append(m.Folder.Versions, v)
		}
		if _, kind := folder.ParseVersion(f); kind.Explain() != "" {
			m.Folder.Odd = append(m.Folder.Odd, check.OddFolder{Name: f, Why: kind.Explain()})
		}
	}
	slices.Sort(m.Folder.Versions)
	m.Folder.Versions = slices.Compact(m.Folder.Versions)
}

// number is what a file says, 0 where there is none.
func (r *Repository) number(t testing.TB, file string) int64 {
	text := strings.TrimSpace(r.Files[file])
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return n
}

// Clashes implements check.Clashes: MODEL.clashes lists the other folders of that name.
func (r *Repository) Clashes(name string) []string { return strings.Fields(r.Files[name+".clashes"]) }

func (r *Repository) has(rel string) bool {
	for file := range r.Files {
		if file == rel || strings.HasPrefix(file, rel+"/") {
			return true
		}
	}
	return false
}

func (r *Repository) list(folder string) []derive.File {
	var list []derive.File
	for file := range r.Files {
		if rel, ok := strings.CutPrefix(file, folder); ok && !strings.Contains(rel, "/") && rel != ".keep" {
			list = append(list, derive.File{Name: rel})
		}
	}
	slices.SortFunc(list, func(a, b derive.File) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// onnxFile is what a model.onnx says; a text that begins with "raw " is the file itself, and "empty" an empty file.
func onnxFile(t testing.TB, content string) (*modelfile.ONNX, error) {
	if strings.TrimSpace(content) == "empty" {
		return modelfile.ReadONNX(strings.NewReader(""), 0)
	}
	if strings.HasPrefix(content, "raw ") {
		return modelfile.ReadONNX(strings.NewReader(content), int64(len(content)))
	}
	return onnxModel(t, content), nil
}

// onnxModel reads lines; "external FILE" names one with weights, and a type such as MAP is a tensor's other kind.
func onnxModel(t testing.TB, content string) *modelfile.ONNX {
	m := &modelfile.ONNX{IRVersion: 8}
	for line := range strings.Lines(content) {
		if file, ok := strings.CutPrefix(strings.TrimSpace(line), "external "); ok {
			m.ExternalFiles = append(m.ExternalFiles, file)
			continue
		}
		if onnxHead(m, line) {
			continue
		}
		var side, name, typ string
		before, shape, _ := strings.Cut(strings.TrimSpace(line), "[")
		if _, err := fmt.Sscan(before, &side, &name, &typ); err != nil {
			continue
		}
		tensor := modelfile.Tensor{Name: name, Kind: modelfile.TensorKind, Type: modelconfig.DataType(modelconfig.DataType_value[typ]), Shaped: true}
		for _, word := range strings.FieldsFunc(strings.TrimSuffix(shape, "]"), func(r rune) bool { return r == ',' || r == ' ' }) {
			n, err := strconv.ParseInt(word, 10, 64)
			if err != nil {
				t.Fatalf("dims %q: %v", word, err)
			}
			tensor.Dims = append(tensor.Dims, modelfile.Dim{Size: n})
		}
		if kind, ok := onnxKinds[typ]; ok {
			tensor.Kind = kind
		}
		switch side {
		case "input":
			m.Inputs = append(m.Inputs, tensor)
		case "optional":
			m.Overridable = append(m.Overridable, tensor)
		default:
			tensor.Inferred = true
			m.Outputs = append(m.Outputs, tensor)
		}
	}
	return m
}

// onnxHead reads "opset 21", "ir 10", "operator ArgMax", and "int64 ArgMax" for an operator with an input of that type.
func onnxHead(m *modelfile.ONNX, line string) bool {
	var opset int64
	var operator string
	switch {
	case scanned(line, "opset %d", &opset):
		m.Opsets = append(m.Opsets, modelfile.Opset{Version: opset})
	case scanned(line, "operator %s", &operator):
		m.Operators = append(m.Operators, modelfile.Operator{Name: operator, Node: "first"})
	case scanned(line, "int64 %s", &operator):
		m.Operators = append(m.Operators, modelfile.Operator{Name: operator, Node: "first", Type: 7})
	default:
		return scanned(line, "ir %d", &m.IRVersion)
	}
	return true
}

func scanned(line, format string, into any) bool {
	n, err := fmt.Sscanf(strings.TrimSpace(line), format, into)
	return n == 1 && err == nil
}

var onnxKinds = map[string]modelfile.Kind{"SEQUENCE": modelfile.SequenceKind, "MAP": modelfile.MapKind}
