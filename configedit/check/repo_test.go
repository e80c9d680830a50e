package check_test

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"conch/configedit/check"
	"conch/configedit/derive"
	"conch/configedit/modelconfig"
)

// repository is a model repository written as text: "-- path --" begins a file. A model.onnx is written as lines
// such as "input image TYPE_FP32 [-1, 64]".
type repository struct {
	files  map[string]string
	models map[string]*check.Model
}

var _ check.Env = (*repository)(nil)

func (r *repository) Model(name string) (*check.Model, bool) {
	m, ok := r.models[name]
	return m, ok
}

func (r *repository) Names() []string { return slices.Sorted(maps.Keys(r.models)) }

func newRepository(t testing.TB, files map[string]string) *repository {
	t.Helper()
	r := &repository{files: files, models: map[string]*check.Model{}}
	for name := range files {
		model, _, _ := strings.Cut(name, "/")
		if r.models[model] == nil {
			r.models[model] = r.model(t, model)
		}
	}
	return r
}

func (r *repository) model(t testing.TB, name string) *check.Model {
	m := &check.Model{Name: name, Folder: &check.Folder{Has: func(rel string) bool { return r.has(name + "/" + rel) }}}
	if text, ok := r.files[name+"/config.pbtxt"]; ok {
		m.Decoded, m.Syntax = modelconfig.Parse("config.pbtxt", []byte(text))
	}
	m.Facts = derive.Facts{ModelName: name, AutoComplete: true}
	var folders []string
	for file, content := range r.files {
		rel, inside := strings.CutPrefix(file, name+"/")
		if !inside {
			continue
		}
		folder, base, deep := strings.Cut(rel, "/")
		if !deep {
			m.Folder.Files = append(m.Folder.Files, rel)
			continue
		}
		folders = append(folders, folder)
		if path.Base(base) == "model.onnx" {
			m.Facts.ONNX = onnxModel(t, content)
		}
	}
	slices.Sort(m.Folder.Files)
	slices.Sort(folders)
	folders = slices.Compact(folders)
	for _, f := range folders {
		if v, err := strconv.ParseInt(f, 10, 64); err == nil && strconv.FormatInt(v, 10) == f {
			m.Folder.Versions = append(m.Folder.Versions, v)
		} else {
			m.Folder.Odd = append(m.Folder.Odd, check.OddFolder{Name: f, Why: "is no version, so Triton passes over it"})
		}
	}
	slices.Sort(m.Folder.Versions)
	m.Facts.Files = r.list(name + "/" + derive.FirstFolder(folders) + "/")
	var cfg *modelconfig.ModelConfig
	if m.Decoded != nil {
		cfg = m.Decoded.Config
	}
	m.Effective, _, m.Problem = derive.Effective(cfg, m.Facts)
	return m
}

func (r *repository) has(rel string) bool {
	for file := range r.files {
		if file == rel || strings.HasPrefix(file, rel+"/") {
			return true
		}
	}
	return false
}

func (r *repository) list(folder string) []derive.File {
	var list []derive.File
	for file := range r.files {
		if rel, ok := strings.CutPrefix(file, folder); ok && !strings.Contains(rel, "/") && rel != ".keep" {
			list = append(list, derive.File{Name: rel})
		}
	}
	slices.SortFunc(list, func(a, b derive.File) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

func onnxModel(t testing.TB, content string) *derive.ONNXModel {
	m := &derive.ONNXModel{IRVersion: 8}
	for line := range strings.Lines(content) {
		var side, name, typ string
		before, shape, _ := strings.Cut(strings.TrimSpace(line), "[")
		if _, err := fmt.Sscan(before, &side, &name, &typ); err != nil {
			continue
		}
		tensor := derive.ONNXTensor{Name: name, Kind: derive.ONNXTensorKind, Type: modelconfig.DataType(modelconfig.DataType_value[typ]), Shaped: true}
		for _, word := range strings.FieldsFunc(strings.TrimSuffix(shape, "]"), func(r rune) bool { return r == ',' || r == ' ' }) {
			n, err := strconv.ParseInt(word, 10, 64)
			if err != nil {
				t.Fatalf("dims %q: %v", word, err)
			}
			tensor.Dims = append(tensor.Dims, derive.ONNXDim{Size: n})
		}
		switch side {
		case "input":
			m.Inputs = append(m.Inputs, tensor)
		case "optional":
			m.Overridable = append(m.Overridable, tensor)
		default:
			m.Outputs = append(m.Outputs, tensor)
		}
	}
	return m
}
