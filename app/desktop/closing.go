package desktop

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// closing decides whether the window may close.
type closing struct {
	// unkept lists the files whose unsaved texts would be lost.
	unkept func() []string
	// ask asks a person, and reports whether the answer is yes.
	ask func(question string) bool
	// end is closed when the program is told to end, which nobody is asked about; nil for never.
	end <-chan struct{}

	asking sync.Mutex // held while a person is asked
	// hangs says that the disk did not answer when it was asked last.
	hangs atomic.Bool
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
		return true
	}
	if !c.asking.TryLock() {
		return false // a person is being asked already
	}
	var files []string
	c.hangs.Store(!soon(func() { files = c.unkept() }))
	words := hanging
	if !c.hangs.Load() {
		words = question(files)
	}
	if words == "" || c.told() {
		c.asking.Unlock()
		return true
	}
	answer := make(chan bool, 1)
	go func() {
		defer c.asking.Unlock()
		answer <- c.ask(words)
	}()
	select {
	case yes := <-answer:
		return yes
	case <-c.end:
		return true
	}
}

// finish ends the workbench when the window is closed. It waits for a disk that hangs only for a while.
func (c *closing) finish(end func() error) error {
	if !c.hangs.Load() {
		return end()
	}
	ended := make(chan error, 1)
	if !soon(func() { ended <- end() }) {
		return errHangs
	}
	return <-ended
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

// hanging is what a person is asked when nobody knows what is kept.
const hanging = "The disk with your data does not answer. Conch cannot say whether your unsaved changes are kept; they may be lost if you close the window now.\n\n" +
	"Close anyway? Choose No to wait for the disk, or to copy your changes."

// question names what would be lost; "" when nothing would be.
func question(files []string) string {
	if len(files) == 0 {
		return ""
	}
	list := strings.Join(files[:min(len(files), mostNamed)], "\n")
	if more := len(files) - mostNamed; more > 0 {
		list += fmt.Sprintf("\nand %d more", more)
	}
	return "Unsaved changes cannot be kept, since nothing can be written to the disk. They are lost if you close the window now:\n\n" +
		list + "\n\nClose anyway? Choose No to save your files, or to free some space first."
}
