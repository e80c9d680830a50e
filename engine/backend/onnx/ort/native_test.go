package ort

import (
	"errors"
	"strings"
	"testing"

	binding "github.com/yalue/onnxruntime_go"
)

// TestBindingsLayout: the binding keeps its session options where native reads them. It needs no library.
func TestBindingsLayout(t *testing.T) {
	_, err := native(&binding.SessionOptions{})
	if err == nil || errors.As(err, new(errLayout)) {
		t.Fatalf("options that are not made yet: %v", err)
	}
}

// TestOtherLayouts: when the binding changes inside, native says so and reads nothing.
func TestOtherLayouts(t *testing.T) {
	number := 1
	for want, options := range map[string]any{
		"is no pointer to a struct":                   binding.SessionOptions{},
		"has other fields than the one named o":       &struct{ p *int }{&number},
		"has other fields than the one named o. B":    &struct{ o, more *int }{&number, &number},
		"the field o of *struct { o int } is a int":   &struct{ o int }{number},
		"the field o of *struct { o *int } is a *int": &struct{ o *int }{&number},
	} {
		pointer, err := native(options)
		if pointer != nil || !errors.As(err, new(errLayout)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%T gives %v, %v", options, pointer, err)
		}
		if err != nil && !strings.Contains(err.Error(), "github.com/yalue/onnxruntime_go") {
			t.Errorf("the error names no binding: %v", err)
		}
	}
}
