package model_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"conch/engine/backend"
	"conch/engine/hostpolicy"
	"conch/engine/infer"
)

var coresLine = regexp.MustCompile(`(?m)^Cpus_allowed_list:\s*(\S+)$`)

// coresHere are the processors that the kernel lets the calling thread run on.
func coresHere(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("/proc/thread-self/status")
	m := coresLine.FindSubmatch(text)
	if err != nil || m == nil {
		t.Fatalf("%v: %s", err, text)
	}
	return string(m[1])
}

// Loads, instances and executions are bound to what the policy of the instance's group says: that which it names, or cpu, model or
// gpu_N by where the instance runs.
func TestHostPolicies(t *testing.T) {
	all := coresHere(t)
	last := all[strings.LastIndexAny(all, ",-")+1:]
	for groups, want := range map[string][]string{
		"kind: KIND_CPU":                          {"cpu"},
		"kind: KIND_MODEL":                        {"model"},
		"kind: KIND_GPU gpus: [1]":                {"gpu_1"},
		"kind: KIND_GPU gpus: [7]":                {"gpu_0"}, // where it runs here
		"kind: KIND_GPU host_policy: 'mine'":      {"mine", "mine"},
		"kind: KIND_CPU }, { kind: KIND_GPU":      {"cpu", "gpu_0", "gpu_1"},
		"kind: KIND_CPU host_policy: 'elsewhere'": {"elsewhere"},
	} {
		for i, bound := range append(want, "cpux") {
			var seen []string
			var made []string
			l, b := placing(&made, 0, 1)
			var err error
			if l.HostPolicies, err = hostpolicy.Parse([]string{bound + ",cpu-cores=" + last + "-" + last}); err != nil {
				t.Fatal(err)
			}
			b.OnLoad = func(context.Context, backend.Spec) error { seen = append(seen, coresHere(t)); return nil }
			b.OnInstance = func(backend.InstanceSpec) error { seen = append(seen, coresHere(t)); return nil }
			b.OnExecute = func(_ context.Context, _ backend.Spec, batch *backend.Batch) {
				seen = append(seen, coresHere(t))
				batch.FailAll(infer.Errorf(infer.Internal, "enough"))
			}
			v, err := loadWith(t, l, fakeModel+"max_batch_size: 4 instance_group [{ "+groups+" }]")
			if err != nil {
				t.Fatalf("%s: %v", groups, err)
			}
			expected := []string{all} // the load, and then the instances
			if bound == want[0] {
				expected[0] = last
			}
			for _, name := range want {
				expected = append(expected, map[bool]string{true: last, false: all}[name == bound])
			}
			if len(want) == 1 {
				_ = v.Infer(t.Context(), item("a"), func(*infer.Response) error { return nil }) // it fails
				expected = append(expected, expected[1])
			}
			if !slices.Equal(seen, expected) {
				t.Errorf("%s, %s bound (%d): on %v, want %v", groups, bound, i, seen, expected)
			}
			if err := v.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// A policy that cannot be had fails the load, in Triton's words, and leaves nothing.
func TestHostPolicyThatIsWrong(t *testing.T) {
	for setting, want := range map[string]string{
		"cpu-cores=1":         "host policy setting 'cpu-cores' format is '<lower_cpu_core_id>-<upper_cpu_core_id>'. Got 1",
		"cpu-cores=1023-1023": "Unable to set NUMA thread affinity: invalid argument",
		"numa-node=x":         "Parsing 'numa-node' value: Can't parse 'x' to integer",
	} {
		for _, groups := range []string{"kind: KIND_CPU", "kind: KIND_GPU }, { kind: KIND_CPU"} {
			var made []string
			l, b := placing(&made, 0, 1)
			var err error
			if l.HostPolicies, err = hostpolicy.Parse([]string{"cpu," + setting}); err != nil {
				t.Fatal(err)
			}
			if _, err := loadWith(t, l, fakeModel+"instance_group [{ "+groups+" }]"); fmt.Sprint(err) != want {
				t.Errorf("%s: %v", setting, err)
			}
			if b.Models.Load() != 0 || b.Instances.Load() != 0 {
				t.Errorf("%s: %d models and %d instances are left", setting, b.Models.Load(), b.Instances.Load())
			}
		}
	}
}
