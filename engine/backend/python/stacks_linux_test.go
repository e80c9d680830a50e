package python_test

import (
	"strings"
	"testing"

	"conch/engine/backend"
)

// crowded is a model that waits beside 50 threads with deep stacks. "wrong" makes what tells where coroutines wait raise.
const crowded = `
import threading
import time

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        self.there, self.over = threading.Semaphore(0), threading.Event()
        if requests[0].inputs()[0].as_numpy()[0, 0] == b"wrong":
            from conch_worker.coroutines import COROUTINES

            COROUTINES.places = self.wrong
        else:
            for _ in range(50):
                threading.Thread(target=self.deep, args=(150,), daemon=True).start()
            for _ in range(50):
                self.there.acquire()
        print("now", flush=True)
        while True:
            time.sleep(0.001)

    def deep(self, depth):
        if depth > 0:
            return self.deep(depth - 1)
        self.there.release()
        self.over.wait()

    def wrong(self):
        raise ValueError("no places")
`

// The main thread is told when the stacks are longer than what is taken of them, and when the others cannot be told: the error
// is not raised in the code that the question has interrupted.
func TestStacksBeginWithTheMainThread(t *testing.T) {
	for _, what := range []string{"many", "wrong"} {
		t.Run(what, func(t *testing.T) {
			in, log := loadProgram(t, crowded)
			ended := make(chan error, 1)
			go func() {
				_, err := run(t, in, text(what))
				ended <- err
			}()
			log.until("now")
			look := in.(backend.Inspectable)
			for range 3 { // it goes on
				stacks, err := look.Stacks(t.Context())
				if err != nil || !strings.HasPrefix(stacks, "Main thread:\n") || !strings.Contains(stacks, "in execute") {
					t.Fatalf("stacks: %v\n%.2000s", err, stacks)
				}
				if count := strings.Count(stacks, "\n"); what == "many" && count < 3500 {
					t.Errorf("%d lines, and more were written", count)
				}
			}
			if how, err := look.Break(t.Context()); err != nil || !strings.Contains(how, "KeyboardInterrupt.") {
				t.Errorf("broken off: %q, %v", how, err)
			}
			if err := <-ended; err == nil || strings.Contains(err.Error(), "no places") {
				t.Errorf("the request: %v", err)
			}
		})
	}
}
