package desktop

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"runtime"

	"conch/app/workspace"
)

// Backend is the workbench behind the window.
type Backend struct {
	API   http.Handler // paths begin with /conch.v1.
	Close func() error
	// Risk says which unsaved texts would be lost, or not kept for long, if the workbench ended now.
	Risk func() workspace.Risk
	// Place is where the window was last, "" at first; SavePlace remembers it.
	Place     string
	SavePlace func(place string) error
	// Announce is told how to bring the window to the front.
	Announce func(show func())
}

// Options tell what the window shows. Files and Start are required.
type Options struct {
	Files fs.FS
	// Start starts the workbench, once there is a window.
	Start func() (*Backend, error)
	// End closes the window when it is closed, without a question; nil for never.
	End <-chan struct{}
}

// ErrNoDisplay is why there can be no window, and what to do.
var ErrNoDisplay = errors.New("there is no display to open a window on; `conch web REPOSITORY` serves the same workbench to a browser")

// ErrNotBuilt is why there can be no window in this build, and what to do.
var ErrNotBuilt = errors.New("this build of Conch has no window; `conch web REPOSITORY` serves the same workbench to a browser")

// HasDisplay reports whether a window could be shown. Asking the toolkit would end the process where it cannot.
func HasDisplay() bool {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return true
	}
	return os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}
