package desktop

import (
	"os"
	"path/filepath"
)

// beside returns the folder of such a name with what belongs to the program: it lies beside the program, or where a
// package puts it. "" means that no such folder has the file.
func beside(program, folder, file string) string {
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	dir := filepath.Dir(program)
	for _, place := range []string{filepath.Join(dir, folder), filepath.Join(dir, "..", "lib", "conch", folder)} {
		if _, err := os.Stat(filepath.Join(place, file)); err == nil {
			return place
		}
	}
	return ""
}
