package desktop

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"conch/app/workspace"
)

// closing decides whether the window may close, and ends the workbench.
type closing struct {
	// risk returns which unsaved texts would be lost, or kept for a short time only.
	risk func() workspace.Risk
	// alone are unsaved texts that the workbench does not have.
	alone *alone
	// ask asks a person, and reports whether the answer is yes.
	ask func(question string) bool
	// tell shows a text to a person, who closes it.
	tell func(text string)
	// close ends the workbench.
	close func() error
	// end is closed when the program gets a signal to end. Then nobody is asked. Nil means never.
	end <-chan struct{}

	asking sync.Mutex // held while a person is asked
	// hangs means that the disk did not answer the last time.
	hangs atomic.Bool

	ending sync.Once
	err    error // of the end of the workbench
}

// patience is how long the window waits for the disk before it asks a person or closes.
const patience = 3 * time.Second

// errHangs means that the workbench could not end because of the disk.
var errHangs = errors.New("the disk does not answer")

// soon does some work, and reports whether it was done within the patience. Otherwise the work
// continues.
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
	risk, files := c.risks(), c.alone.list()
	alone := describeAlone(files)
	if risk+alone == "" || c.told() {
		c.asking.Unlock()
		return true
	}
	words := paragraphs(risk, alone, "Close anyway? Choose No "+c.wayOut(risk))
	answer := make(chan bool, 1)
	go func() {
		yes := c.ask(words)
		c.asking.Unlock() // before the answer, so that the window may ask again as soon as this question is decided
		answer <- yes
	}()
	select {
	case yes := <-answer:
		if yes {
			c.alone.giveUp(files)
		}
		return yes
	case <-c.end:
		_ = c.finish() // while the text is shown, which says what is lost
		return true
	}
}

// endUnasked ends the workbench of a program that got a signal to end. Where texts would be lost, or
// kept for a short time only, the window shows that while the workbench tries to keep them. It does not wait for texts that the page
// alone has, since nothing tries to keep them: where there are only these, it shows nothing, and the program's error names them.
func (c *closing) endUnasked() {
	risk := c.risks()
	if risk == "" {
		return
	}
	go c.tell(paragraphs(risk, "Conch got a signal to end. It tries to keep them for a few seconds.", describeAlone(c.alone.list())))
	_ = c.finish() // a later call of finish returns the error
}

// risks say what the workbench would lose; "" when nothing.
func (c *closing) risks() string {
	answers := make(chan workspace.Risk, 1)
	c.hangs.Store(!soon(func() { answers <- c.risk() }))
	if c.hangs.Load() {
		return hanging
	}
	return describe(<-answers)
}

// finish ends the workbench, and returns its error, with what the window alone had and nobody agreed to lose. It waits only for a while for a disk
// that hangs.
func (c *closing) finish() error {
	c.ending.Do(func() { c.err = errors.Join(c.endWorkbench(), c.alone.lost()) })
	return c.err
}

func (c *closing) endWorkbench() error {
	if !c.hangs.Load() {
		return c.close()
	}
	ended := make(chan error, 1)
	if !soon(func() { ended <- c.close() }) {
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

// mostNamed limits the files that a question names.
const mostNamed = 10

// hanging is the text for a person when it is unknown what is kept.
const hanging = "The disk with your data does not answer. Conch cannot say whether your unsaved changes are kept; they may be lost if you close the window now."

// wayOut ends a question: what a person can do other than close the window.
func (c *closing) wayOut(risk string) string {
	switch {
	case c.hangs.Load():
		return "to wait for the disk, or to copy your changes."
	case risk == "":
		return "to save your files, or to make them smaller."
	}
	return "to save your files, or to free some space first."
}

// paragraphs joins those that say something.
func paragraphs(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "\n\n")
}

// describe names the files whose unsaved texts would be lost, or kept for a short time only; "" when
// all are kept.
func describe(risk workspace.Risk) string {
	var parts []string
	if len(risk.Lost) > 0 {
		parts = append(parts, "Unsaved changes cannot be kept, since nothing can be written to the disk. They are lost when Conch ends:\n\n"+listed(risk.Lost))
	}
	if len(risk.ShortLived) > 0 {
		parts = append(parts, fmt.Sprintf("Unsaved changes are only in %s, until this machine is restarted or you log out:\n\n%s",
			strings.Join(risk.Folders, ", "), listed(risk.ShortLived)))
	}
	return paragraphs(parts...)
}

func listed(files []string) string {
	list := strings.Join(files[:min(len(files), mostNamed)], "\n")
	if more := len(files) - mostNamed; more > 0 {
		list += fmt.Sprintf("\nand %d more", more)
	}
	return list
}
