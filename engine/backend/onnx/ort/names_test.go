package ort_test

import (
	"strings"
	"testing"

	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/backend/onnx/ort"
)

// ONNX Runtime knows the providers by the names that it is told, also where this build of it lacks them. Of any other name it says that
// it is unknown.
func TestNamesOfProviders(t *testing.T) {
	library, err := ort.Open(onnxtest.Library(t), ort.Threads{Intra: 1, Inter: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, add := range map[string]func(*ort.Options, map[string]string) error{
		"XNNPACK": (*ort.Options).AppendXNNPACK, "CoreML": (*ort.Options).AppendCoreML, "DML": (*ort.Options).AppendDirectML,
	} {
		options, err := library.NewOptions()
		if err != nil {
			t.Fatal(err)
		}
		defer options.Close()
		err = add(options, nil)
		if err != nil && !strings.Contains(err.Error(), name+" execution provider is not supported in this build") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
