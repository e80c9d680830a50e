// Package userdir says in which folders Conch keeps a user's files. The module xdg knows where each system has
// them: on Linux the XDG base directory specification says so.
package userdir

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/adrg/xdg"
)

// Variable names the folder that has priority over all others, for data and for caches.
const Variable = "CONCH_DATA_DIR"

// name is Conch's folder in the system's folders.
const name = "conch"

// Data returns the folder for what must not be lost, such as history and settings: $CONCH_DATA_DIR, or else
// Installed.
func Data() string {
	if dir := os.Getenv(Variable); dir != "" {
		return dir
	}
	return Installed()
}

// Installed returns Conch's folder in the user's data folder, where an installation may put libraries.
// $CONCH_DATA_DIR does not change it. Without a home it is Alone.
func Installed() string {
	dir, _ := homes()
	if dir == "" {
		return Alone(name)
	}
	return filepath.Join(dir, name)
}

// Cache returns the folder for files that can be made again: $CONCH_DATA_DIR, or else Conch's folder with the user's
// other caches. It is "" without a home.
func Cache() string {
	if dir := os.Getenv(Variable); dir != "" {
		return dir
	}
	_, dir := homes()
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, name)
}

var reading sync.Mutex // the module's answers are variables

// homes returns the folders for the user's data and caches as the environment says now, "" for those that are in a home
// that it does not name.
func homes() (data, cache string) {
	reading.Lock()
	defer reading.Unlock()
	xdg.Reload() // it has read the environment when the program started
	return known(xdg.DataHome), known(xdg.CacheHome)
}

// known returns dir, or "" when it is in an unknown home. The module takes "/" for that home.
func known(dir string) string {
	if _, err := os.UserHomeDir(); err != nil && strings.HasPrefix(dir, "/.") {
		return ""
	}
	return dir
}
