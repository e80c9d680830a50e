package workspace

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"conch/app/api"
	"conch/engine/kserve/enginepb"
)

// The window is told all that the engine tells of a GPU, under the same numbers of fields.
func TestGPUIsPassedOnWhole(t *testing.T) {
	told := &enginepb.Gpu{
		Index: 1, Uuid: "GPU-a", Name: "A100", TotalBytes: 40, UsedBytes: 4 << 20, Utilization: 0.5, PowerWatts: -1, Temperature: 41,
		MaxPowerWatts: 400, ClockMhz: 1410, ProcessCount: 9, Processes: []*enginepb.GpuProcess{{Pid: 7, Bytes: 3 << 20, Own: true}},
		Divided: true, Instances: []*enginepb.GpuInstance{{Number: 2, Compute: 1, Uuid: "MIG-a", Profile: "1g.5gb", TotalBytes: 5, UsedBytes: -1}},
	}
	bytes, err := proto.Marshal(told)
	if err != nil {
		t.Fatal(err)
	}
	want := &api.Gpu{}
	if err := proto.Unmarshal(bytes, want); err != nil {
		t.Fatal(err)
	}
	if fields := told.ProtoReflect().Descriptor().Fields(); fields.Len() != want.ProtoReflect().Descriptor().Fields().Len() {
		t.Error("the two messages differ in their fields")
	}
	if got := gpusOf(&enginepb.SampleResponse{Gpus: []*enginepb.Gpu{told}}); len(got) != 1 || !proto.Equal(got[0], want) {
		t.Errorf("passed on as %v", got)
	}
}

// A GPU at rest draws a little more or less each second. The window would be sent that every second otherwise.
func TestGPUAtRestIsNoNews(t *testing.T) {
	told := func(watts, used float64) []*api.Gpu {
		return gpusOf(&enginepb.SampleResponse{Gpus: []*enginepb.Gpu{{
			PowerWatts: watts, UsedBytes: 5<<30 + used, Utilization: 0.001 * used / 4096, Temperature: -1, Processes: []*enginepb.GpuProcess{{Bytes: 1<<30 + used}},
		}}})
	}
	if a, b := told(61.2, 0), told(61.37, 4096); !proto.Equal(a[0], b[0]) || a[0].PowerWatts != 61 || a[0].Temperature != -1 {
		t.Errorf("%v\nand then\n%v", a[0], b[0])
	}
	if a, b := told(61, 0), told(63, 0); proto.Equal(a[0], b[0]) {
		t.Errorf("%v is no news", b[0])
	}
}

// TestLacksGPU: that a machine has no GPU is known once its engine has read its GPUs, and not while its driver is in trouble.
func TestLacksGPU(t *testing.T) {
	read := processFigures{gpusRead: true}
	for _, c := range []struct {
		name   string
		change func(*processFigures)
		want   bool
	}{
		{"read, and none", func(*processFigures) {}, true},
		{"not read yet", func(p *processFigures) { p.gpusRead = false }, false},
		{"one GPU", func(p *processFigures) { p.gpus = []*api.Gpu{{Name: "H100"}} }, false},
		{"all are lost", func(p *processFigures) { p.gpusLost = []int32{0} }, false},
		{"a driver that does not answer", func(p *processFigures) { p.gpuTrouble = "the driver does not answer" }, false},
	} {
		process := read
		c.change(&process)
		w := &Workspace{open: &openRepository{side: &side{}, process: process}}
		if got := w.LacksGPU(); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if (&Workspace{}).LacksGPU() {
		t.Error("a GPU is missed where no repository is open")
	}
}

// By what the engine runs models is what the running one tells: another choice counts from its next start on. A server elsewhere does not tell.
func TestAcceleratorOfTheRunningEngine(t *testing.T) {
	s := &openRepository{w: &Workspace{}, side: &side{}}
	if told := s.engineSummary().Accelerator; told != nil {
		t.Errorf("without an engine: %q", *told)
	}
	for _, name := range []string{"", "webgpu"} {
		s.running.server = &enginepb.Server{Accelerator: name}
		if told := s.engineSummary().Accelerator; told == nil || *told != name {
			t.Errorf("%q is told as %v", name, told)
		}
	}
	s.side.remote = &Remote{}
	if told := s.engineSummary().Accelerator; told != nil {
		t.Errorf("of a server elsewhere: %q", *told)
	}
}
