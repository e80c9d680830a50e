package hostpolicy_test

import (
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"conch/engine/hostpolicy"
	"conch/engine/infer"
)

// policy is one with a setting.
func policy(t *testing.T, setting string) hostpolicy.Policy {
	t.Helper()
	settings, err := hostpolicy.Parse([]string{"p," + setting})
	if err != nil {
		t.Fatal(err)
	}
	p, err := settings.Policy("p")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var allowed = regexp.MustCompile(`(?m)^(Cpus_allowed_list|Mems_allowed_list):\s*(\S+)$`)

// cores are the processors that the kernel lets the calling thread, or a process that it starts, run on.
func cores(t *testing.T, text []byte, err error) string {
	t.Helper()
	m := allowed.FindSubmatch(text)
	if err != nil || m == nil {
		t.Fatalf("%v: %s", err, text)
	}
	return string(m[2])
}

func here(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("/proc/thread-self/status")
	return cores(t, text, err)
}

func TestCores(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := here(t)
	last := before[strings.LastIndexAny(before, ",-")+1:]
	var inside, child string
	err := policy(t, "cpu-cores="+last+"-"+last).Do(func() {
		inside = here(t)
		text, err := exec.Command("cat", "/proc/self/status").Output()
		child = cores(t, text, err)
	})
	if err != nil || inside != last || child != last {
		t.Errorf("bound to %s: the thread runs on %s, a process on %s, %v", last, inside, child, err)
	}
	if after := here(t); after != before {
		t.Errorf("afterwards on %s, before on %s", after, before)
	}
	for setting, want := range map[string]string{
		"cpu-cores=1023-1023": "Unable to set NUMA thread affinity: invalid argument",
		"cpu-cores=3-1":       "Unable to set NUMA thread affinity: invalid argument",
		"numa-node=900":       "Unable to set NUMA memory policy: invalid argument",
		"numa-node=-1":        "Unable to set NUMA memory policy: invalid argument",
	} {
		err := policy(t, setting).Do(func() { t.Error("it ran without its binding") })
		if infer.CodeOf(err) != infer.Internal || err.Error() != want {
			t.Errorf("%s: %v", setting, err)
		}
		if after := here(t); after != before {
			t.Errorf("%s: afterwards on %s, before on %s", setting, after, before)
		}
	}
}

// Memory of a node: the kernel tells the policy of each piece of memory of a thread.
func TestNode(t *testing.T) {
	if _, err := os.Stat("/proc/thread-self/numa_maps"); err != nil {
		t.Skipf("this kernel knows no nodes of memory: %v", err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	bound := func() bool {
		text, err := os.ReadFile("/proc/thread-self/numa_maps")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(text), " bind:0")
	}
	inside := false
	err := policy(t, "numa-node=0").Do(func() { inside = bound() })
	if err != nil && strings.Contains(err.Error(), "not permitted") {
		t.Skip("this system lets nobody bind memory")
	}
	if err != nil || !inside || bound() {
		t.Errorf("inside bound: %v, afterwards: %v, %v", inside, bound(), err)
	}
}
