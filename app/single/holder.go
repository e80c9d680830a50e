package single

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Kind is what a workbench looks like.
type Kind string

// The kinds.
const (
	Window Kind = "window"
	Web    Kind = "web"
)

// Holder is the workbench that has a repository.
type Holder struct {
	Kind Kind
	PID  int
	Address
}

// Address is where a web server is just now; the zero Address is a window's.
type Address struct {
	URL     string // with its token
	Listens string // IP address and port
}

// ElsewhereError says that another workbench has a repository.
type ElsewhereError struct {
	Roots  []string
	Holder Holder
}

func (e *ElsewhereError) Error() string {
	what := strings.Join(e.Roots, ", ")
	switch {
	case e.Holder.Kind == Window:
		return fmt.Sprintf("%s is open in another window of Conch, which is in front now", what)
	case e.Holder.URL != "":
		return fmt.Sprintf("%s is served by conch web already, at %s", what, e.Holder.URL)
	}
	return fmt.Sprintf("%s is open in another Conch (process %d), which does not answer; end that process", what, e.Holder.PID)
}

// Find asks who has a repository to show itself; nil when nobody has it.
func Find(dataDir string, roots []string) (*Holder, error) {
	dir := filepath.Join(dataDir, folder)
	if _, err := os.Stat(dir); err != nil {
		return nil, nil // nothing was ever claimed
	}
	lock, held, err := lockOrAsk(dir, keyOf(roots))
	if lock != nil {
		_ = lock.Close()
	}
	return held, err
}

// AnyRunning says whether there may be a workbench that runs.
func AnyRunning(dataDir string) bool {
	found, _ := filepath.Glob(filepath.Join(dataDir, folder, "*.json"))
	return len(found) > 0
}

const (
	// patience is how long a holder may take until it can be reached: it may be starting.
	patience = 5 * time.Second
	again    = 20 * time.Millisecond
)

// lockOrAsk takes the lock of a repository, or asks its holder to show itself.
func lockOrAsk(dir, key string) (*os.File, *Holder, error) {
	for end := time.Now().Add(patience); ; time.Sleep(again) {
		lock, err := tryLock(filepath.Join(dir, key+".lock"))
		if lock != nil || err != nil {
			return lock, nil, err
		}
		at, err := readWhere(wherePath(dir, key))
		if err == nil {
			if held, err := knock(at.Socket); err == nil {
				return nil, held, nil
			}
		}
		// It has just begun, or is just ending, or was replaced by another: the lock tells.
		if time.Now().After(end) {
			return nil, &Holder{}, nil
		}
	}
}
