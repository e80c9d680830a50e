package python_test

import (
	"strings"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/tensor"
)

// raises is a decoupled model whose mistakes show inside of Triton's package.
const raises = `
import threading

import triton_python_backend_utils as pb_utils


def convert(value):
    return pb_utils.Tensor("OUT", value)


class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            threading.Thread(target=self.generate, args=(request.get_response_sender(),)).start()

    def generate(self, sender):
        try:
            convert("no array")
        except TypeError as error:
            raise ValueError("of a thread") from error

    def finalize(self):
        convert(None)
`

// A traceback in the log ends in the program of the model: what it calls there is written in C++ in Triton.
func TestTracebacksLeaveConchOut(t *testing.T) {
	cfg := flat(tensor.Bytes)
	cfg.ModelTransactionPolicy = &modelconfig.ModelTransactionPolicy{Decoupled: true}
	in, log := load(t, specOf(t, raises, cfg))
	<-sent(t, in, "thread").failed
	text := tail(log, "ValueError: of a thread")
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	text += tail(log, "TypeError: ")
	for _, want := range []string{"in convert", "in generate", "in finalize"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the log:\n%s", want, text)
		}
	}
	for _, own := range []string{"triton_python_backend_utils/", "conch_worker/"} {
		if strings.Contains(text, own) {
			t.Errorf("%s is in the log:\n%s", own, text)
		}
	}
}

// tail reads the log to a line with a beginning.
func tail(log lines, begins string) string {
	var text strings.Builder
	for line := range log {
		text.WriteString(line + "\n")
		if strings.HasPrefix(line, begins) {
			break
		}
	}
	return text.String()
}
