package app

import (
	"os"
	"path/filepath"
	"runtime"
)

// DataDirEnv names the folder for history and settings, before anything else.
const DataDirEnv = "CONCH_DATA_DIR"

// DataDir is where history and settings lie: in $CONCH_DATA_DIR, or where the system keeps a user's data
// (on Linux by the XDG base directory specification). The module adrg/xdg answers otherwise: on Windows with the local
// folder in place of the roaming one, and everywhere with $XDG_DATA_HOME first, so data that exists would not be found.
func DataDir() string {
	if dir := os.Getenv(DataDirEnv); dir != "" {
		return dir
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		if dir, err := os.UserConfigDir(); err == nil {
			return filepath.Join(dir, "Conch")
		}
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) { // others are to be ignored, it says there
		return filepath.Join(dir, "conch")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return filepath.Join(os.TempDir(), "conch")
	}
	return filepath.Join(home, ".local", "share", "conch")
}
