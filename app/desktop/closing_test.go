package desktop

import (
	"strings"
	"testing"
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
