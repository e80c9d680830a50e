package grpcapi_test

import (
	"fmt"
	"testing"

	"conch/engine/kserve/kservepb"
	"conch/engine/kserve/kservetest"
)

// A long list takes time in proportion to its length: 80,000 inputs took 11 s when each was compared with each.
func TestLongListsTakeTheirLength(t *testing.T) {
	c := client(t, kservetest.Identity())
	for name, add := range map[string]func(req *kservepb.ModelInferRequest, name string){
		"inputs": func(req *kservepb.ModelInferRequest, name string) {
			req.RawInputContents = nil
			req.Inputs = append(req.Inputs, &kservepb.ModelInferRequest_InferInputTensor{
				Name: name, Datatype: "INT32", Shape: []int64{1}, Contents: &kservepb.InferTensorContents{IntContents: []int32{1}},
			})
		},
		"outputs": func(req *kservepb.ModelInferRequest, name string) {
			req.Outputs = append(req.Outputs, &kservepb.ModelInferRequest_InferRequestedOutputTensor{Name: name})
		},
		"parameters": func(req *kservepb.ModelInferRequest, name string) {
			req.Parameters[name] = &kservepb.InferParameter{ParameterChoice: &kservepb.InferParameter_Int64Param{Int64Param: 1}}
		},
	} {
		kservetest.Linear(t, name, 10_000, func(count int) func() {
			req := request("")
			req.Parameters = map[string]*kservepb.InferParameter{}
			if name == "inputs" {
				req.Inputs = nil
			}
			for i := range count {
				add(req, fmt.Sprint("n", i))
			}
			return func() { _, _ = c.ModelInfer(background(t), req) } // what it is answered makes no difference
		})
	}
}
