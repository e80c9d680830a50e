package placement_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"conch/build/golden"
	"conch/configedit/derive"
	"conch/configedit/modelconfig"
	"conch/engine/placement"
)

// A case is a config, a machine and what its model's backend can use of it.
func TestPlacement(t *testing.T) {
	golden.Each(t, "testdata/placement", func(t *testing.T, c *golden.Case) {
		decoded, found := modelconfig.Parse("config.pbtxt", []byte(c.Text(t, "config.pbtxt")))
		if len(found) > 0 {
			t.Fatal(found)
		}
		files := c.Files()
		delete(files, "config.pbtxt")
		for _, part := range slices.Sorted(maps.Keys(files)) {
			q, facts := question(t, files[part])
			c.WantPart(part, decided(t, q, decoded.Config, facts))
			q.Strict, facts.Elsewhere = true, false
			c.WantPart(part+", strict", decided(t, q, decoded.Config, facts))
		}
	})
}

// question reads a machine: lines of a key and its values.
func question(t *testing.T, text string) (placement.Question, derive.Facts) {
	t.Helper()
	q := placement.Question{Least: 6}
	var machine placement.Machine
	facts := derive.Facts{ModelName: "m", AutoComplete: true, Elsewhere: true}
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		key, value, _ := strings.Cut(line, ":")
		switch key {
		case "capabilities": // of the machine's GPUs
			for i, text := range strings.Fields(value) {
				n, err := strconv.ParseFloat(text, 64)
				if err != nil {
					t.Fatal(err)
				}
				machine.GPUs = append(machine.GPUs, placement.GPU{ID: i, Capability: n})
			}
		case "backend": // the GPUs that it can use
			for _, text := range strings.Fields(value) {
				n, err := strconv.Atoi(text)
				if err != nil {
					t.Fatal(err)
				}
				q.GPUs = append(q.GPUs, n)
			}
		case "without":
			q.Without = strings.TrimSpace(value)
		case "trouble":
			q.Trouble = strings.TrimSpace(value)
		case "GPUs alone":
			q.OnGPUs = true
		default:
			t.Fatalf("a machine says nothing of %q", key)
		}
	}
	q.Machine, q.GPUs = machine.Supported(q.Least), machine.Usable(q.GPUs, q.Least)
	for _, id := range q.Machine {
		facts.Here = append(facts.Here, int32(id))
	}
	for _, id := range q.GPUs {
		facts.GPUs = append(facts.GPUs, int32(id))
	}
	return q, facts
}

func decided(t *testing.T, q placement.Question, given *modelconfig.ModelConfig, facts derive.Facts) string {
	t.Helper()
	var err error
	if q.Config, _, err = derive.Effective(given, facts); err != nil {
		t.Fatal(err)
	}
	plan, err := placement.Decide(q)
	if err != nil {
		return "refused: " + err.Error() + "\n"
	}
	var b strings.Builder
	for in := range plan.All() {
		fmt.Fprintf(&b, "%s: %s, %s (%s)\n", in.Name, in.Device, in.Kind, in.Label)
	}
	for _, n := range plan.Notes {
		fmt.Fprintf(&b, "[%s] %s\n", n.Badge(), n.Text())
		if n.ByBuild {
			b.WriteString("another build of ONNX Runtime would use them\n")
		}
	}
	return b.String()
}

func TestCount(t *testing.T) {
	cfg := &modelconfig.ModelConfig{Name: "m", InstanceGroup: []*modelconfig.ModelInstanceGroup{
		{Name: "a", Kind: modelconfig.ModelInstanceGroup_KIND_GPU, Count: 1 << 30, Gpus: []int32{0, 1}},
		{Name: "b", Kind: modelconfig.ModelInstanceGroup_KIND_CPU, Count: 3},
	}}
	plan, err := placement.Decide(placement.Question{Config: cfg, GPUs: []int{0, 1}})
	if err != nil || plan.Count() != 1<<31+3 {
		t.Errorf("%d instances, %v", plan.Count(), err)
	}
	if got := fmt.Sprint(plan.Devices()); got != "[GPU 0 GPU 1 CPU]" {
		t.Errorf("devices %s", got)
	}
}

// Where the backend runs a model on something else than the processor, such as another maker's GPU, nobody is told that it runs on the CPU.
func TestAdapterInPlaceOfTheProcessor(t *testing.T) {
	cfg := &modelconfig.ModelConfig{Name: "m", InstanceGroup: []*modelconfig.ModelInstanceGroup{{Name: "m_0", Kind: modelconfig.ModelInstanceGroup_KIND_GPU, Count: 1}}}
	plan, err := placement.Decide(placement.Question{Config: cfg, Adapter: "WebGPU"})
	if err != nil || len(plan.Notes) != 1 {
		t.Fatalf("%+v, %v", plan, err)
	}
	if names := fmt.Sprint(plan.Names()); names != "[WebGPU]" {
		t.Errorf("it runs on %s", names)
	}
	if badge := plan.Notes[0].Badge(); badge != "KIND_GPU, runs by WebGPU here" {
		t.Errorf("badge %q", badge)
	}
	const text = "instance group m_0 asks for KIND_GPU and runs by WebGPU here, because this machine has no NVIDIA GPU that can be used; Triton would refuse the model on this machine"
	if got := plan.Notes[0].Text(); got != text {
		t.Errorf("text %q", got)
	}
	plan, err = placement.Decide(placement.Question{Config: cfg, Adapter: "WebGPU", Machine: []int{0}, GPUs: []int{0}})
	if names := fmt.Sprint(plan.Names()); err != nil || names != "[GPU 0]" || len(plan.Notes) != 0 {
		t.Errorf("with a GPU of NVIDIA on %s, %v", names, err)
	}
}

