package main

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"conch/engine/backend/onnx/onnxtest"
)

// modelLine begins the content of a model file in a base: the rest of the line names a model of onnxModels.
const modelLine = "onnx: "

// onnxModels are the model files of the bases, by name.
var onnxModels = map[string]onnxtest.Model{
	"add_sub":       onnxtest.AddSub("batch", 4),
	"add_sub_fixed": onnxtest.AddSub(4),
	"identity":      onnxtest.Identity(onnxtest.Float, "batch", 3, "height", "width"),
	"text":          onnxtest.Identity(onnxtest.String, nil, 1),
	"half":          onnxtest.Identity(onnxtest.Float16, "n", 2),
	"scalar":        onnxtest.Total("batch", 4),
	"open":          open(),
	"shapeless":     shapeless(),
	"narrower":      narrower(),
	"running":       onnxtest.Running(),
}

// open leaves an output's dims open, which the session knows.
func open() onnxtest.Model {
	m := onnxtest.Identity(onnxtest.Float, "batch", 1, 4, 4)
	m.Outputs[0].Dims = onnxtest.Dims(nil, nil, nil, nil)
	return m
}

// shapeless says nothing of an output's shape.
func shapeless() onnxtest.Model {
	m := onnxtest.Identity(onnxtest.Int64, "batch", 2)
	m.Outputs[0].Dims = nil
	return m
}

// narrower names a dimension of the output that the session replaces by a number.
func narrower() onnxtest.Model {
	m := onnxtest.Identity(onnxtest.Int32, "batch", 5)
	m.Outputs[0].Dims = onnxtest.Dims("batch", "n")
	return m
}

// sessionKnows are the models whose shapes only a session of ONNX Runtime knows: a server completes their configs with more than
// is in the file.
var sessionKnows = []string{"open", "shapeless", "narrower"}

// inferred reports whether a model's files have one.
func inferred(files map[string]string, model string) bool {
	for path, content := range files {
		if strings.HasPrefix(path, model+"/") && slices.ContainsFunc(sessionKnows, func(name string) bool { return content == modelFile(name) }) {
			return true
		}
	}
	return false
}

// expand writes the models that the files of a base name.
func expand(files map[string]string) map[string]string {
	for path, content := range files {
		if name, ok := strings.CutPrefix(content, modelLine); ok {
			files[path] = modelFile(strings.TrimSpace(name))
		}
	}
	return files
}

func modelFile(name string) string {
	m, ok := onnxModels[name]
	if !ok {
		panic("a base names the model " + name + ", which models.go lacks")
	}
	return string(m.Bytes())
}

// otherModel is any of the model files.
func otherModel(r *rand.Rand) string { return modelFile(pick(r, slices.Sorted(maps.Keys(onnxModels)))) }
