package desktop

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"conch/app/workspace"
)

// closing decides whether the window may close, and ends the workbench.
type closing struct {
	// risk says which unsaved texts would be lost, or not kept for long.
	risk func() workspace.Risk
	// ask asks a person, and reports whether the answer is yes.
	ask func(question string) bool
	// tell shows a text to a person, who closes it.
	tell func(text string)
	// close ends the workbench.
	close func() error
	// end is closed when the program is told to end, which nobody is asked about; nil for never.
	end <-chan struct{}

	asking sync.Mutex // held while a person is asked
	// hangs says that the disk did not answer when it was asked last.
	hangs atomic.Bool

	ending sync.Once
	err    error // how the workbench ended
}

// patience is how long the window waits for the disk before it closes or a person is asked.
const patience = 3 * time.Second

// errHangs is why the workbench did not end well.
var errHangs = errors.New("the disk does not answer")

// soon does some work, and reports whether it was done within the patience. Else it goes on.
func soon(work func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		work()
	}()
	select {
	case <-done:
		return true
	case <-time.After(patience):
		return false
	}
}

// may reports whether the window may close now.
func (c *closing) may() bool {
	if c.told() {
		c.endUnasked()
		return true
	}
	if !c.asking.TryLock() {
		return false // a person is being asked already
	}
	words := c.words()
	if words == "" || c.told() {
		c.asking.Unlock()
		return true
	}
	words += "\n\nClose anyway? Choose No " + wayOut(c.hangs.Load())
	answer := make(chan bool, 1)
	go func() {
		defer c.asking.Unlock()
		answer <- c.ask(words)
	}()
	select {
	case yes := <-answer:
		return yes
	case <-c.end:
		_ = c.finish() // while the question is there, which says what is lost
		return true
	}
}

// endUnasked ends the workbench of a program that is told to end. Where texts are lost, or are not kept for long, a person
// sees it in the window while the workbench tries to keep them.
func (c *closing) endUnasked() {
	words := c.words()
	if words == "" {
		return
	}
	go c.tell(words + "\n\nConch was told to end. It tries to keep them for a few seconds.")
	_ = c.finish() // whoever finishes again has the error
}

// words say what would be lost; "" when nothing would be.
func (c *closing) words() string {
	answers := make(chan workspace.Risk, 1)
	c.hangs.Store(!soon(func() { answers <- c.risk() }))
	if c.hangs.Load() {
		return hanging
	}
	return describe(<-answers)
}

// finish ends the workbench, and says how it ended. It waits for a disk that hangs only for a while.
func (c *closing) finish() error {
	c.ending.Do(func() {
		if !c.hangs.Load() {
			c.err = c.close()
			return
		}
		ended := make(chan error, 1)
		if !soon(func() { ended <- c.close() }) {
			c.err = errHangs
			return
		}
		c.err = <-ended
	})
	return c.err
}

func (c *closing) told() bool {
	select {
	case <-c.end:
		return true
	default:
		return false
	}
}

// mostNamed bounds the files that a question names.
const mostNamed = 10

// hanging is what a person is told when nobody knows what is kept.
const hanging = "The disk with your data does not answer. Conch cannot say whether your unsaved changes are kept; they may be lost if you close the window now."

// wayOut ends a question: what a person can do who does not close the window.
func wayOut(hangs bool) string {
	if hangs {
		return "to wait for the disk, or to copy your changes."
	}
	return "to save your files, or to free some space first."
}

// describe names the files whose unsaved texts would be lost, or not be kept for long; "" when all are kept.
func describe(risk workspace.Risk) string {
	var parts []string
	if len(risk.Lost) > 0 {
		parts = append(parts, "Unsaved changes cannot be kept, since nothing can be written to the disk. They are lost when Conch ends:\n\n"+listed(risk.Lost))
	}
	if len(risk.Passing) > 0 {
		parts = append(parts, fmt.Sprintf("Unsaved changes are only in %s, until this machine is restarted or you log out:\n\n%s",
			strings.Join(risk.Folders, ", "), listed(risk.Passing)))
	}
	return strings.Join(parts, "\n\n")
}

func listed(files []string) string {
	list := strings.Join(files[:min(len(files), mostNamed)], "\n")
	if more := len(files) - mostNamed; more > 0 {
		list += fmt.Sprintf("\nand %d more", more)
	}
	return list
}
