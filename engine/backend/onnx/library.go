package onnx

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"conch/engine/backend/onnx/ort"
	"conch/engine/backend/onnx/runtimes"
	"conch/engine/filelock"
	"conch/engine/guarded"
	"conch/engine/userdir"
)

// LibraryVariable is the environment variable with the path of ONNX Runtime.
const LibraryVariable = "CONCH_ONNXRUNTIME"

// Library is a file with ONNX Runtime that an engine can use.
type Library struct {
	Path string
	// Build is the installed build that it belongs to; "" for another one.
	Build string
}

// FindLibrary says which ONNX Runtime an engine uses: the one at the path in LibraryVariable, the build that the user has chosen, or
// the first one beside the program, in the build's cache, and in the user's data folder.
func FindLibrary() (Library, error) { return findLibrary("") }

// cuDNNRuntime is the variable that names CUDA's runtime for the part of cuDNN that is in ONNX Runtime.
const cuDNNRuntime = "CUDNN_FRONTEND_CUDART_LIB_NAME"

// chooseCUDA has that part use the runtime that the provider itself needs: of two versions on the machine it takes the older one, whose functions
// fill other structures.
func chooseCUDA(library string) {
	if major := runtimes.CUDA(library); major > 0 {
		ort.SetNative(cuDNNRuntime, fmt.Sprintf("libcudart.so.%d", major))
	}
}

// BundledLibrary is the one that is used where nothing else is asked for.
func BundledLibrary() (string, error) {
	places := libraryPlaces()
	for _, place := range places {
		if found := libraryIn(place); found != "" {
			return found, nil
		}
	}
	return "", fmt.Errorf("%s is not in %s; put it into one of these folders, or set %s to its path",
		runtimes.LibraryName(), strings.Join(places, ", "), LibraryVariable)
}

// findLibrary is FindLibrary, but the path told goes before all others.
func findLibrary(told string) (Library, error) {
	for _, path := range []string{told, os.Getenv(LibraryVariable)} {
		if path == "" {
			continue
		}
		if found := libraryIn(path); found != "" {
			return Library{Path: found}, nil
		}
		return Library{}, fmt.Errorf("there is no library at %s; correct %s, or leave it empty", path, LibraryVariable)
	}
	chosen, is, err := runtimes.Default().Chosen()
	if err != nil || is {
		return Library{Path: chosen.Library, Build: chosen.ID}, err
	}
	path, err := BundledLibrary()
	return Library{Path: path}, err
}

// held are the uses of installed builds by this process. A library stays open as long as its process, and so do they.
var held guarded.Value[[]*filelock.Use]

// crashWords are the last words of a process whose ONNX Runtime crashed.
func (l Library) crashWords() string {
	if l.Build == "" {
		return fmt.Sprintf("conch: the ONNX Runtime at %s crashed when it was opened. Put a whole one in its place, or set %s to the path of another one", l.Path, LibraryVariable)
	}
	return fmt.Sprintf("conch: the chosen ONNX Runtime %q crashed when %s was opened. %s", l.Build, l.Path, runtimes.ChooseAnother)
}

// openHeld opens a library. Where it is an installed build, that cannot be removed while this process lives.
func openHeld(found Library, threads ort.Threads) (*ort.Library, error) {
	use, err := runtimes.Default().Hold(found.Path)
	if err != nil {
		return nil, err
	}
	library, err := ort.OpenOrSay(found.Path, threads, found.crashWords())
	if use == nil {
		return library, err
	}
	if err != nil {
		return nil, errors.Join(err, use.Close())
	}
	list := held.Lock()
	defer held.Unlock()
	*list = append(*list, use)
	return library, nil
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
	file := filepath.Join(path, runtimes.LibraryName())
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
