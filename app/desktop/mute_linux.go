//go:build desktop && linux

package desktop

import "os"

// loadMute has WebKit's processes take the libraries in the place of Flite. This process must open those that it returns.
func loadMute() []string {
	program, err := os.Executable()
	if err != nil {
		return nil
	}
	libraries := muteLibraries(program)
	if len(libraries) > 0 {
		give(libraryPath, mutePath(libraries, os.Getenv(libraryPath)))
	}
	return libraries
}
