package serve

import (
	"bytes"
	"fmt"
	"log/slog"
	"math"
	"os"
	"strings"
	"testing"

	"conch/engine/device"
)

// What the driver does not tell is unknown to the placement too, and no reason to refuse anything.
func TestMachineOfADriver(t *testing.T) {
	s := device.Snapshot{GPUs: []device.GPU{
		{Index: 0, UUID: "GPU-a", Capability: "8.6", Total: 100, Used: 40},
		{Index: 1, UUID: "GPU-b", Total: math.NaN(), Used: math.NaN()},
	}}
	m := machine(s)
	if m.Trouble != "" || len(m.GPUs) != 2 || m.GPUs[0].Capability != 8.6 || m.GPUs[1].Capability != 0 || m.GPUs[1].Total != 0 {
		t.Errorf("%+v", m)
	}
	memory := memoryOf(m)
	if len(memory) != 2 || memory[0].Bytes != 60 || memory[1].Bytes != 0 || memory[1].Device.String() != "GPU 1" {
		t.Errorf("%+v", memory)
	}
	if m := machine(device.Snapshot{Lost: []int{0}}); !strings.HasPrefix(m.Trouble, "GPU 0 is lost: ") {
		t.Errorf("all lost: %+v", m)
	}
	s.NoCUDA = "libcuda.so.1 is missing"
	if m := machine(s); m.Trouble != s.NoCUDA || m.GPUs != nil {
		t.Errorf("without CUDA: %+v", m)
	}
	if all := Shown(s).GPUs; len(all) != 2 || all[1].Device != "GPU 1" {
		t.Errorf("without CUDA: %+v", all)
	}
	s.Trouble = "The driver hangs."
	if m := machine(s); m.Trouble != s.Trouble || m.GPUs != nil {
		t.Errorf("in trouble: %+v", m)
	}
}

// GPUs that CUDA_VISIBLE_DEVICES hides are told as hidden, not as absent.
func TestHiddenGPUs(t *testing.T) {
	t.Setenv(cudaVisible, "")
	s := device.Snapshot{GPUs: []device.GPU{{Index: 0, UUID: "GPU-a"}, {Index: 1, UUID: "GPU-b"}}}
	if m := placeable(s); len(m.GPUs) != 0 || m.Trouble != cudaVisible+" shows none of the 2 GPUs of this machine to Conch." {
		t.Errorf("%+v", m)
	}
	if m := placeable(device.Snapshot{}); m.Trouble != "" {
		t.Errorf("without a GPU: %+v", m)
	}
}

// The free memory of an instance of a divided GPU is its own.
func TestMemoryOfAnInstance(t *testing.T) {
	s := device.Snapshot{GPUs: []device.GPU{{UUID: "GPU-a", Total: 100, Used: 90, MIG: true, Instances: []device.Instance{
		{UUID: "MIG-a", Total: math.NaN()}, {UUID: "MIG-b", Number: 1, Total: 50, Used: 10}}}}}
	list := memoryOf(machine(s).Visible("MIG-GPU-a/1/0", true))
	if len(list) != 1 || list[0].Bytes != 40 || list[0].Device.String() != "GPU 0" {
		t.Errorf("%+v", list)
	}
}

// A GPU that the driver has lost is hidden from CUDA, and people are told; a choice of the user stays.
func TestLostGPUsAreHidden(t *testing.T) {
	const chosen = "GPU-b"
	s := device.Snapshot{GPUs: []device.GPU{{Index: 0, UUID: "GPU-a"}, {Index: 2, UUID: "GPU-c"}}, Lost: []int{1}}
	for name, c := range map[string]struct {
		s    device.Snapshot
		set  bool
		want string
		said string
	}{
		"one is lost":  {s, false, "GPU-a,GPU-c", "GPUs are lost; models run on the others"},
		"none is lost": {device.Snapshot{GPUs: s.GPUs}, false, "", ""},
		"none is left": {device.Snapshot{Lost: []int{0}}, false, "", ""},
		"one is empty": {device.Snapshot{GPUs: []device.GPU{{UUID: "GPU-a", MIG: true, Empty: true}, s.GPUs[1]}, Lost: s.Lost}, false, "GPU-c", "GPUs are lost; models run on the others"},
		"the user's":   {s, true, chosen, "GPUs are lost; restart the machine"},
	} {
		t.Setenv(cudaVisible, chosen) // is set back after the test
		if !c.set {
			if err := os.Unsetenv(cudaVisible); err != nil {
				t.Fatal(err)
			}
		}
		var log bytes.Buffer
		hideLost(c.s, slog.New(slog.NewTextHandler(&log, nil)))
		if got := os.Getenv(cudaVisible); got != c.want || !strings.Contains(log.String(), c.said) || (log.Len() > 0) != (c.said != "") {
			t.Errorf("%s: %q, log %s", name, got, log.String())
		}
		if name == "one is lost" {
			m := machine(c.s).Visible(os.Getenv(cudaVisible), true)
			if len(m.GPUs) != 2 || m.GPUs[1].ID != 1 || m.GPUs[1].UUID != "GPU-c" {
				t.Errorf("%+v", m)
			}
		}
	}
}

