package snippet

import (
	"encoding/json"
	"fmt"
	"strconv"

	"conch/engine/option"
)

// grpcRequest is inference.ModelInferRequest in protobuf's JSON form. Raw contents hold every data type.
type grpcRequest struct {
	ModelName        string       `json:"model_name"`
	ModelVersion     string       `json:"model_version,omitempty"`
	Inputs           []grpcInput  `json:"inputs"`
	Outputs          []jsonOutput `json:"outputs,omitempty"`
	RawInputContents [][]byte     `json:"raw_input_contents"` // base64, as protobuf requires
}

type grpcInput struct {
	Name     string   `json:"name"`
	Datatype string   `json:"datatype"`
	Shape    []string `json:"shape"`
}

func grpcurl(r Request) (string, error) {
	body := grpcRequest{ModelName: r.Model, RawInputContents: [][]byte{}}
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
	return fmt.Sprintf("grpcurl %s-d @ %s inference.GRPCInferenceService/ModelInfer <<'END'\n%s\nEND\n",
		plaintext, Quote(client(r.GRPCAddress, option.Default().GRPCPort)), text), nil
}
