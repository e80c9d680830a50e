package grpcapi_test

import (
	"fmt"
	"testing"
	"time"

	"conch/engine/kserve/kservepb"
	"conch/engine/kserve/kservetest"
)

// A long list takes time in proportion to its length: 80,000 inputs took 11 s when each was compared with each.
func TestLongListsTakeTheirLength(t *testing.T) {
	const count = 80_000
	inputs, outputs, parameters := request(""), request(""), request("")
	inputs.Inputs, inputs.RawInputContents = nil, nil
	parameters.Parameters = map[string]*kservepb.InferParameter{}
	for i := range count {
		name := fmt.Sprint("n", i)
		inputs.Inputs = append(inputs.Inputs, &kservepb.ModelInferRequest_InferInputTensor{
			Name: name, Datatype: "INT32", Shape: []int64{1}, Contents: &kservepb.InferTensorContents{IntContents: []int32{1}},
		})
		outputs.Outputs = append(outputs.Outputs, &kservepb.ModelInferRequest_InferRequestedOutputTensor{Name: name})
		parameters.Parameters[name] = &kservepb.InferParameter{ParameterChoice: &kservepb.InferParameter_Int64Param{Int64Param: 1}}
	}
	c := client(t, kservetest.Identity())
	for name, req := range map[string]*kservepb.ModelInferRequest{"inputs": inputs, "outputs": outputs, "parameters": parameters} {
		began := time.Now()
		_, err := c.ModelInfer(background(t), req)
		if took := time.Since(began); took > 8*time.Second {
			t.Errorf("%d %s took %s: %v", count, name, took, err)
		}
	}
}
