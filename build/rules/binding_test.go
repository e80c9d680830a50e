package rules_test

import (
	"slices"
	"testing"
)

// TestOneUserOfTheBinding: engine/backend/onnx/ort uses the Go binding of ONNX Runtime, and no other package of the product does.
// The binding has one environment in a process and one way to be laid out; both are one package's business.
func TestOneUserOfTheBinding(t *testing.T) {
	const binding, owner = "github.com/yalue/onnxruntime_go", "engine/backend/onnx/ort"
	var users []string
	for _, p := range packages(t, "desktop,production,webkit2_41") {
		if slices.Contains(p.Imports, binding) {
			path, _ := inModule(p.ImportPath)
			users = append(users, path)
		}
	}
	if !slices.Equal(users, []string{owner}) {
		t.Errorf("%s is imported by %q, and should be by %s alone: add the call that you need to it", binding, users, owner)
	}
}
