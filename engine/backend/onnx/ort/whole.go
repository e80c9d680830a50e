package ort

import (
	"errors"
	"fmt"

	"conch/engine/sharedlib"
)

// checkWhole says what is wrong with a library of ONNX Runtime, and with what it needs, before it is opened.
func checkWhole(path string) error {
	err := sharedlib.Sound(path)
	if err == nil {
		return nil
	}
	if damage, is := errors.AsType[*sharedlib.Damage](err); is && damage.For != "" {
		return fmt.Errorf("the library %w. Install it again", err)
	}
	return fmt.Errorf("the ONNX Runtime library %w. Put a whole one in its place: `conch runtime install` brings one, and `make build` the one in build/cache", err)
}
