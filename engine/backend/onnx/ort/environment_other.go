//go:build !linux

package ort

// SetNative does nothing: the variables that are set so are read on Linux alone.
func SetNative(string, string) {}
