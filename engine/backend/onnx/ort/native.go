package ort

import (
	"fmt"
	"reflect"
	"unsafe"
)

// native returns the pointer to ONNX Runtime's session options, which the Go binding keeps in a private field of its
// SessionOptions. No other function looks inside the binding. native accepts only the layout that it knows: one field,
// named o, with a pointer to OrtSessionOptions.
func native(options any) (unsafe.Pointer, error) {
	keeper := reflect.ValueOf(options)
	if keeper.Kind() != reflect.Pointer || keeper.Elem().Kind() != reflect.Struct {
		return nil, errLayout(fmt.Sprintf("%T is no pointer to a struct", options))
	}
	fields := keeper.Elem()
	if fields.NumField() != 1 || fields.Type().Field(0).Name != "o" {
		return nil, errLayout(fmt.Sprintf("%T has other fields than the one named o", options))
	}
	field := fields.Field(0)
	if field.Kind() != reflect.Pointer || field.Type().Elem().Name() != "_Ctype_struct_OrtSessionOptions" {
		return nil, errLayout(fmt.Sprintf("the field o of %T is a %s", options, field.Type()))
	}
	if field.IsNil() {
		return nil, fmt.Errorf("the session options are closed")
	}
	return field.UnsafePointer(), nil
}

// errLayout is the error for a version of the binding with another layout.
type errLayout string

func (e errLayout) Error() string {
	return "this version of the binding github.com/yalue/onnxruntime_go keeps its session options in another way: " +
		string(e) + ". Build Conch with the version in its go.mod, or adapt engine/backend/onnx/ort/native.go"
}
