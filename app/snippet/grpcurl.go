package snippet

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"conch/engine/option"
)

// grpcRequest is inference.ModelInferRequest in protobuf's JSON form. Raw contents hold every data type.
type grpcRequest struct {
	ModelName        string                    `json:"model_name"`
	ModelVersion     string                    `json:"model_version,omitempty"`
	ID               string                    `json:"id,omitempty"`
	Parameters       map[string]map[string]any `json:"parameters,omitempty"`
	Inputs           []grpcInput               `json:"inputs"`
	Outputs          []jsonOutput              `json:"outputs,omitempty"`
	RawInputContents [][]byte                  `json:"raw_input_contents"` // base64, as protobuf requires
}

type grpcInput struct {
	Name     string   `json:"name"`
	Datatype string   `json:"datatype"`
	Shape    []string `json:"shape"`
}

// grpcParameters are the parameters as inference.InferParameter. Protobuf writes 64-bit integers as strings.
func grpcParameters(r Request) map[string]map[string]any {
	out := map[string]map[string]any{}
	for name, value := range r.Parameters {
		field, written := grpcField(string(value)), any(value)
		if field == "int64_param" || field == "uint64_param" {
			written = string(value)
		}
		out[name] = map[string]any{field: written}
	}
	return out
}

// grpcField is the field of inference.InferParameter for a value that is written as JSON.
func grpcField(value string) string {
	if _, err := strconv.ParseInt(value, 10, 64); err == nil {
		return "int64_param"
	}
	if _, err := strconv.ParseUint(value, 10, 64); err == nil {
		return "uint64_param"
	}
	switch {
	case value == "true" || value == "false":
		return "bool_param"
	case strings.HasPrefix(value, `"`):
		return "string_param"
	}
	return "double_param"
}

func grpcurl(r Request) (string, error) {
	body := grpcRequest{ModelName: r.Model, ID: r.ID, Parameters: grpcParameters(r), RawInputContents: [][]byte{}}
	if r.Version > 0 {
		body.ModelVersion = strconv.FormatInt(r.Version, 10)
	}
	for _, in := range r.Inputs {
		shape := make([]string, len(in.Shape))
		for i, dim := range in.Shape {
			shape[i] = strconv.FormatInt(dim, 10)
		}
		raw := in.Raw
		if raw == nil {
			raw = []byte{}
		}
		body.Inputs = append(body.Inputs, grpcInput{in.Name, in.Datatype, shape})
		body.RawInputContents = append(body.RawInputContents, raw)
	}
	for _, name := range r.Outputs {
		body.Outputs = append(body.Outputs, jsonOutput{name})
	}
	text, err := json.MarshalIndent(body, "", "  ")
	if err != nil {
		return "", fmt.Errorf("write the request: %w", err)
	}
	plaintext := "-plaintext "
	if r.Secure {
		plaintext = ""
	}
	call := "ModelInfer"
	if r.Decoupled != nil {
		call = "ModelStreamInfer"
	}
	return fmt.Sprintf("grpcurl %s-d @ %s inference.GRPCInferenceService/%s <<'END'\n%s\nEND\n",
		plaintext, Quote(client(r.GRPCAddress, option.Default().GRPCPort)), call, text), nil
}
