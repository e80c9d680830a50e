package onnx

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// LibraryVariable names the environment variable that says where ONNX Runtime is.
const LibraryVariable = "CONCH_ONNXRUNTIME"

// findLibrary finds ONNX Runtime: where it was told, where LibraryVariable says,
// beside the program, in the build's cache, in the user's data folder.
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

// libraryIn takes a file, or a folder that holds the library.
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
	return append(places, filepath.Join(dataHome(), "conch", "onnxruntime"))
}

// dataHome is the user's data folder (XDG base directory specification).
func dataHome() string {
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return os.TempDir()
	}
	return filepath.Join(home, ".local", "share")
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
