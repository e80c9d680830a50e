package desktop

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestClosing: the window closes unasked while nothing would be lost; else a person decides, who is asked once at a time. A
// program that is told to end asks nobody, and waits for no answer.
func TestClosing(t *testing.T) {
	end := make(chan struct{})
	asked, answers := make(chan string, 1), make(chan bool)
	var unkept []string
	c := &closing{
		unkept: func() []string { return unkept },
		ask: func(question string) bool {
			asked <- question
			return <-answers
		},
		end: end,
	}
	if !c.may() {
		t.Error("it is asked though nothing would be lost")
	}
	unkept = []string{"/repository/digits/config.pbtxt"}
	may := make(chan bool)
	for _, want := range []bool{false, true} {
		go func() { may <- c.may() }()
		if q := <-asked; !strings.Contains(q, unkept[0]) {
			t.Errorf("asked %q", q)
		}
		if c.may() {
			t.Error("it closes while a person is asked")
		}
		answers <- want
		if got := <-may; got != want {
			t.Errorf("answered %v, it closes: %v", want, got)
		}
	}
	go func() { may <- c.may() }()
	<-asked
	close(end)
	if !<-may || !c.may() {
		t.Error("it does not end when it is told to")
	}
	answers <- false
}

// TestClosingOnADiskThatHangs: a person is asked after a while, is told why, and may close the window; the workbench is waited for
// no longer either.
func TestClosingOnADiskThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := make(chan struct{}) // the disk's
		var asked string
		yes := false
		c := &closing{
			unkept: func() []string { <-answers; return nil },
			ask:    func(question string) bool { asked = question; return yes },
		}
		end := func() error { <-answers; return errors.New("ended") }
		for _, yes = range []bool{false, true} {
			begun := time.Now()
			if got := c.may(); got != yes || !strings.Contains(asked, "does not answer") || time.Since(begun) > patience {
				t.Errorf("answered %v, it closes %v after %v, asked %q", yes, got, time.Since(begun), asked)
			}
		}
		if err := c.finish(end); !errors.Is(err, errHangs) {
			t.Errorf("it ends: %v", err)
		}
		close(answers)
		asked = ""
		if !c.may() || asked != "" {
			t.Errorf("the disk answers, and it is asked %q", asked)
		}
		if err := c.finish(end); err == nil || err.Error() != "ended" {
			t.Errorf("it ends: %v", err)
		}
	})
}
