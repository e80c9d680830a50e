package runtimes_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"conch/engine/backend/onnx/ort"
	"conch/engine/backend/onnx/runtimes"
	"conch/engine/device"
)

// withDevices is a library on a machine with a GPU of AMD, an NPU, and a GPU of NVIDIA.
func withDevices(t *testing.T) string {
	t.Helper()
	source, err := os.ReadFile("../ort/testdata/adapters.c")
	if err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(t.TempDir(), runtimes.LibraryName())
	compile(t, library, string(source), "-I../ort/testdata", "-ldl")
	t.Setenv("ADAPTERS_REAL", realLibrary(t))
	return library
}

// A library tells of each device once, with all providers that can use it. A GPU that the driver tells of too is left to the driver.
func TestDevices(t *testing.T) {
	library := withDevices(t)
	report, err := storeIn(t.TempDir(), probeReal).Ask(t.Context(), library)
	if err != nil || report.Silence != "" {
		t.Fatal(err, report.Silence)
	}
	radeon := runtimes.Device{Name: "AMD Radeon", Maker: "AMD", Vendor: 0x1002, Number: 0x744c, Place: "0000:03:00.0", Providers: []string{"WebGPU", "DirectML"}}
	if len(report.Devices) != 3 || fmt.Sprint(report.Devices[0]) != fmt.Sprint(radeon) || report.Devices[0].Place != radeon.Place || report.Devices[0].Maker != "AMD" {
		t.Errorf("%+v", report.Devices)
	}
	const amd, npu, nvidia = "GPU AMD Radeon 1002:744c by WebGPU, DirectML", "NPU Qualcomm 5143:0001 by QNN", "GPU NVIDIA 10de:2330 by WebGPU"
	at := func(bus string) device.Snapshot { return device.Snapshot{GPUs: []device.GPU{{Name: "H100", Bus: bus}}} }
	for name, c := range map[string]struct {
		machine device.Snapshot
		want    []string
	}{
		"no driver":           {device.Snapshot{}, []string{amd, npu, nvidia}},
		"the driver tells it": {at("0000:41:00.0"), []string{amd, npu}},
		"and another one":     {at("0000:42:00.0"), []string{amd, npu, nvidia}},
		"without a place":     {at(""), []string{amd, npu}},
		"it is lost":          {device.Snapshot{Lost: []int{0}}, []string{amd, npu}},
	} {
		var got []string
		for _, d := range report.Others(c.machine) {
			got = append(got, d.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A library that ends the process when it lists its devices still runs models.
func TestLibraryThatTellsNoDevices(t *testing.T) {
	library := withDevices(t)
	for fault, words := range map[string]string{"crash": "its process ended when it was asked", "hang": "it has not answered within"} {
		t.Setenv("ADAPTERS", fault)
		report, err := storeIn(t.TempDir(), probeReal).Ask(t.Context(), library)
		if err != nil || len(report.Devices) != 0 || !strings.Contains(report.Silence, words) || !slices.Contains(report.Short(), "CPU") {
			t.Errorf("%s: %v, %+v", fault, err, report)
		}
	}
}

// Two devices of one kind are two, and one that two providers can use is one.
func TestDevicesOfOneKind(t *testing.T) {
	got := runtimes.Joined([]ort.Adapter{
		{Provider: "WebGpuExecutionProvider", Hardware: 1, Vendor: 0x8086, Device: 0x56a0},
		{Provider: "WebGpuExecutionProvider", Hardware: 2, Vendor: 0x8086, Device: 0x56a0},
		{Provider: "OpenVINOExecutionProvider", Hardware: 1, Vendor: 0x8086, Device: 0x56a0},
		{Provider: "OpenVINOExecutionProvider.AUTO", Hardware: 1, Vendor: 0x8086, Device: 0x56a0},
	})
	if want := "[GPU Intel 8086:56a0 by WebGPU, OpenVINO GPU Intel 8086:56a0 by WebGPU]"; fmt.Sprint(got) != want {
		t.Errorf("%v", got)
	}
}
