package snippet

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	"conch/engine/option"
)

// numpyTypes are numpy's names. BF16 comes from a package that the client needs anyway.
var numpyTypes = map[string]string{
	"BOOL": "np.bool_", "UINT8": "np.uint8", "UINT16": "np.uint16", "UINT32": "np.uint32", "UINT64": "np.uint64",
	"INT8": "np.int8", "INT16": "np.int16", "INT32": "np.int32", "INT64": "np.int64",
	"FP16": "np.float16", "BF16": "ml_dtypes.bfloat16", "FP32": "np.float32", "FP64": "np.float64", "BYTES": "np.object_",
}

// road is the part of tritonclient that a program uses.
type road struct {
	protocol string
	address  string
	port     int
	why      string // a comment
	call     string // sends inputs; what follows are its arguments
	results  string // prints what came
}

const grpcResults = `.outputs:
    print(output.name, result.as_numpy(output.name))
`

// streamResults prints the answers until the one that says it is the last. That one may have no outputs.
const streamResults = `while True:
    result, error = answers.get()
    if error is not None:
        client.stop_stream(cancel_requests=True)
        raise SystemExit(str(error))
    response = result.get_response()
    for output in response.outputs:
        print(output.name, result.as_numpy(output.name))
    if response.parameters["triton_final_response"].bool_param:
        break
client.stop_stream()
`

func roadOf(r Request) road {
	overGRPC := road{protocol: "grpc", address: r.GRPCAddress, port: option.Default().GRPCPort}
	switch {
	case r.Decoupled != nil:
		overGRPC.why = "# The model is decoupled: a stream over gRPC gives all its answers.\n"
		overGRPC.call = "answers = queue.Queue()\nclient.start_stream(lambda result, error: answers.put((result, error)))\nclient.async_stream_infer("
		overGRPC.results = streamResults
		return overGRPC
	case !plainInURL(r.Model):
		overGRPC.why = "# Over gRPC: Triton does not decode a name that is escaped in a URL.\n"
		overGRPC.call, overGRPC.results = "result = client.infer(", "for output in result.get_response()"+grpcResults
		return overGRPC
	}
	return road{
		protocol: "http", address: r.HTTPAddress, port: option.Default().HTTPPort, call: "result = client.infer(",
		results: "for output in result.get_response()[\"outputs\"]:\n    print(output[\"name\"], result.as_numpy(output[\"name\"]))\n",
	}
}

func python(r Request) (string, error) {
	var b strings.Builder
	way := roadOf(r)
	fmt.Fprintf(&b, "%s# pip install \"tritonclient[%s]\" numpy\n", way.why, way.protocol)
	pythonImports(&b, r, way)
	secure := ""
	if r.Secure {
		secure = ", ssl=True"
	}
	fmt.Fprintf(&b, "client = triton.InferenceServerClient(url=%s%s)\n\n", pythonString(client(way.address, way.port)), secure)
	b.WriteString("inputs = []\n")
	for _, in := range r.Inputs {
		if err := pythonInput(&b, in); err != nil {
			return "", err
		}
	}
	fmt.Fprintf(&b, "\n%s\n    %s,\n    inputs,\n", way.call, pythonString(r.Model))
	if r.Version > 0 {
		fmt.Fprintf(&b, "    model_version=\"%d\",\n", r.Version)
	}
	if len(r.Outputs) > 0 {
		names := make([]string, len(r.Outputs))
		for i, name := range r.Outputs {
			names[i] = pythonString(name)
		}
		fmt.Fprintf(&b, "    outputs=[triton.InferRequestedOutput(name) for name in [%s]],\n", strings.Join(names, ", "))
	}
	pythonParameters(&b, r)
	if r.Decoupled != nil {
		b.WriteString("    enable_empty_final_response=True,\n")
	}
	b.WriteString(")\n" + way.results)
	return b.String(), nil
}