// People and metrics are told of the GPUs that CUDA shows, by the numbers that models have.
func TestShownGPUs(t *testing.T) {
	parts := []device.Instance{{UUID: "MIG-a"}, {UUID: "MIG-b", Number: 1}}
	s := device.Snapshot{GPUs: []device.GPU{{Index: 0, UUID: "GPU-a"}, {Index: 1, UUID: "GPU-b", MIG: true, Instances: parts}, {Index: 3, UUID: "GPU-d"}}, Lost: []int{2}}
	for list, want := range map[string]string{
		"3,0":     "0 GPU-d 0, 1 GPU-a 0",
		"GPU-b":   "0 GPU-b 1",
		"MIG-b":   "0 GPU-b 1",
		"1,1":     cudaVisible + " shows none of the 3 GPUs of this machine to Conch.",
		"":        cudaVisible + " shows none of the 3 GPUs of this machine to Conch.",
		"0,9,3":   "0 GPU-a 0",
		"GPU-a,3": "0 GPU-a 0, 1 GPU-d 0",
	} {
		t.Setenv(cudaVisible, list)
		for _, trouble := range []string{"", "The driver hangs."} {
			s.Trouble = trouble
			got := Shown(s)
			var told []string
			for _, g := range got.GPUs {
				told = append(told, fmt.Sprintf("%d %s %d", g.Index, g.UUID, len(g.Instances)))
			}
			if len(told) == 0 {
				told = []string{got.Trouble}
			}
			if trouble != "" && got.Trouble != trouble || trouble == "" && strings.Join(told, ", ") != want {
				t.Errorf("with %q: %q, %q", list, told, got.Trouble)
			}
		}
	}
	if err := os.Unsetenv(cudaVisible); err != nil {
		t.Fatal(err)
	}
	if got := Shown(s); len(got.GPUs) != 3 || got.GPUs[2].Index != 3 || len(s.GPUs[1].Instances) != 2 {
		t.Errorf("without a choice: %+v", got)
	}
}

// The GPUs, or instances of divided ones, that CUDA shows have the names by which models have them. While a GPU is divided, CUDA shows one instance and
// nothing else.
func TestNamesOfGPUs(t *testing.T) {
	parts := []device.Instance{{UUID: "MIG-a"}, {UUID: "MIG-b", Number: 1}}
	whole := []device.GPU{{Index: 0, UUID: "GPU-a"}, {Index: 1, UUID: "GPU-b"}}
	mixed := []device.GPU{{Index: 0, UUID: "GPU-a"}, {Index: 1, UUID: "GPU-b", MIG: true, Instances: parts}, {Index: 2, UUID: "GPU-c", MIG: true, Instances: parts[1:]}}
	for _, c := range []struct {
		gpus []device.GPU
		list string // of the variable; "-" where it is not set
		want string
	}{
		{whole, "-", "GPU-a=GPU 0 GPU-b=GPU 1"},
		{whole, "1", "GPU-b=GPU 0"},
		{mixed, "-", "GPU-a= GPU-b= MIG-a=GPU 0 MIG-b= GPU-c= MIG-b="},
		{mixed, "0", "GPU-a=GPU 0"},
		{mixed, "0,1", "GPU-b= MIG-a=GPU 0"},
		{[]device.GPU{{Index: 0, UUID: "GPU-a", MIG: true, Empty: true}, whole[1]}, "-", "GPU-a= GPU-b=GPU 0"},
		{mixed[:2], "MIG-b", "GPU-b= MIG-b=GPU 0"},
	} {
		t.Setenv(cudaVisible, c.list) // is set back after the test
		if c.list == "-" {
			if err := os.Unsetenv(cudaVisible); err != nil {
				t.Fatal(err)
			}
		}
		var names []string
		for _, g := range Shown(device.Snapshot{GPUs: c.gpus}).GPUs {
			names = append(names, g.UUID+"="+g.Device)
			for _, one := range g.Instances {
				names = append(names, one.UUID+"="+one.Device)
			}
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.list, got, c.want)
		}
	}
}

// An interval that is shorter than the shortest one is told, with the one that counts.
func TestShortestInterval(t *testing.T) {
	for asked, want := range map[int64]string{
		1: "--metrics-interval-ms=1 is below the shortest interval of Conch: the GPUs are read every 100 ms", 0: "=0 is below", -5: "=-5 is below", 99: "=99 is below",
		100: "", 2000: "", math.MaxInt64: "",
	} {
		var said bytes.Buffer
		f := &Flags{}
		f.MetricsEveryMs = asked
		f.tellLeastInterval(slog.New(slog.NewTextHandler(&said, nil)))
		if (said.Len() == 0) != (want == "") || !strings.Contains(said.String(), want) {
			t.Errorf("%d: %s", asked, said.String())
		}
	}
}
