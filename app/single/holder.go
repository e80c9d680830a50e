package single

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"conch/app/userfile"
)

// Kind is how a workbench is shown.
type Kind string

// The kinds.
const (
	Window Kind = "window"
	Web    Kind = "web"
)

// Holder is the workbench that has a repository.
type Holder struct {
	Kind Kind
	PID  int // 0 while it is unknown
	// Roots are the real paths of the folders that it opened, together with the folder in question.
	Roots []string
	Address
}

// Address is where a web server is now. A window has the zero Address.
type Address struct {
	URL     string // with its token
	Listens string // IP address and port
}

// ElsewhereError means that another workbench has a repository, or a part of it.
type ElsewhereError struct {
	// Roots are the requested folders that the other has.
	Roots  []string
	Holder Holder
	// Partly means that the other has fewer or more folders.
	Partly bool
}

func (e *ElsewhereError) Error() string {
	what, who := strings.Join(e.Roots, ", "), ""
	if e.Holder.PID != 0 {
		who = fmt.Sprintf(" (process %d)", e.Holder.PID)
	}
	if e.Partly {
		who = fmt.Sprintf(" (process %d, which has %s)", e.Holder.PID, strings.Join(e.Holder.Roots, ", "))
	}
	switch {
	case e.Holder.Kind == Window && e.Partly:
		return fmt.Sprintf("%s is open in another window of Conch%s, which is in front now; a folder is open in one at a time", what, who)
	case e.Holder.Kind == Window:
		return fmt.Sprintf("%s is open in another window of Conch, which is in front now", what)
	case e.Holder.URL != "" && e.Partly:
		return fmt.Sprintf("%s is served by conch web already%s, at %s; a folder is open in one at a time", what, who, e.Holder.URL)
	case e.Holder.URL != "":
		return fmt.Sprintf("%s is served by conch web already, at %s", what, e.Holder.URL)
	case e.Holder.PID == 0:
		return fmt.Sprintf("%s is open in another Conch, which does not answer yet: it is starting, or hangs. Try again in a moment", what)
	}
	return fmt.Sprintf("%s is open in another Conch%s, which does not answer: it is still starting, or hangs. Try again in a moment; if it still does not answer then, end process %d",
		what, who, e.Holder.PID)
}

// Find asks the workbench that has a repository, or a part of it, to show itself. It returns nil when
// none has.
func Find(dataDir string, roots []string) (*ElsewhereError, error) {
	dir := filepath.Join(dataDir, folder)
	if _, err := os.Stat(dir); err != nil {
		return nil, nil // there was never a claim
	}
	for _, root := range identities(roots) {
		lock, held, err := lockOrAsk(dir, root.key)
		if err != nil {
			return nil, err
		}
		if held != nil {
			return elsewhere(roots, *held, root), nil
		}
		_ = lock.Close()
	}
	return nil, nil
}

// elsewhere returns which of the roots a holder has. It was found at one of them.
func elsewhere(roots []string, held Holder, at identity) *ElsewhereError {
	e := &ElsewhereError{Holder: held}
	asked := identities(roots)
	for _, root := range asked {
		if root == at || slices.Contains(held.Roots, root.real) {
			e.Roots = append(e.Roots, root.named)
		}
	}
	e.Partly = len(held.Roots) > 0 && (len(e.Roots) < len(asked) || len(held.Roots) > len(asked))
	return e
}

// AnyRunning reports whether a workbench may be running.
func AnyRunning(dataDir string) bool {
	found, _ := filepath.Glob(filepath.Join(dataDir, folder, "*.json"))
	return len(found) > 0
}

const (
	// patience is how long to wait until a holder can be reached: it may be starting.
	patience = 5 * time.Second
	again    = 20 * time.Millisecond
)

// lockOrAsk takes the lock of a folder, or asks its holder to show itself.
func lockOrAsk(dir, key string) (*os.File, *Holder, error) {
	for end := time.Now().Add(patience); ; time.Sleep(again) {
		lock, err := userfile.TryLock(filepath.Join(dir, key+".lock"))
		if !errors.Is(err, userfile.ErrLocked) {
			return lock, nil, err
		}
		at, err := readWhere(wherePath(dir, key))
		if err == nil {
			if held, err := knock(at.Socket); err == nil {
				held.Roots = at.Roots
				return nil, held, nil
			}
		}
		// The holder is starting or ending, or was replaced by another. The lock shows which.
		if time.Now().After(end) {
			return nil, &Holder{PID: at.PID, Roots: at.Roots}, nil
		}
	}
}
