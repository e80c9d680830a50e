package ort

// #include "shim.h"
import "C"

import (
	"fmt"
	"reflect"
	"unsafe"

	binding "github.com/yalue/onnxruntime_go"
)

// nativeOptions reads the pointer that the binding keeps to itself. It is the only place
// that looks inside the binding, and opening the library tries it once.
func nativeOptions(options *binding.SessionOptions) (unsafe.Pointer, error) {
	field := reflect.ValueOf(options).Elem().FieldByName("o")
	if !field.IsValid() || field.Kind() != reflect.Pointer || field.IsNil() {
		return nil, fmt.Errorf("this version of the ONNX Runtime binding keeps its session options elsewhere: " +
			"build Conch with the version in go.mod")
	}
	return field.UnsafePointer(), nil
}

// ShareThreads makes sessions of these options use the process's threads instead of their own.
func (l *Library) ShareThreads(options *binding.SessionOptions) error {
	native, err := nativeOptions(options)
	if err != nil {
		return err
	}
	var cErr C.conch_error
	C.conch_session_share_threads(l.c, native, &cErr)
	return take(&cErr)
}
