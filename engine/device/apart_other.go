//go:build !linux

package device

func libraryBy(Reader) library { return newLibrary() }
