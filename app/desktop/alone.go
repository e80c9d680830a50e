package desktop

import (
	"errors"
	"strings"
	"sync"
)

// alone are the files whose unsaved texts only the page has, because the workbench does not keep them.
// The page tells of them. A nil alone has none.
type alone struct {
	mu    sync.Mutex // guards files
	files []string
}

// set replaces the list. A page that is loaded again has none of the texts of the one before.
func (a *alone) set(files []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.files = files
}

func (a *alone) list() []string {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.files
}

// describe names the files for a person; "" when there are none.
func (a *alone) describe() string {
	files := a.list()
	if len(files) == 0 {
		return ""
	}
	return "Unsaved changes are in this window alone, since Conch does not keep them. They are lost when the window closes:\n\n" + listed(files)
}

// lost is the error of a window that has closed.
func (a *alone) lost() error {
	files := a.list()
	if len(files) == 0 {
		return nil
	}
	return errors.New("the unsaved changes of these files were in the window alone, and are lost: " + strings.Join(files, ", "))
}
