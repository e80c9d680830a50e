package grpcapi_test

import (
	"errors"
	"fmt"
	"testing"

	"conch/engine/kserve/kservepb"
	"conch/engine/kserve/kservetest"
)

// A long list takes time in proportion to its length. 80,000 inputs took 11 s when each was compared with all
// others.
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
		"parameters of an input": func(req *kservepb.ModelInferRequest, name string) {
			if req.Inputs[0].Parameters == nil {
				req.Inputs[0].Parameters = map[string]*kservepb.InferParameter{}
			}
			req.Inputs[0].Parameters[name] = &kservepb.InferParameter{ParameterChoice: &kservepb.InferParameter_Int64Param{Int64Param: 1}}
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
			return func() { _, _ = c.ModelInfer(background(t), req) } // the answer does not matter
		})
	}
}

// Unknown settings are ignored, and take time in proportion to their number.
func TestLongSettingsTakeTheirLength(t *testing.T) {
	c := kservepb.NewGRPCInferenceServiceClient(serveSettings(t))
	for name, ask := range map[string]func(names []string) func() error{
		"trace settings": func(names []string) func() error {
			req := &kservepb.TraceSettingRequest{Settings: map[string]*kservepb.TraceSettingRequest_SettingValue{}}
			for i, name := range names {
				req.Settings[name] = &kservepb.TraceSettingRequest_SettingValue{Value: []string{"1"}[i%2:]} // half are cleared
			}
			return func() error { _, err := c.TraceSetting(background(t), req); return err }
		},
		"trace levels": func(names []string) func() error {
			req := &kservepb.TraceSettingRequest{Settings: map[string]*kservepb.TraceSettingRequest_SettingValue{
				"trace_level": {Value: append(names, "OFF")[1:]},
			}}
			return func() error {
				if _, err := c.TraceSetting(background(t), req); err == nil {
					return errors.New("OFF beside other levels was taken")
				}
				return nil
			}
		},
		"log settings": func(names []string) func() error {
			req := &kservepb.LogSettingsRequest{Settings: map[string]*kservepb.LogSettingsRequest_SettingValue{}}
			for _, name := range names {
				req.Settings[name] = &kservepb.LogSettingsRequest_SettingValue{ParameterChoice: &kservepb.LogSettingsRequest_SettingValue_BoolParam{BoolParam: true}}
			}
			return func() error { _, err := c.LogSettings(background(t), req); return err }
		},
	} {
		kservetest.Linear(t, name, 10_000, func(count int) func() {
			names := make([]string, count)
			for i := range names {
				names[i] = fmt.Sprint("n", i)
			}
			do := ask(names)
			return func() {
				if err := do(); err != nil {
					t.Errorf("%d %s: %v", count, name, err)
				}
			}
		})
	}
}