// CUDA numbers the GPUs that CUDA_VISIBLE_DEVICES names, in its order, up to the first that is not there.
func TestVisible(t *testing.T) {
	machine := placement.Machine{GPUs: []placement.GPU{{ID: 0, UUID: "GPU-aa"}, {ID: 1, UUID: "GPU-bb"}, {ID: 2, UUID: "GPU-cc"}}}
	for variable, want := range map[string]string{
		"2,0": "[GPU-cc GPU-aa]", "": "[]", "-1": "[]", "1,7,0": "[GPU-bb]", "GPU-b": "[GPU-bb]", " 1 , GPU-aa": "[GPU-bb GPU-aa]", "bb": "[]",
		"0,1,0": "[]", "0,GPU-aa": "[]", "2,GPU-": "[GPU-cc]",
	} {
		got := []string{}
		for i, g := range machine.Visible(variable, true).GPUs {
			if g.ID != i {
				t.Errorf("%q: number %d at %d", variable, g.ID, i)
			}
			got = append(got, g.UUID)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%q shows %v, want %s", variable, got, want)
		}
	}
	if n := len(machine.Visible("", false).GPUs); n != 3 {
		t.Errorf("without the variable: %d", n)
	}
}

// CUDA shows one instance of a divided GPU, as a GPU of its own with its own memory.
func TestVisibleInstances(t *testing.T) {
	machine := placement.Machine{GPUs: []placement.GPU{{ID: 0, UUID: "GPU-aa", Capability: 8, Total: 80}, {ID: 1, UUID: "GPU-bb", Capability: 9, Total: 80,
		Parts: []placement.Part{{UUID: "MIG-11", Number: 1, Total: 10, Used: 3}, {UUID: "MIG-12", Number: 7, Compute: 2, Total: 20}}}}}
	for variable, want := range map[string]string{
		"MIG-11": "[{0 MIG-11 9 10 3 [] false}]", " MIG-12,MIG-11": "[{0 MIG-12 9 20 0 [] false}]", "MIG-GPU-bb/7/2": "[{0 MIG-12 9 20 0 [] false}]", "MIG-11,0": "[{0 MIG-11 9 10 3 [] false}]",
		"1": "[{0 MIG-11 9 10 3 [] false}]", "0,1": "[{0 MIG-11 9 10 3 [] false}]", "GPU-bb": "[{0 MIG-11 9 10 3 [] false}]", "MIG-1": "[]", "MIG-": "[]", "MIG-GPU-bb/1/1": "[]", "MIG-13": "[]", "0,MIG-11": "[{0 GPU-aa 8 80 0 [] false}]",
	} {
		if got := fmt.Sprint(machine.Visible(variable, true).GPUs); got != want {
			t.Errorf("%q shows %s, want %s", variable, got, want)
		}
	}
}

// Where nothing is chosen, CUDA shows the first instance of divided GPUs and no other GPU. Its memory is not that of the whole GPU.
func TestNothingChosenOfDividedGPUs(t *testing.T) {
	plain := placement.GPU{ID: 0, UUID: "GPU-aa", Total: 80}
	divided := placement.GPU{ID: 1, UUID: "GPU-bb", Total: 80, Used: 30}
	small, large := placement.Part{UUID: "MIG-11", Total: 10, Used: 3}, placement.Part{UUID: "MIG-12", Total: 20}
	for _, c := range []struct {
		parts       []placement.Part
		gpus        string
		total, used float64
	}{
		{nil, "[GPU-aa GPU-bb]", 80, 30},
		{[]placement.Part{small}, "[MIG-11]", 10, 3},
		{[]placement.Part{large, small}, "[MIG-12]", 20, 0},
	} {
		divided.Parts = c.parts
		shown := placement.Machine{GPUs: []placement.GPU{plain, divided}}.Visible("", false).GPUs
		var names []string
		for i, g := range shown {
			if names = append(names, g.UUID); g.ID != i {
				t.Errorf("%s has the number %d at %d", g.UUID, g.ID, i)
			}
		}
		if last := shown[len(shown)-1]; fmt.Sprint(names) != c.gpus || last.Total != c.total || last.Used != c.used {
			t.Errorf("%v: %v", c.parts, shown)
		}
	}
}

// CUDA does not count a divided GPU without instances.
func TestDividedWithoutInstances(t *testing.T) {
	machine := placement.Machine{GPUs: []placement.GPU{{ID: 0, UUID: "GPU-aa", Empty: true}, {ID: 1, UUID: "GPU-bb"}, {ID: 2, UUID: "GPU-cc", Empty: true}, {ID: 3, UUID: "GPU-dd"}}}
	for _, c := range []struct {
		variable string
		set      bool
		want     string
	}{
		{"", false, "0 GPU-bb, 1 GPU-dd"}, {"3,1", true, "0 GPU-dd, 1 GPU-bb"}, {"1,0,3", true, "0 GPU-bb"}, {"GPU-aa", true, ""},
	} {
		var got []string
		for _, g := range machine.Visible(c.variable, c.set).GPUs {
			got = append(got, fmt.Sprint(g.ID, " ", g.UUID))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%q shows %q, want %q", c.variable, got, c.want)
		}
	}
	if machine.GPUs[1].ID != 1 {
		t.Error("the machine was changed")
	}
}

// A GPU whose capability is unknown is not refused for it.
func TestOldGPUs(t *testing.T) {
	machine := placement.Machine{GPUs: []placement.GPU{{ID: 2}, {ID: 1, Capability: 7.5}, {ID: 0, Capability: 5.2}}}
	if got := machine.Supported(6); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("supported: %v", got)
	}
	if got := machine.Usable([]int{0, 1, 9}, 6); !slices.Equal(got, []int{1, 9}) {
		t.Errorf("usable: %v", got)
	}
}
