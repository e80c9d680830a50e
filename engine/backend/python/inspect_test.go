//go:build linux

package python_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"conch/engine/backend"
	"conch/engine/backend/python"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// hangs is a model that does not come back, in one of several ways.
const hangs = `
import itertools
import threading
import time

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        what = requests[0].inputs()[0].as_numpy()[0, 0].decode()
        print("now", what, flush=True)
        if what == "loop":
            while True:
                pass
        if what == "sleep":
            time.sleep(1000)
        if what == "C":
            sum(itertools.repeat(1))
        if what == "stubborn":
            while True:
                try:
                    time.sleep(1000)
                except BaseException:
                    pass
        if what == "log":
            while True:
                pb_utils.Logger.log_verbose("on and on")
        if what == "thread":
            thread = threading.Thread(target=self.wait, name="the other one")
            thread.start()
            thread.join()
        if what == "call":
            pb_utils.InferenceRequest(model_name="silent", inputs=[], requested_output_names=[]).exec()
            print("never", flush=True)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", r.inputs()[0].as_numpy())]) for r in requests]

    def wait(self):
        time.sleep(1000)
`

// silent is a model that does not answer before the test ends, whatever becomes of the call.
type silent struct{ test context.Context }

func (s silent) Infer(context.Context, *infer.Request, infer.Sink) error {
	<-s.test.Done()
	return s.test.Err()
}

