package device_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"conch/engine"
	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/control"
	"conch/engine/control/controltest"
	"conch/engine/device"
	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/engineapi"
	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/metricsapi"
	"conch/engine/tensor"
)

// What the driver of a machine tells goes to the workbench and to the metrics page: for each GPU by its number and its UUID.
func TestWhatAMachineTells(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := device.WatchMachine(ctx)
	e := engine.New(engine.Options{
		Options: control.Options{Models: controltest.New(t, 1), Mode: control.Explicit},
		Devices: func() device.Snapshot {
			s := w.Known()
			s.Lost = []int{8, 9}
			return s
		},
	})
	told, err := engineapi.New(e, engineapi.Addresses{}, nil, nil).Sample(t.Context(), &enginepb.SampleRequest{})
	if err != nil || len(told.Gpus) != 8 || told.GpuTrouble != "" || !told.GpusRead || !slices.Equal(told.GpusLost, []int32{8, 9}) {
		t.Fatalf("%v, %v", told, err)
	}
	unread := engine.New(engine.Options{
		Options: control.Options{Models: controltest.New(t, 1), Mode: control.Explicit}, Devices: func() device.Snapshot { return device.Snapshot{} },
	})
	if told, err := engineapi.New(unread, engineapi.Addresses{}, nil, nil).Sample(t.Context(), &enginepb.SampleRequest{}); err != nil || told.GpusRead {
		t.Errorf("before the first answer of the driver: %v, %v", told, err)
	}
	answer := httptest.NewRecorder()
	metricsapi.New(e, metricsapi.Options{NoProcessor: true}).ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	page := answer.Body.String()
	for i, g := range told.Gpus {
		if int(g.Index) != i || g.TotalBytes != 40<<30 || g.UsedBytes != float64(i)*(1<<30) || g.Utilization != float64(i)/10 || g.PowerWatts != 55.5 || g.Temperature != 31 {
			t.Errorf("GPU %d is %v", i, g)
		}
		if line := `nv_gpu_power_usage{gpu_uuid="` + g.Uuid + `"} 55.5`; !strings.Contains(page, line) {
			t.Errorf("no %s in\n%s", line, page)
		}
	}
}

// A model that is loaded after the start has series for each GPU that its instances are on, one of the start and one on the CPU have none.
func TestSeriesOfModelsOnGPUs(t *testing.T) {
	gpus := []backend.Memory{{Device: backend.Device{GPU: true, ID: 2}, Bytes: 1 << 30}, {Device: backend.Device{GPU: true, ID: 5}, Bytes: 1 << 30}}
	for _, labelled := range []bool{true, false} {
		ctx, cancel := context.WithCancel(t.Context())
		w := device.WatchMachine(ctx)
		dir := controltest.New(t, 1)
		for name, group := range map[string]string{
			"first": "{ kind: KIND_GPU gpus: [2] }", "later": "{ kind: KIND_GPU gpus: [2, 5] }, { kind: KIND_CPU }", "single": "{ kind: KIND_GPU gpus: [5] }", "plain": "{ kind: KIND_CPU }",
		} {
			dir.Write(t, name+"/config.pbtxt", `backend: "fake" default_model_filename: "model.fake" max_batch_size: 8 input [{ name: "IN" data_type: TYPE_FP32 dims: [2] }]
output [{ name: "OUT" data_type: TYPE_FP32 dims: [2] }] instance_group [`+group+"]")
			dir.Write(t, name+"/1/model.fake", "one")
		}
		dir.Look()
		e := engine.New(engine.Options{
			Options:  control.Options{Models: dir, Mode: control.Explicit, LoadModels: []string{"first"}},
			Backends: []backend.Backend{&fake.Backend{GPUs: gpus}}, Devices: func() device.Snapshot { return named(w.Known()) }, GPULabels: labelled,
		})
		ended := make(chan error, 1)
		go func() { ended <- e.Run(ctx) }()
		<-e.Started()
		for _, name := range []string{"first", "later", "single", "plain"} {
			if name != "first" {
				if err := e.Load(ctx, name, kserve.LoadOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			r := &infer.Request{Model: name, Version: infer.Latest, Inputs: []tensor.Tensor{
				{Name: "IN", Type: tensor.FP32, Shape: tensor.Shape{3, 2}, Data: make([]byte, 24)},
			}}
			if err := e.Infer(ctx, r, func(*infer.Response) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
		checkSeries(t, e, w, labelled)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

func checkSeries(t *testing.T, e *engine.Engine, w *device.Watcher, labelled bool) {
	t.Helper()
	answer := httptest.NewRecorder()
	metricsapi.New(e, metricsapi.Options{NoProcessor: true, NoGPUs: true}).ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	page, gpus := answer.Body.String(), w.Known().GPUs
	lines := []string{`nv_inference_count{model="first",version="1"} 3`, `nv_inference_count{model="plain",version="1"} 3`, `nv_inference_count{model="single",version="1"} 3`}
	if labelled {
		lines = append(lines[:2],
			`nv_inference_count{model="single",version="1"} 0`,
			`nv_inference_count{gpu_uuid="`+gpus[5].UUID+`",model="single",version="1"} 3`,
			`nv_inference_exec_count{gpu_uuid="`+gpus[5].UUID+`",model="single",version="1"} 1`,
			`nv_inference_request_success{gpu_uuid="`+gpus[5].UUID+`",model="single",version="1"} 1`,
			`nv_inference_request_success{gpu_uuid="`+gpus[2].UUID+`",model="later",version="1"} `,
			`nv_inference_request_success{gpu_uuid="`+gpus[5].UUID+`",model="later",version="1"} `,
		)
	}
	for _, line := range lines {
		if !strings.Contains(page, line) {
			t.Errorf("no %s in\n%s", line, page)
		}
	}
	if n := strings.Count(page, "nv_inference_count{gpu_uuid="); labelled && n != 3 || !labelled && n != 0 {
		t.Errorf("%d series of GPUs in\n%s", n, page)
	}
	if s, err := e.Statistics("single", infer.Latest); err != nil || s[0].InferenceCount != 3 || s[0].Success.Count != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

// named returns what the driver tells of a machine on which CUDA shows every GPU.
func named(s device.Snapshot) device.Snapshot {
	s.GPUs = slices.Clone(s.GPUs)
	for i := range s.GPUs {
		s.GPUs[i].Device = backend.Device{GPU: true, ID: s.GPUs[i].Index}.String()
	}
	return s
}
