package onnx_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// A library of operators is loaded as the config writes it, and its operators run; a model that has it is loaded twice, as
// by two versions.
func TestCustomOperators(t *testing.T) {
	library := operators(t, "testdata/twice.c")
	m := onnxtest.Model{
		Inputs:  []onnxtest.Value{{Name: "X", Type: onnxtest.Float, Dims: onnxtest.Dims(2)}},
		Outputs: []onnxtest.Value{{Name: "Y", Type: onnxtest.Float, Dims: onnxtest.Dims(2)}},
		Nodes:   []onnxtest.Node{{Op: "Twice", Domain: "conch.test", Inputs: []string{"X"}, Outputs: []string{"Y"}}},
		Domains: []string{"conch.test"},
	}
	for range 2 {
		instance := load(t, m, &modelconfig.ModelConfig{
			ModelOperations: &modelconfig.ModelOperations{OpLibraryFilename: []string{library}},
		})
		out := one(t, instance, request(0, floats("X", tensor.Shape{2}, 3, 4))).Output("Y")
		if want := floats("Y", tensor.Shape{2}, 6, 8); show(out) != show(&want) {
			t.Errorf("got %s, want %s", show(out), show(&want))
		}
	}
}

// A library of operators may refuse to be registered. The message has the library's own number and words, as Triton's has.
func TestCustomOperatorsThatRefuse(t *testing.T) {
	spec := specOf(t, onnxtest.AddSub(16).Bytes(), &modelconfig.ModelConfig{
		ModelOperations: &modelconfig.ModelOperations{OpLibraryFilename: []string{operators(t, "testdata/refuse.c")}},
	})
	expectFailure(t, spec, infer.Internal, "onnx runtime error 9: no operators today")
}

// operators compiles a library of operators.
func operators(t *testing.T, source string, flags ...string) string {
	t.Helper()
	header, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/yalue/onnxruntime_go").Output()
	if err != nil {
		t.Fatalf("find the binding: %v", err)
	}
	library := filepath.Join(t.TempDir(), "liboperators.so")
	args := append([]string{"-shared", "-fPIC", "-I", strings.TrimSpace(string(header)), "-o", library, source}, flags...)
	compiler := exec.Command("cc", args...)
	if out, err := compiler.CombinedOutput(); err != nil {
		t.Fatalf("compile the operators: %v\n%s", err, out)
	}
	return library
}
