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
	// Risk returns which unsaved texts would be lost, or kept for a short time only, if the workbench
	// ended now.
	Risk func() workspace.Risk
	// Place is where the window was last; "" at first. SavePlace stores it.
	Place     string
	SavePlace func(place string) error
	// Announce gets a function that brings the window to the front.
	Announce func(show func())
}

// Options say what the window shows. Files and Start are required.
type Options struct {
	Files fs.FS
	// Start starts the workbench. It is called at once, beside the start of the toolkit, and once.
	Start func() (*Backend, error)
	// End, when closed, closes the window without a question. Nil means never.
	End <-chan struct{}
}

// ErrNoDisplay means that no window can be opened, and says what to do.
var ErrNoDisplay = errors.New("there is no display to open a window on; `conch web REPOSITORY` serves the same workbench to a browser")

// ErrNotBuilt means that this build has no window, and says what to do.
var ErrNotBuilt = errors.New("this build of Conch has no window; `conch web REPOSITORY` serves the same workbench to a browser")

// ErrNoLibraries means that the libraries of the window are not installed, and says what to do.
var ErrNoLibraries = errors.New("the window needs WebKitGTK, which Debian has in the package libwebkit2gtk-4.1-0; `conch web REPOSITORY` serves the same workbench to a browser")

// HasDisplay reports whether a window could be shown. Where it cannot, asking the toolkit would end
// the process.
func HasDisplay() bool {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return true
	}
	return os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}
