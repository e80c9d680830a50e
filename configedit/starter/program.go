package starter

import (
	"fmt"
	"slices"
	"strings"

	"conch/configedit/modelconfig"
)

// Program is a first program for a model.
type Program struct {
	// Text is the content of model.py.
	Text string
	// Answers says what it answers with: "its inputs", "zeros".
	Answers string
}

// Python writes the program of a model of the backend python. What the config leaves out of inputs and outputs, the
// program itself adds to it when Triton asks.
func Python(cfg *modelconfig.ModelConfig) Program {
	p := planOf(cfg)
	w := &writer{}
	w.line(0, `"""A first program, which answers with %s.`, p.answers())
	w.line(0, "")
	w.line(0, "Put your own code into execute.")
	w.line(0, `"""`)
	w.line(0, "")
	w.line(0, "import json")
	w.line(0, "")
	imports(w, p)
	w.line(0, "")
	w.line(0, "")
	w.line(0, "class TritonPythonModel:")
	w.line(1, `"""One object of this class runs one instance of the model."""`)
	complete(w, p)
	initialize(w, p)
	execute(w, p)
	return Program{Text: w.String(), Answers: p.answers()}
}

func imports(w *writer, p plan) {
	zeros := func(bf16 bool) bool {
		return slices.ContainsFunc(p.outputs, func(out output) bool { return out.from == nil && out.isBF16() == bf16 })
	}
	if zeros(false) {
		w.line(0, "import numpy as np")
	}
	if zeros(true) {
		w.line(0, "import torch")
	}
	w.line(0, "import triton_python_backend_utils as pb_utils")
}

// complete adds what the config leaves out.
func complete(w *writer, p plan) {
	if !p.addsInput && !p.addsOutput {
		return
	}
	w.line(0, "")
	w.line(1, "@staticmethod")
	w.line(1, "def auto_complete_config(config):")
	w.line(2, `"""Add what config.pbtxt leaves out."""`)
	if p.addsInput {
		w.line(2, "config.add_input(%s)", p.inputs[0].entry())
	}
	if p.addsOutput {
		w.line(2, "config.add_output(%s)", p.outputs[0].entry())
	}
	w.line(2, "return config")
}

func initialize(w *writer, p plan) {
	w.line(0, "")
	w.line(1, "def initialize(self, args):")
	w.line(2, `"""Get ready, once, when the model is loaded. Read weights here."""`)
	w.line(2, "# The NumPy types of the outputs, by their names.")
	w.line(2, "self.types = {}")
	w.line(2, `for output in json.loads(args["model_config"])["output"]:`)
	if slices.ContainsFunc(p.outputs, func(out output) bool { return out.isBF16() }) {
		w.line(3, `if output["data_type"] == "TYPE_BF16":`)
		w.line(4, "continue  # NumPy has no such type")
	}
	w.line(3, `kind = pb_utils.triton_string_to_numpy(output["data_type"])`)
	w.line(3, `self.types[output["name"]] = kind`)
}

func execute(w *writer, p plan) {
	w.line(0, "")
	w.line(1, "def execute(self, requests):")
	if p.decoupled {
		w.line(2, `"""Answer a batch. A request may get many responses."""`)
	} else {
		w.line(2, `"""Answer a batch: one response for each request, in order."""`)
		w.line(2, "responses = []")
	}
	w.line(2, "for request in requests:")
	for _, in := range p.inputs {
		for _, line := range in.read(p.batches) {
			w.line(3, "%s", line)
		}
	}
	if p.needsBatch() {
		w.line(3, "batch = %s", p.batch())
	}
	if p.guessesSize() {
		w.line(3, "# A dimension of -1 may have any size. It is 1 here.")
	}
	w.line(3, "# Put what your model computes here.")
	w.line(3, "outputs = [")
	for _, out := range p.outputs {
		w.line(4, "%s,", out.made(p.batches))
	}
	w.line(3, "]")
	if p.decoupled {
		w.line(3, "request.get_response_sender().send(")
		w.line(4, "pb_utils.InferenceResponse(outputs), flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL")
		w.line(3, ")")
		return
	}
	w.line(3, "responses.append(pb_utils.InferenceResponse(outputs))")
	w.line(2, "return responses")
}

// writer joins indented lines.
type writer struct{ strings.Builder }

func (w *writer) line(depth int, format string, args ...any) {
	if format != "" {
		w.WriteString(strings.Repeat("    ", depth))
		fmt.Fprintf(w, format, args...)
	}
	w.WriteByte('\n')
}
