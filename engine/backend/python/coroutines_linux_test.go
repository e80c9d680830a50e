package python_test

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/tensor"
)

// coroutine is a model whose execute is a coroutine, which does what its input says.
const coroutine = `
import asyncio
import os
import sys
import time

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        self.loop, self.ticks = None, 0

    async def execute(self, requests):
        return [await self.answer(request) for request in requests]

    async def answer(self, request):
        what = request.inputs()[0].as_numpy()[0, 0].decode()
        print("now", what, flush=True)
        await getattr(self, what)()
        return pb_utils.InferenceResponse([pb_utils.Tensor("OUT", request.inputs()[0].as_numpy())])

    async def echo(self):
        pass

    async def begin(self):
        self.loop, self.condition = asyncio.get_running_loop(), asyncio.Condition()
        self.task = asyncio.create_task(self.tick())

    async def tick(self):
        while True:
            self.ticks += 1
            async with self.condition:
                self.condition.notify_all()
            await asyncio.sleep(0.001)

    async def go_on(self):
        assert self.loop is asyncio.get_running_loop(), "another loop"
        before = self.ticks
        async with self.condition:
            await self.condition.wait_for(lambda: self.ticks > before)

    async def idle(self):
        await self.deeper()

    async def deeper(self):
        await asyncio.sleep(1000)

    async def busy(self):
        while True:
            pass

    async def stubborn(self):
        while True:
            try:
                await asyncio.sleep(1000)
            except BaseException:
                pass

    async def exit(self):
        sys.exit("no more")

    async def fork(self):
        if os.fork() == 0:
            return
        os.wait()

    async def work(self):
        for _ in range(3):
            await asyncio.sleep(0)
            self.leaf()

    def leaf(self):
        return sorted([2, 1])
`

// A task and a lock of one request serve the next ones, as in Triton: all coroutines have one loop, which runs on between them.
func TestCoroutinesShareALoop(t *testing.T) {
	in, _ := loadProgram(t, coroutine)
	for _, what := range []string{"begin", "go_on", "go_on", "fork", "go_on"} {
		r, err := run(t, in, text(what))
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		free(r)
	}
	if _, err := run(t, in, text("exit")); err == nil || !strings.Contains(err.Error(), "SystemExit: no more") {
		t.Errorf("sys.exit: %v", err)
	}
	if r, err := run(t, in, text("go_on")); err != nil {
		t.Errorf("after sys.exit: %v", err)
	} else {
		free(r)
	}
}