// An execution that hangs says where it is, in Python and in C, and goes on. Then it is broken off: by KeyboardInterrupt where
// the program lets it, so that the process serves further requests; otherwise with its process.
func TestHangs(t *testing.T) {
	for what, c := range map[string]struct {
		shown []string
		lives bool
	}{
		"loop":     {nil, true},
		"sleep":    {[]string{lineOf(hangs, "time.sleep(1000)")}, true},
		"C":        {[]string{lineOf(hangs, "sum(")}, false},
		"stubborn": {nil, false},
		"log":      {[]string{lineOf(hangs, "log_verbose")}, true},
		"thread":   {[]string{lineOf(hangs, "thread.join()"), "in wait"}, true},
		"call":     {[]string{lineOf(hangs, "pb_utils.InferenceRequest(")}, true},
	} {
		t.Run(what, func(t *testing.T) {
			in, log := loadProgram(t, hangs)
			in.(backend.Caller).Calls(silent{t.Context()})
			ended := make(chan error, 1)
			go func() {
				_, err := run(t, in, text(what))
				ended <- err
			}()
			log.until("now")
			look := in.(backend.Inspectable)
			for range 2 { // it goes on
				stacks, err := look.Stacks(t.Context())
				if err != nil || !strings.Contains(stacks, "Main thread:\n") || !strings.Contains(stacks, "in execute") || strings.Contains(stacks, "conch_worker") && what != "log" {
					t.Fatalf("stacks: %v\n%s", err, stacks)
				}
			}
			for _, want := range c.shown { // it may not have come there yet
				for stacks := ""; !strings.Contains(stacks, want); {
					var err error
					if stacks, err = look.Stacks(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
			}
			how, err := look.Break(t.Context())
			if err != nil || strings.Contains(how, "KeyboardInterrupt.") != c.lives {
				t.Errorf("broken off: %q, %v", how, err)
			}
			got := <-ended
			if c.lives && (got == nil || !strings.Contains(got.Error(), "KeyboardInterrupt: the request was interrupted\n\nAt:\n")) {
				t.Errorf("the request: %v", got)
			}
			if !c.lives && (got == nil || !strings.Contains(got.Error(), "Its execution was interrupted")) {
				t.Errorf("the request: %v", got)
			}
			if !c.lives {
				<-in.(backend.Mortal).Died()
				return
			}
			if _, err := run(t, in, text("echo")); err != nil {
				t.Errorf("the next request: %v", err)
			}
			if _, err := look.Break(t.Context()); err == nil {
				t.Error("nothing runs, and it was broken off")
			}
		})
	}
}

// churns is a model whose threads begin, call and end all the time.
const churns = `
import threading

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        print("now", flush=True)
        while True:
            threads = [threading.Thread(target=self.deep, args=(200,)) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    def deep(self, depth):
        if depth > 0:
            self.deep(depth - 1)
`

// A process whose threads do not stand still outlives any number of questions where they are.
func TestStacksOfThreadsThatRun(t *testing.T) {
	in, log := loadProgram(t, churns)
	ended := make(chan error, 1)
	go func() {
		_, err := run(t, in, text(""))
		ended <- err
	}()
	log.until("now")
	look := in.(backend.Inspectable)
	for range 300 {
		if stacks, err := look.Stacks(t.Context()); err != nil || !strings.Contains(stacks, "in execute") {
			t.Fatalf("stacks: %v\n%s", err, stacks)
		}
	}
	if _, err := look.Break(t.Context()); err != nil {
		t.Error(err)
	}
	<-ended
}

// lineOf returns how a stack names the first line with a text.
func lineOf(program, text string) string {
	before, _, _ := strings.Cut(program, text)
	return fmt.Sprintf("model.py\", line %d in execute", strings.Count(before, "\n")+1)
}

// An instance tells which process it is, and what that uses.
func TestProcessOfAnInstance(t *testing.T) {
	in, log := loadProgram(t, hangs)
	first, ok := in.(backend.Housed).Process()
	if !ok || first.PID == 0 || first.Resident < 5<<20 || time.Since(first.Started) > time.Minute {
		t.Fatalf("the process: %+v", first)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := run(t, in, text("loop"))
		ended <- err
	}()
	log.until("now")
	for { // until the system has counted it
		if now, _ := in.(backend.Housed).Process(); now.CPU > first.CPU {
			break
		}
	}
	in.(backend.Interrupter).Interrupt()
	<-ended
	<-in.(backend.Mortal).Died()
	if p, ok := in.(backend.Housed).Process(); ok {
		t.Errorf("it has ended: %+v", p)
	}
}

func loadProgram(t *testing.T, program string) (backend.Instance, lines) {
	t.Helper()
	return load(t, specOf(t, program, flat(tensor.Bytes)))
}

// Only the execution that runs is broken off. Those that wait for it in the process run then, and one that broke off does not harm them.
func TestBreakOneOfSeveral(t *testing.T) {
	in, log := loadProgram(t, hangs)
	look := in.(backend.Inspectable)
	for range 5 {
		var all [3]chan error
		for i := range all {
			all[i] = make(chan error, 1)
			what := "loop"
			if i > 0 {
				what = "echo"
			}
			go func() {
				_, err := run(t, in, text(what))
				all[i] <- err
			}()
			if i == 0 {
				log.until("now loop")
			}
		}
		if how, err := look.Break(t.Context()); err != nil || !strings.Contains(how, "KeyboardInterrupt.") {
			t.Errorf("broken off: %q, %v", how, err)
		}
		if err := <-all[0]; err == nil || !strings.Contains(err.Error(), "KeyboardInterrupt") {
			t.Errorf("the one that ran: %v", err)
		}
		for _, ended := range all[1:] {
			if err := <-ended; err != nil {
				t.Errorf("one that waited: %v", err)
			}
		}
	}
}

// A signal that comes when the execution that it is for has ended does nothing to the next one.
func TestBreakThatComesLate(t *testing.T) {
	in, log := loadProgram(t, hangs)
	ended := make(chan error, 1)
	if _, err := run(t, in, text("echo")); err != nil {
		t.Fatal(err)
	}
	go func() {
		_, err := run(t, in, text("loop"))
		ended <- err
	}()
	log.until("now loop")
	python.BreakOff(in, 1) // the first one
	select {
	case err := <-ended:
		t.Fatalf("another execution was broken off: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	if _, err := in.(backend.Inspectable).Break(t.Context()); err != nil {
		t.Error(err)
	}
	<-ended
}
