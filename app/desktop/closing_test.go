package desktop

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"conch/app/workspace"
)

// TestClosing: the window closes without a question while nothing would be lost. Otherwise a person
// decides, and is asked one question at a time. A program that gets a signal to end asks nobody, and
// waits for no answer.
func TestClosing(t *testing.T) {
	end := make(chan struct{})
	asked, answers := make(chan string, 1), make(chan bool)
	var risk workspace.Risk
	closed := 0
	c := &closing{
		risk: func() workspace.Risk { return risk },
		ask: func(question string) bool {
			asked <- question
			return <-answers
		},
		close: func() error { closed++; return nil },
		end:   end,
	}
	if !c.may() {
		t.Error("it is asked though nothing would be lost")
	}
	may := make(chan bool)
	for _, risk = range []workspace.Risk{{Lost: []string{"/r/digits/config.pbtxt"}}, {ShortLived: []string{"/r/digits/config.pbtxt"}, Folders: []string{"/tmp/conch-unsaved-1"}}} {
		for _, want := range []bool{false, true} {
			go func() { may <- c.may() }()
			if q := <-asked; !strings.Contains(q, "/r/digits/config.pbtxt") || !strings.Contains(q, strings.Join(risk.Folders, "")) {
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
	}
	go func() { may <- c.may() }()
	<-asked
	close(end)
	if !<-may || closed != 1 {
		t.Errorf("it does not end when it is told to; the workbench ended %d times", closed)
	}
	answers <- false
}

// TestTextsOfThePageAlone: a text that the workbench does not keep is asked about, until it is kept or saved. A signal asks
// nothing, and the program's error names the file.
func TestTextsOfThePageAlone(t *testing.T) {
	var asked []string
	end := make(chan struct{})
	c := &closing{
		risk:  func() workspace.Risk { return workspace.Risk{} },
		alone: &alone{},
		ask:   func(question string) bool { asked = append(asked, question); return false },
		close: func() error { return nil },
		end:   end,
	}
	c.alone.set([]string{"digits/config.pbtxt"})
	if c.may() || len(asked) != 1 || !strings.Contains(asked[0], "digits/config.pbtxt") || !strings.HasSuffix(asked[0], "Choose No to save your files, or to make them smaller.") {
		t.Errorf("asked %q", asked)
	}
	c.alone.set(nil)
	if !c.may() || len(asked) != 1 {
		t.Errorf("the text is kept, and it is asked %q", asked)
	}
	c.alone.set([]string{"digits/config.pbtxt"})
	close(end)
	if !c.may() || len(asked) != 1 {
		t.Errorf("a signal came, and it is asked %q", asked)
	}
	if err := c.finish(); err == nil || !strings.Contains(err.Error(), "digits/config.pbtxt") {
		t.Errorf("it ends with %v", err)
	}
}

// TestTextsThatAPersonGaveUp: who closes the window although texts are lost gets no error for them. One that came while the question
// was open was not asked about.
func TestTextsThatAPersonGaveUp(t *testing.T) {
	asked := []string{"digits/config.pbtxt", "digits/1/model.py"}
	for _, meanwhile := range []string{"", "sums/config.pbtxt"} {
		c := &closing{risk: func() workspace.Risk { return workspace.Risk{} }, alone: &alone{}, close: func() error { return nil }}
		c.ask = func(string) bool {
			if meanwhile != "" {
				c.alone.set(append([]string{meanwhile}, asked...))
			}
			return true
		}
		c.alone.set(asked)
		if !c.may() {
			t.Error("it does not close")
		}
		err := c.finish()
		if (err != nil) != (meanwhile != "") || err != nil && !strings.HasSuffix(err.Error(), "are lost: "+meanwhile) {
			t.Errorf("with %q meanwhile it ends with %v", meanwhile, err)
		}
	}
}

// TestToldToEnd: a window that a signal ends asks nobody. It shows what is lost while the workbench
// tries to keep it, and the program gets the error.
func TestToldToEnd(t *testing.T) {
	end := make(chan struct{})
	close(end)
	for _, risk := range []workspace.Risk{{Lost: []string{"/r/digits/config.pbtxt"}}, {}} {
		told, lost := make(chan string, 1), errors.New("lost")
		shown := ""
		c := &closing{
			risk:  func() workspace.Risk { return risk },
			ask:   func(string) bool { t.Error("it asks"); return false },
			tell:  func(text string) { told <- text },
			close: func() error { shown = wait(told, len(risk.Lost) > 0); return lost },
			end:   end,
		}
		if !c.may() {
			t.Error("it does not close")
		}
		if err := c.finish(); !errors.Is(err, lost) {
			t.Errorf("it ended with %v", err)
		}
		if len(risk.Lost) > 0 && !strings.Contains(shown, risk.Lost[0]) || len(risk.Lost) == 0 && len(told) > 0 {
			t.Errorf("it told %q", shown)
		}
	}
}

// wait waits for the shown text, if something is expected.
func wait(told chan string, something bool) string {
	if !something {
		return ""
	}
	return <-told
}

// TestClosingOnADiskThatHangs: after a while a person is asked, is told why, and may close the window.
// The workbench is not waited for any longer either.
func TestClosingOnADiskThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := make(chan struct{}) // of the disk
		var asked string
		yes := false
		c := &closing{
			risk:  func() workspace.Risk { <-answers; return workspace.Risk{} },
			ask:   func(question string) bool { asked = question; return yes },
			close: func() error { <-answers; return errors.New("ended") },
		}
		for _, yes = range []bool{false, true} {
			begun := time.Now()
			if got := c.may(); got != yes || !strings.Contains(asked, "does not answer") || time.Since(begun) > patience {
				t.Errorf("answered %v, it closes %v after %v, asked %q", yes, got, time.Since(begun), asked)
			}
		}
		if err := c.finish(); !errors.Is(err, errHangs) {
			t.Errorf("it ends: %v", err)
		}
		close(answers)
		asked = ""
		if !c.may() || asked != "" {
			t.Errorf("the disk answers, and it is asked %q", asked)
		}
	})
}

// TestFinishing: the workbench is ended once. Where the disk answers, finish waits for it.
func TestFinishing(t *testing.T) {
	ended := 0
	c := &closing{close: func() error { ended++; return errors.New("ended") }}
	for range 2 {
		if err := c.finish(); err == nil || err.Error() != "ended" || ended != 1 {
			t.Errorf("it ends: %v, %d times", err, ended)
		}
	}
}
