package desktop

import (
	"os"
	"path/filepath"
	"strings"
)

// separators are between the paths of a list, for the loaders of libraries and of EGL.
const separators = ":;"

// beside returns the folder of such a name with what belongs to the program: it lies beside the program, or where a
// package puts it. "" means that no such folder has the file. A folder whose path has one of the characters that separate the entries of
// a list of paths is not returned: loaders would look in each part of it, also in the working folder.
func beside(program, folder, file string) string {
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	dir := filepath.Dir(program)
	for _, place := range []string{filepath.Join(dir, folder), filepath.Join(dir, "..", "lib", "conch", folder)} {
		if strings.ContainsAny(place, separators) {
			continue
		}
		if _, err := os.Stat(filepath.Join(place, file)); err == nil {
			return place
		}
	}
	return ""
}