func pythonImports(b *strings.Builder, r Request, way road) {
	standard := ""
	if uses(r, "") {
		standard += "import base64\n"
	}
	if r.Decoupled != nil {
		standard += "import queue\n"
	}
	if standard != "" {
		b.WriteString(standard + "\n")
	}
	if uses(r, "BF16") {
		b.WriteString("import ml_dtypes\n")
	}
	fmt.Fprintf(b, "import numpy as np\nimport tritonclient.%s as triton\n", way.protocol)
	if uses(r, "BYTES") {
		b.WriteString("from tritonclient.utils import deserialize_bytes_tensor\n")
	}
	b.WriteString("\n")
}

// named are the parameters for which tritonclient's infer has arguments of its own.
var named = []string{"sequence_id", "sequence_start", "sequence_end", "priority", "timeout"}

// pythonParameters writes what a request has beside its tensors, as arguments of infer.
func pythonParameters(b *strings.Builder, r Request) {
	if r.ID != "" {
		fmt.Fprintf(b, "    request_id=%s,\n", pythonString(r.ID))
	}
	var others []string
	for _, name := range slices.Sorted(maps.Keys(r.Parameters)) {
		value := string(r.Parameters[name])
		switch value {
		case "true":
			value = "True"
		case "false":
			value = "False"
		}
		if slices.Contains(named, name) {
			fmt.Fprintf(b, "    %s=%s,\n", name, value)
		} else {
			others = append(others, pythonString(name)+": "+value)
		}
	}
	if len(others) > 0 {
		fmt.Fprintf(b, "    parameters={%s},\n", strings.Join(others, ", "))
	}
}

// uses reports whether an input of this type, or of any type when it is "", is written as base64.
func uses(r Request, datatype string) bool {
	return slices.ContainsFunc(r.Inputs, func(in Input) bool {
		_, readable := in.values()
		return !readable && (datatype == "" || datatype == in.Datatype)
	})
}

func pythonInput(b *strings.Builder, in Input) error {
	fmt.Fprintf(b, "tensor = triton.InferInput(%s, %s, %s)\n", pythonString(in.Name), integers(in.Shape), pythonString(in.Datatype))
	if list, ok := in.values(); ok {
		fmt.Fprintf(b, "tensor.set_data_from_numpy(np.array(%s, dtype=%s).reshape(%s))\n", pythonList(in, list), numpyTypes[in.Datatype], integers(in.Shape))
		b.WriteString("inputs.append(tensor)\n")
		return nil
	}
	array := fmt.Sprintf("np.frombuffer(data, dtype=%s)", numpyTypes[in.Datatype])
	if in.Datatype == "BYTES" {
		array = "deserialize_bytes_tensor(data)"
	}
	fmt.Fprintf(b, "data = base64.b64decode(\n%s)\n", pythonBase64(in.Raw))
	fmt.Fprintf(b, "tensor.set_data_from_numpy(%s.reshape(%s))\n", array, integers(in.Shape))
	b.WriteString("inputs.append(tensor)\n")
	return nil
}

// pythonList writes JSON literals as Python literals. JSON strings are Python strings, except for
// surrogate pairs, which encoding/json does not write.
func pythonList(in Input, list []string) string {
	words := make([]string, len(list))
	for i, word := range list {
		switch {
		case word == "true":
			word = "True"
		case word == "false":
			word = "False"
		case in.Datatype == "BYTES":
			word += ".encode()"
		}
		words[i] = word
	}
	return "[" + strings.Join(words, ", ") + "]"
}

func pythonBase64(raw []byte) string {
	var b strings.Builder
	text := base64.StdEncoding.EncodeToString(raw)
	for len(text) > 0 {
		n := min(96, len(text))
		b.WriteString("    \"" + text[:n] + "\"\n")
		text = text[n:]
	}
	if b.Len() == 0 {
		return "    \"\"\n"
	}
	return b.String()
}

// pythonString writes a name. strconv's escapes of unprintable characters are also Python's.
func pythonString(s string) string { return fmt.Sprintf("%q", s) }
