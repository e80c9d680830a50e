package python_test

import (
	"strings"
	"testing"
	"time"

	"conch/configedit/modelconfig"
	"conch/engine/tensor"
)

// drops is a decoupled model that lets go of a request before its last response, as its input says.
const drops = `
import gc
import threading

import triton_python_backend_utils as pb_utils

FINAL = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL


class TritonPythonModel:
    def initialize(self, args):
        self.held = None

    def execute(self, requests):
        for request in requests:
            what = request.inputs()[0].as_numpy()[0, 0].decode()
            getattr(self, what)(request)

    def answer(self, sender, flags):
        sender.send(pb_utils.InferenceResponse([]), flags=flags)

    def thread(self, request):
        threading.Thread(target=self.generate, args=(request.get_response_sender(),)).start()

    def generate(self, sender):
        self.answer(sender, 0)
        raise ValueError("of a thread")

    def silent(self, request):
        pass

    def unfinished(self, request):
        self.answer(request.get_response_sender(), 0)

    def circle(self, request):
        parts = [request.get_response_sender()]
        parts.append(parts)
        del parts, request
        threading.Thread(target=gc.collect).start()

    def hold(self, request):
        self.held = request

    def finish(self, request):
        self.answer(self.held.get_response_sender(), FINAL)
        self.answer(request.get_response_sender(), FINAL)
`

// A request that nothing in the process can answer any more fails, with what ended the thread that had it. One that the program
// still holds waits.
func TestRequestsThatAreLetGo(t *testing.T) {
	cfg := flat(tensor.Bytes)
	cfg.ModelTransactionPolicy = &modelconfig.ModelTransactionPolicy{Decoupled: true}
	in, log := load(t, specOf(t, drops, cfg))
	const failed = "Failed to process the request(s) for model 'm_0', message: "
	held := sent(t, in, "hold")
	for what, why := range map[string]string{
		"thread": "ValueError: of a thread\n\nAt:\n", "silent": "the program holds neither this request nor its response sender",
		"unfinished": "the program holds neither", "circle": "the program holds neither",
	} {
		select {
		case err := <-sent(t, in, what).failed:
			if !strings.HasPrefix(err.Error(), failed+why) || strings.Contains(err.Error(), "threading.py") {
				t.Errorf("%s: %v", what, err)
			}
		case <-time.After(time.Minute):
			t.Errorf("%s: the request has no answer", what)
		}
	}
	log.until("ValueError: of a thread") // the log has the traceback, too
	for _, to := range []told{sent(t, in, "finish"), held} {
		if r := <-to.ended; r.Err != nil {
			t.Errorf("answered with %v", r.Err)
		}
	}
}
