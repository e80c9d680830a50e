package language_test

import (
	"reflect"
	"testing"

	"conch/app/language"
	"conch/configedit/modelconfig"
)

// TestFileNameOf: the name of the model file is that of the config, or else the backend's; a folder, and one of several files, have none.
func TestFileNameOf(t *testing.T) {
	plan := []string{".plan", ".engine", ".trt"}
	for _, c := range []struct {
		cfg  *modelconfig.ModelConfig
		want language.FileName
	}{
		{&modelconfig.ModelConfig{Backend: "onnxruntime"}, language.FileName{File: "model.onnx", Endings: []string{".onnx"}}},
		{&modelconfig.ModelConfig{Backend: "onnxruntime", DefaultModelFilename: "net.onnx"}, language.FileName{File: "net.onnx", Endings: []string{".onnx"}}},
		{&modelconfig.ModelConfig{Backend: "onnxruntime", DefaultModelFilename: "net.bin"}, language.FileName{File: "net.bin", Endings: []string{".bin"}}},
		{&modelconfig.ModelConfig{Backend: "onnxruntime", DefaultModelFilename: "in/net.onnx"}, language.FileName{}},
		{&modelconfig.ModelConfig{Backend: "tensorrt"}, language.FileName{File: "model.plan", Endings: plan}},
		{&modelconfig.ModelConfig{Backend: "tensorrt", CcModelFilenames: map[string]string{"8.0": "a.plan"}}, language.FileName{}},
		{&modelconfig.ModelConfig{Backend: "openvino"}, language.FileName{File: "model.xml", Endings: []string{".xml"}, Weights: "model.bin"}},
		{&modelconfig.ModelConfig{Backend: "tensorflow", Platform: "tensorflow_savedmodel"}, language.FileName{}},
		{&modelconfig.ModelConfig{Backend: "tensorflow", Platform: "tensorflow_graphdef"}, language.FileName{File: "model.graphdef", Endings: []string{".graphdef"}}},
		{&modelconfig.ModelConfig{Backend: "python"}, language.FileName{}},
		{&modelconfig.ModelConfig{Backend: "identity"}, language.FileName{}},
		{&modelconfig.ModelConfig{Platform: "ensemble"}, language.FileName{}},
	} {
		if got := language.FileNameOf(c.cfg); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v: %+v, want %+v", c.cfg, got, c.want)
		}
	}
}
