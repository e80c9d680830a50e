package onnx

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"conch/engine/userdir"
)

// LibraryVariable is the environment variable with the path of ONNX Runtime.
const LibraryVariable = "CONCH_ONNXRUNTIME"

// findLibrary looks for ONNX Runtime at the given path, at the path in LibraryVariable, beside the
// program, in the build's cache, and in the user's data folder.
func findLibrary(told string) (string, error) {
	for _, path := range []string{told, os.Getenv(LibraryVariable)} {
		if path == "" {
			continue
		}
		if found := libraryIn(path); found != "" {
			return found, nil
		}
		return "", fmt.Errorf("there is no library at %s; correct %s, or leave it empty", path, LibraryVariable)
	}
	places := libraryPlaces()
	for _, place := range places {
		if found := libraryIn(place); found != "" {
			return found, nil
		}
	}
	return "", fmt.Errorf("%s is not in %s; put it into one of these folders, or set %s to its path",
		libraryName(), strings.Join(places, ", "), LibraryVariable)
}

// libraryIn accepts a file, or a folder with the library.
func libraryIn(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	if !info.IsDir() {
		return path
	}
	file := filepath.Join(path, libraryName())
	if info, err := os.Stat(file); err == nil && !info.IsDir() {
		return file
	}
	return ""
}

func libraryPlaces() []string {
	var places []string
	if exe, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			exe = real
		}
		dir := filepath.Dir(exe)
		places = append(places, filepath.Join(dir, "lib"), dir,
			filepath.Join(dir, "..", "lib", "conch"), filepath.Join(dir, "..", "cache", "onnxruntime"))
	}
	return append(places, filepath.Join(userdir.Installed(), "onnxruntime"))
}

// libraryName is the file's name in npm's onnxruntime-node.
func libraryName() string {
	switch runtime.GOOS {
	case "windows":
		return "onnxruntime.dll"
	case "darwin":
		return "libonnxruntime.dylib"
	}
	return "libonnxruntime.so.1"
}
