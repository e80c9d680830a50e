package desktop

import (
	"path/filepath"
	"strings"
)

// libraryPath is where the loader looks for libraries first.
const libraryPath = "LD_LIBRARY_PATH"

// muteLibraries returns the libraries that take the place of Flite (mute), which WebKit is linked with and Conch's page
// never speaks with. There is none where they do not lie with the program.
func muteLibraries(program string) []string {
	dir := beside(program, "mute", "libflite.so.1")
	if dir == "" {
		return nil
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.so.*"))
	if err != nil {
		return nil
	}
	return found
}

// mutePath returns a value of libraryPath with which those libraries are found before the system's.
func mutePath(libraries []string, before string) string {
	return strings.TrimSuffix(filepath.Dir(libraries[0])+":"+before, ":")
}
