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
		Index: 1, Uuid: "GPU-a", Name: "A100", TotalBytes: 40, UsedBytes: 4, Utilization: 0.5, PowerWatts: -1, Temperature: 41,
		MaxPowerWatts: 400, ClockMhz: 1410, ProcessCount: 9, Processes: []*enginepb.GpuProcess{{Pid: 7, Bytes: 3, Own: true}},
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
