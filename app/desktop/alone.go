package desktop

import (
	"errors"
	"slices"
	"strings"
	"sync"
)

// alone are the files whose unsaved texts only the page has, because the workbench does not keep them.
// The page tells of them. A nil alone has none.
type alone struct {
	mu    sync.Mutex // guards what follows
	files []string
	given []string // those that a person has agreed to lose
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

// giveUp notes that a person has agreed to lose the texts of files.
func (a *alone) giveUp(files []string) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.given = files
}

// describeAlone names files of the list for a person; "" when there are none.
func describeAlone(files []string) string {
	if len(files) == 0 {
		return ""
	}
	return "Unsaved changes are in this window alone, since Conch does not keep them. They are lost when the window closes:\n\n" + listed(files)
}

// lost is the error of a window that has closed, with the files that nobody was asked about.
func (a *alone) lost() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	var files []string
	for _, file := range a.files {
		if !slices.Contains(a.given, file) {
			files = append(files, file)
		}
	}
	if len(files) == 0 {
		return nil
	}
	return errors.New("the unsaved changes of these files were in the window alone, and are lost: " + strings.Join(files, ", "))
}
