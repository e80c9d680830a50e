package python_test

import (
	"os"
	"strings"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/hostpolicy"
	"conch/engine/tensor"
)

// The process of an instance, and what it starts, runs on the processors of its host policy. Later ones of others do not.
func TestProcessesAreBound(t *testing.T) {
	const program = `
import os, subprocess, sys
import numpy as np
import triton_python_backend_utils as pb

class TritonPythonModel:
    def execute(self, requests):
        child = subprocess.run([sys.executable, "-c", "import os; print(len(os.sched_getaffinity(0)))"], capture_output=True, text=True).stdout
        said = f"{sorted(os.sched_getaffinity(0))} {child.strip()}"
        return [pb.InferenceResponse([pb.Tensor("OUT", np.array([[said]], dtype=object))]) for _ in requests]
`
	status, err := os.ReadFile("/proc/thread-self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, all, _ := strings.Cut(string(status), "Cpus_allowed_list:")
	all, _, _ = strings.Cut(strings.TrimSpace(all), "\n")
	last := all[strings.LastIndexAny(all, ",-")+1:]
	settings, err := hostpolicy.Parse([]string{"cpu,cpu-cores=" + last + "-" + last})
	if err != nil {
		t.Fatal(err)
	}
	policy, err := settings.Policy("cpu")
	if err != nil {
		t.Fatal(err)
	}
	m, err := newBackend(t).Load(t.Context(), specOf(t, program, flat(tensor.Bytes)))
	if err != nil {
		t.Fatal(err)
	}
	said := func(policy hostpolicy.Policy) string {
		in, err := m.NewInstance(t.Context(), backend.InstanceSpec{Name: "m_0", Kind: modelconfig.ModelInstanceGroup_KIND_CPU, Policy: policy})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = in.Close() })
		got, failed := run(t, in, text("who"))
		if failed != nil {
			t.Fatal(failed)
		}
		defer free(got)
		return string(got.Outputs[0].Data[4:])
	}
	if got := said(policy); got != "["+last+"] 1" {
		t.Errorf("bound to %s: %s", last, got)
	}
	if got := said(hostpolicy.Policy{}); all != last && got == "["+last+"] 1" {
		t.Errorf("not bound: %s", got)
	}
}
