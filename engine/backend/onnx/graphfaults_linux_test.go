package onnx_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"conch/engine/backend"
	"conch/engine/backend/onnx"
	"conch/engine/cuda"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// Where no session can be opened in place of the one that is lost, requests fail, until one can.
func TestGraphsWithoutAnotherSession(t *testing.T) {
	const want = "opened, ordinary, ordinary, ordinary, recorded 1, closed, opened, closed"
	if told := graphWords(gpuChild(t, "TestGraphsWithoutAnotherSessionChild", "GPU_GRAPHS=1", "GPU_RECORDS_NOTHING=1", "GPU_REFUSES_OPENING=2")); told != want {
		t.Errorf("the library was asked for\n%s\nwant\n%s", told, want)
	}
}

func TestGraphsWithoutAnotherSessionChild(t *testing.T) {
	model, err := graphBackend(t, &bytes.Buffer{}, graphic()).Load(t.Context(), graphSpec(t, "batch", 4))
	if err != nil {
		t.Fatal(err)
	}
	instance := graphInstance(t, model)
	for range 3 {
		echoes(t, instance, 1)
	}
	if failed := execute(t, instance, request(1, floats("INPUT", tensor.Shape{1, 4}, 1, 2, 3, 4))); infer.CodeOf(failed) != infer.Unavailable {
		t.Error(failed)
	}
	for range 2 {
		echoes(t, instance, 1)
	}
	instance.(backend.Interrupter).Interrupt()
	if failed := execute(t, instance, request(1, floats("INPUT", tensor.Shape{1, 4}, 1, 2, 3, 4))); failed == nil {
		t.Error("a run of an interrupted instance goes on")
	}
	instance.Close()
	model.Close()
}

// An interruption before the runner is replaced ends the runs of the next one too.
func TestInterruptedGraphs(t *testing.T) {
	gpuChild(t, "TestInterruptedGraphsChild", "GPU_GRAPHS=1", "GPU_RECORDS_NOTHING=1")
}

func TestInterruptedGraphsChild(t *testing.T) {
	model, err := graphBackend(t, &bytes.Buffer{}, graphic()).Load(t.Context(), graphSpec(t, "batch", 4))
	if err != nil {
		t.Fatal(err)
	}
	instance := graphInstance(t, model)
	for range 3 {
		echoes(t, instance, 1)
	}
	instance.(backend.Interrupter).Interrupt()
	if failed := execute(t, instance, request(1, floats("INPUT", tensor.Shape{1, 4}, 1, 2, 3, 4))); failed == nil {
		t.Error("a run of an interrupted instance goes on")
	}
	instance.Close()
	model.Close()
}

// What has other bytes than its shape is refused before it is copied to where a graph reads.
func TestGraphInputsOfAnotherSize(t *testing.T) {
	gpuChild(t, "TestGraphInputsOfAnotherSizeChild", "GPU_GRAPHS=1")
}

func TestGraphInputsOfAnotherSizeChild(t *testing.T) {
	model, err := graphBackend(t, &bytes.Buffer{}, graphic()).Load(t.Context(), graphSpec(t, "batch", rowElements))
	if err != nil {
		t.Fatal(err)
	}
	instance := graphInstance(t, model)
	for range 5 {
		one(t, instance, request(1, row(1)))
	}
	longer, _ := put(row(1), 3, 0)
	longer.Away["INPUT"] = &onADevice{gpu: 3, data: make([]byte, 5*rowElements)}
	near := request(1, row(1))
	near.Inputs[0].Data = make([]byte, 5*rowElements)
	for _, r := range []*infer.Request{longer, near} {
		if failed := execute(t, instance, r); infer.CodeOf(failed) != infer.InvalidArg || !strings.Contains(fmt.Sprint(failed), "which is not the 65536 of its shape [1,16384]") {
			t.Error(failed)
		}
	}
	one(t, instance, request(1, row(2)))
	instance.Close()
	model.Close()
}

// While a session is opened, which may take minutes, no recording makes others wait.
func TestNoRecordingBesideALoad(t *testing.T) {
	gpuChild(t, "TestNoRecordingBesideALoadChild", "GPU_GRAPHS=1")
}

func TestNoRecordingBesideALoadChild(t *testing.T) {
	d, crowded := graphic(), false
	d.append = func(onnx.AcceleratorUse) error {
		crowded = cuda.Crowded()
		return nil
	}
	model, err := graphBackend(t, &bytes.Buffer{}, d).Load(t.Context(), graphSpec(t, "batch", 4))
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	if !crowded || cuda.Crowded() {
		t.Errorf("beside the load %v, afterwards %v", crowded, cuda.Crowded())
	}
	instance := graphInstance(t, model)
	defer instance.Close()
	cuda.EnterLong()
	for range 5 {
		echoes(t, instance, 1)
	}
	cuda.LeaveLong()
	if told, err := os.ReadFile(os.Getenv(gpuReport)); err != nil || strings.Contains(string(told), "recorded") {
		t.Errorf("the library was asked for\n%s(%v)", told, err)
	}
	echoes(t, instance, 1)
	if told, err := os.ReadFile(os.Getenv(gpuReport)); err != nil || !strings.Contains(string(told), "recorded") {
		t.Errorf("after the load the library was asked for\n%s(%v)", told, err)
	}
}
