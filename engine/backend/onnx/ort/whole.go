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
	return fmt.Errorf("the ONNX Runtime library %w. Put a whole one in its place, or take another build: ONNX Runtime… in the menu of the engine, or `conch runtime list`, shows them", err)
}

// foreign is the error of a library that could not be opened. Of one for another platform the system says anything else: that it is not there, or too short.
func foreign(path string, err error) error {
	if made, unread := sharedlib.PlatformOf(path); unread == nil && !made.Fits() {
		return fmt.Errorf("%s is for %s; this Conch needs one for %s", path, made, sharedlib.Here())
	}
	return err
}
