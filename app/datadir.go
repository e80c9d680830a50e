package app

import (
	"os"
	"path/filepath"
	"runtime"
)

// DataDirEnv names the folder for history and settings. It has priority over all other places.
const DataDirEnv = "CONCH_DATA_DIR"

// DataDir returns the folder for history and settings: $CONCH_DATA_DIR, or the folder where the system
// keeps a user's data (on Linux by the XDG base directory specification). The module adrg/xdg returns
// other folders: on Windows the local folder in place of the roaming one, and everywhere
// $XDG_DATA_HOME first. So it would not find data that exists.
func DataDir() string {
	if dir := os.Getenv(DataDirEnv); dir != "" {
		return dir
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		if dir, err := os.UserConfigDir(); err == nil {
			return filepath.Join(dir, "Conch")
		}
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) { // the specification says to ignore other paths
		return filepath.Join(dir, "conch")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return filepath.Join(os.TempDir(), "conch")
	}
	return filepath.Join(home, ".local", "share", "conch")
}
