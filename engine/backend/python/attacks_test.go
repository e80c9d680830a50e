package python_test

import (
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// attacks is a model that does to the worker what its input says, and then copies the input.
const attacks = `
import os
import signal
import socket
import struct
import time

import triton_python_backend_utils as pb_utils


class Late(TimeoutError):
    pass


def late(number, frame):
    raise Late("too late")


class TritonPythonModel:
    def initialize(self, args):
        signal.signal(signal.SIGALRM, late)
        assert signal.getsignal(signal.SIGALRM) is late
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.001)
            time.sleep(10)
        except Late:
            self.early = True

    def execute(self, requests):
        what = requests[0].inputs()[0].as_numpy()[0, 0].decode()
        if len(what) < 100:
            getattr(self, what)()
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", r.inputs()[0].as_numpy())]) for r in requests]

    def nothing(self):
        pass

    def alarm(self):
        "Come while the worker waits for the next request."
        signal.setitimer(signal.ITIMER_REAL, 0.01)

    def alarms(self):
        "Come at any time, also while the worker reads and writes."
        signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)

    def in_execute(self):
        signal.setitimer(signal.ITIMER_REAL, 0.001)
        time.sleep(10)

    def not_waiting(self):
        for descriptor in (3, 4, 5):
            os.set_blocking(descriptor, False)

    def long_line(self):
        pb_utils.Logger.log_info("x" * 20_000_000)

    def many_lines(self):
        for n in range(5000):
            pb_utils.Logger.log_info(str(n))

    def flood(self):
        "Ask, and read no answer."
        connection = socket.socket(fileno=os.dup(3))
        question = b'{"what":"value","metric":1}'
        frame = struct.pack("<IB3xQ", len(question), 71, 1) + question
        for _ in range(1000):
            connection.sendall(frame * 1000)

    def is_ready(self):
        return True
`

// A process that asks and reads no answers is ended before its questions fill the engine.
func TestQuestionsWithoutReading(t *testing.T) {
	in, _ := loadAttacks(t)
	if _, err := run(t, in, text("flood")); err == nil || !strings.Contains(err.Error(), "The model has asked more than 10000 times without reading an answer") {
		t.Errorf("a flood of questions: %v", err)
	}
}

// An exception of a signal handler that comes while no code of the model runs does not end the process, and is in its log.
func TestLateAlarm(t *testing.T) {
	in, log := loadAttacks(t)
	if _, err := run(t, in, text("alarm")); err != nil {
		t.Fatal(err)
	}
	log.until("a signal handler of the model raised this outside of its methods:")
	if _, err := run(t, in, text("nothing")); err != nil {
		t.Errorf("after a late alarm: %v", err)
	}
	if _, err := run(t, in, text("in_execute")); err == nil || !strings.Contains(err.Error(), "message: Late: too late") {
		t.Errorf("an alarm in execute: %v", err)
	}
}

// Alarms that raise all the time fail requests, and spoil no message.
func TestAlarmsAllTheTime(t *testing.T) {
	in, _ := loadAttacks(t)
	_, _ = run(t, in, text("alarms"))
	for range 100 {
		got, err := run(t, in, long(3_000_000))
		switch {
		case err == nil:
			free(got)
		case !strings.Contains(err.Error(), "Late: too late"):
			t.Fatal(err)
		}
	}
}

// A model that makes the worker's connections such that do not wait changes nothing.
func TestConnectionsThatDoNotWait(t *testing.T) {
	in, _ := loadAttacks(t)
	for range 3 {
		if _, err := run(t, in, text("not_waiting")); err != nil {
			t.Fatal(err)
		}
		got, err := run(t, in, long(10_000_000))
		if err != nil {
			t.Fatal(err)
		}
		free(got)
		if err := in.(backend.Prober).Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// What a model writes by Triton's Logger has the bounds of what it prints.
func TestLongLog(t *testing.T) {
	in, log := loadAttacks(t)
	if _, err := run(t, in, text("long_line")); err != nil {
		t.Fatal(err)
	}
	line := log.until("xxx")
	if len(line) > 10_000 || !strings.HasSuffix(line, "x … (19,991,808 more characters)") {
		t.Errorf("a line of %d bytes, which ends with %q", len(line), line[max(0, len(line)-50):])
	}
	if _, err := run(t, in, text("many_lines")); err != nil {
		t.Fatal(err)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	close(log)
	count, left := 0, false
	for line := range log {
		count++
		left = left || strings.HasPrefix(line, "the model prints too much")
	}
	if count > 3000 || !left {
		t.Errorf("%d of 5000 lines were logged; told that some were left out: %v", count, left)
	}
}

func loadAttacks(t *testing.T) (backend.Instance, lines) {
	t.Helper()
	return load(t, specOf(t, attacks, flat(tensor.Bytes)))
}

// long returns a text of so many bytes.
func long(size int) tensor.Tensor {
	data := binary.LittleEndian.AppendUint32(nil, uint32(size))
	return tensor.Tensor{Name: "IN", Type: tensor.Bytes, Shape: tensor.Shape{1, 1}, Data: append(data, strings.Repeat("x", size)...)}
}

// fromThreads is a decoupled model, five threads of which send the responses of a request.
const fromThreads = `
import threading

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        sender = requests[0].get_response_sender()
        answer = pb_utils.InferenceResponse([pb_utils.Tensor("OUT", requests[0].inputs()[0].as_numpy())])

        def send():
            for _ in range(200):
                sender.send(answer)

        threads = [threading.Thread(target=send) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
`

// Several threads may send the responses of one request: each waits until the engine has taken enough of them.
func TestManyThreadsSend(t *testing.T) {
	cfg := flat(tensor.Bytes)
	cfg.ModelTransactionPolicy = &modelconfig.ModelTransactionPolicy{Decoupled: true}
	in, _ := load(t, specOf(t, fromThreads, cfg))
	ended, count := make(chan error, 1), 0
	batch := backend.NewBatch([]*infer.Request{{Batch: 1, Inputs: []tensor.Tensor{text("a")}}}, nil, nil)
	batch.OnLater(func(int) backend.Responder { return &taking{ctx: t.Context(), ended: ended, count: &count} })
	batch.Start()
	in.Execute(t.Context(), batch)
	if err := <-ended; err != nil || count != 1000 {
		t.Errorf("%d answers, %v; want 1000", count, err)
	}
}

// misuses is a decoupled model that uses its senders as the input says.
const misuses = `
import threading

import triton_python_backend_utils as pb_utils

FINAL = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL


class TritonPythonModel:
    def initialize(self, args):
        self.old = None

    def execute(self, requests):
        for request in requests:
            tensor = request.inputs()[0]
            self.answer = pb_utils.InferenceResponse([pb_utils.Tensor("OUT", tensor.as_numpy())])
            sender, self.told = request.get_response_sender(), []
            getattr(self, tensor.as_numpy()[0, 0].decode())(sender)
            if not self.old:
                self.old = sender
            print("told", *sorted(self.told), flush=True)

    def attempt(self, send, *args, **more):
        try:
            send(*args, **more)
            self.told.append("sent")
        except Exception as error:
            self.told.append(str(error))

    def final_from_everywhere(self, sender):
        threads = [
            threading.Thread(target=self.attempt, args=(sender.send, self.answer), kwargs={"flags": FINAL})
            for _ in range(20)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def of_an_old_request(self, sender):
        self.attempt(self.old.send, self.answer)
        self.attempt(sender.send, self.answer, flags=FINAL)

    def wrong(self, sender):
        self.attempt(sender.send, "no response")
        self.attempt(sender.send, self.answer, flags=7)
        self.attempt(sender.send)
        self.attempt(sender.send, self.answer, flags=FINAL)

    def two(self, sender):
        self.attempt(sender.send, self.answer)
        self.attempt(sender.send, self.answer)
        self.attempt(sender.send, flags=FINAL)
`

// Senders that a model misuses raise errors in the model; each request has one end, and the next ones are answered.
func TestSendersThatAreMisused(t *testing.T) {
	cfg := flat(tensor.Bytes)
	cfg.ModelTransactionPolicy = &modelconfig.ModelTransactionPolicy{Decoupled: true}
	in, log := load(t, specOf(t, misuses, cfg))
	const closed = "Unable to send response. Response sender has been closed."
	for _, c := range []struct {
		do, told string
		answers  int
	}{
		{"final_from_everywhere", strings.Repeat(closed+" ", 19) + "sent", 1},
		{"of_an_old_request", closed + " sent", 1},
		{"wrong", "Inference Response object must be provided when the response flags is set to zero. " +
			"Unable to send response. Unsupported flag provided. send: response is of type str, not InferenceResponse sent", 1},
		{"two", "sent sent sent", 2},
	} {
		ended, count := make(chan error, 8), 0
		batch := backend.NewBatch([]*infer.Request{{Batch: 1, Inputs: []tensor.Tensor{text(c.do)}}}, nil, nil)
		batch.OnLater(func(int) backend.Responder { return &taking{ctx: t.Context(), ended: ended, count: &count} })
		batch.Start()
		in.Execute(t.Context(), batch)
		if err := <-ended; err != nil || count != c.answers {
			t.Errorf("%s: %d answers, %v; want %d", c.do, count, err, c.answers)
		}
		if got := log.until("told "); got != "told "+c.told {
			t.Errorf("%s: the model was %s", c.do, got)
		}
	}
}

// taking counts the responses of a request.
type taking struct {
	ctx   context.Context
	ended chan error
	count *int
}

func (r *taking) Context() context.Context { return r.ctx }
func (r *taking) Failing()                 {}
func (r *taking) Fail(err error)           { r.ended <- err }
func (r *taking) Send(got *infer.Response) error {
	if len(got.Outputs) > 0 {
		*r.count++
	}
	if got.Release != nil {
		got.Release()
	}
	if got.Final {
		r.ended <- nil
	}
	return nil
}
