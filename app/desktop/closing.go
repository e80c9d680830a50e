package desktop

import (
	"fmt"
	"strings"
	"sync"
)

// closing decides whether the window may close.
type closing struct {
	// unkept lists the files whose unsaved texts would be lost.
	unkept func() []string
	// ask asks a person, and says whether the answer is yes.
	ask func(question string) bool
	// end is closed when the program is told to end, which nobody is asked about; nil for never.
	end <-chan struct{}

	asking sync.Mutex // held while a person is asked
}

// may says whether the window may close now.
func (c *closing) may() bool {
	if c.told() {
		return true
	}
	if !c.asking.TryLock() {
		return false // a person is being asked already
	}
	files := c.unkept()
	if len(files) == 0 {
		c.asking.Unlock()
		return true
	}
	answer := make(chan bool, 1)
	go func() {
		defer c.asking.Unlock()
		answer <- c.ask(question(files))
	}()
	select {
	case yes := <-answer:
		return yes
	case <-c.end:
		return true
	}
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

func question(files []string) string {
	list := strings.Join(files[:min(len(files), mostNamed)], "\n")
	if more := len(files) - mostNamed; more > 0 {
		list += fmt.Sprintf("\nand %d more", more)
	}
	return "Unsaved changes cannot be kept, since nothing can be written to the disk. They are lost if you close the window now:\n\n" +
		list + "\n\nClose all the same? Choose No to save your files, or to free some space first."
}