// A coroutine that hangs says where it waits, and is ended by an interrupt when it lets itself be ended.
func TestCoroutinesThatHang(t *testing.T) {
	for what, lives := range map[string]bool{"idle": true, "busy": true, "stubborn": false} {
		t.Run(what, func(t *testing.T) {
			in, log := loadProgram(t, coroutine)
			ended := make(chan error, 1)
			go func() {
				_, err := run(t, in, text(what))
				ended <- err
			}()
			log.until("now")
			look := in.(backend.Inspectable)
			for stacks := ""; !strings.Contains(stacks, "in "+what); { // it may not have come there yet
				var err error
				if stacks, err = look.Stacks(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			how, err := look.Break(t.Context())
			if err != nil || strings.Contains(how, "KeyboardInterrupt.") != lives {
				t.Errorf("broken off: %q, %v", how, err)
			}
			got := <-ended
			if !lives {
				<-in.(backend.Mortal).Died()
				return
			}
			if got == nil || !strings.Contains(got.Error(), "KeyboardInterrupt: the request was interrupted\n\nAt:\n") || !strings.Contains(got.Error(), "model.py(") {
				t.Errorf("the request: %v", got)
			}
			if _, err := run(t, in, text("echo")); err != nil {
				t.Errorf("the next request: %v", err)
			}
			if stacks, err := look.Stacks(t.Context()); err != nil || !strings.HasPrefix(stacks, "No code of the model runs") {
				t.Errorf("between requests: %v, %q", err, stacks)
			}
		})
	}
}

// interruptions breaks off 1,500 waits for coroutines that end at about the same moment, and those of coroutines that wait.
const interruptions = `
import asyncio
import signal
import time

from conch_worker.coroutines import COROUTINES

once = []


def interrupt(number, frame):
    if once and frame.f_code.co_name == "wait" and frame.f_code.co_filename.endswith("coroutines.py"):
        once.clear()
        raise KeyboardInterrupt


async def short(seconds):
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass


signal.signal(signal.SIGALRM, interrupt)
broken = 0
for i in range(1500):
    coroutine = asyncio.sleep(1000) if i % 3 == 0 else short(i % 50 * 2e-5)
    once.append(True)
    try:
        signal.setitimer(signal.ITIMER_REAL, 4e-4, 2e-4)
        COROUTINES.run(coroutine)
    except KeyboardInterrupt:
        broken += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
print(broken > 500)
`

// An interrupt that comes as a coroutine ends is not a wait for ever, and a loop that waits has nothing raised in it.
func TestInterruptsOfCoroutines(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	python := exec.CommandContext(ctx, interpreter(t), "-c", interruptions)
	python.Env = append(python.Environ(), "PYTHONPATH=lib")
	if out, err := python.CombinedOutput(); err != nil || string(out) != "True\n" {
		t.Errorf("%v, it wrote %s", err, out)
	}
}

// waiting is a model of which two threads wait in select, one of them the main thread, and one in a function of its own.
const waiting = `
import asyncio
import selectors
import subprocess
import threading
import time


class TritonPythonModel:
    async def warm(self):
        pass

    def execute(self, requests):
        from conch_worker.coroutines import COROUTINES

        COROUTINES.run(self.warm())  # so that there is a loop
        for target in (self.polls, self.sleeps):
            threading.Thread(target=target, daemon=True).start()
        print("now", flush=True)
        subprocess.run(["sleep", "1000"], capture_output=True)

    def polls(self):
        asyncio.run(asyncio.sleep(1000))

    def sleeps(self):
        time.sleep(1000)
`

// A thread of the model that waits for a file or a socket is told as any other; only the loop of coroutines is left out then.
func TestStacksOfThreadsThatWait(t *testing.T) {
	in, log := loadProgram(t, waiting)
	ended := make(chan error, 1)
	go func() {
		_, err := run(t, in, text(""))
		ended <- err
	}()
	log.until("now")
	var stacks string
	for !strings.Contains(stacks, "in polls") || !strings.Contains(stacks, "in sleeps") || strings.Count(stacks, "selectors.py") < 2 { // they may not have come there yet
		var err error
		if stacks, err = in.(backend.Inspectable).Stacks(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	main, _, _ := strings.Cut(stacks, "\nThread ")
	if !strings.HasPrefix(main, "Main thread:\n") || !strings.Contains(main, lineOf(waiting, "subprocess.run(")) || strings.Count(stacks, "in _run_once") != 1 {
		t.Errorf("the stacks are\n%s", stacks)
	}
	in.(backend.Interrupter).Interrupt()
	<-ended
}

// The profile of a coroutine has all of its steps below the same callers.
func TestProfileOfACoroutine(t *testing.T) {
	in, _ := loadProgram(t, coroutine)
	calls := int64(0)
	for name, node := range paths(profiled(t, in, text("work"))) {
		if strings.HasSuffix(strings.ReplaceAll(name, "TritonPythonModel.", ""), "work/leaf") { // Python 3.9 and 3.10 know no class
			calls += node.Calls
		}
	}
	if calls != 3 {
		t.Errorf("work called leaf %d times in one place of the tree, want 3", calls)
	}
}

// together is a decoupled model whose requests wait for each other.
const together = `
import asyncio

import triton_python_backend_utils as pb_utils

FINAL = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL


class TritonPythonModel:
    def initialize(self, args):
        self.came, self.both = 0, None

    async def execute(self, requests):
        await asyncio.gather(*[self.answer(request) for request in requests])

    async def answer(self, request):
        what = request.inputs()[0].as_numpy()[0, 0].decode()
        if what == "raise":
            raise ValueError("of a coroutine")
        if self.both is None:
            self.both = asyncio.Event()
        self.came += 1
        if self.came == 2:
            self.both.set()
        await self.both.wait()
        tensor = pb_utils.Tensor("OUT", request.inputs()[0].as_numpy())
        request.get_response_sender().send(pb_utils.InferenceResponse([tensor]), FINAL)
`

// Coroutines of a decoupled model run side by side, as in Triton: an instance takes the next request while one of them waits.
func TestDecoupledCoroutinesRunTogether(t *testing.T) {
	cfg := flat(tensor.Bytes)
	cfg.ModelTransactionPolicy = &modelconfig.ModelTransactionPolicy{Decoupled: true}
	in, log := load(t, specOf(t, together, cfg))
	one := sent(t, in, "one")
	wrong := sent(t, in, "raise")
	select {
	case err := <-wrong.failed:
		if !strings.Contains(err.Error(), "Failed to process the request(s) for model 'm_0', message: ValueError: of a coroutine\n\nAt:\n") {
			t.Errorf("one that raises: %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("a coroutine raised, and its request has no answer")
	}
	log.until("ValueError: of a coroutine")
	for _, to := range []told{one, sent(t, in, "two")} {
		if r := <-to.ended; r.Err != nil {
			t.Errorf("answered with %v", r.Err)
		}
	}
}
