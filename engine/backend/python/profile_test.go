//go:build linux

package python_test

import (
	"strings"
	"testing"

	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// calling is a model that calls functions, as many times as its input says.
const calling = `
import triton_python_backend_utils as pb_utils


def leaf(n):
    return sorted([n, 1])


def branch(times):
    for n in range(times):
        leaf(n)


class TritonPythonModel:
    def execute(self, requests):
        what = requests[0].inputs()[0].as_numpy()[0, 0].decode()
        branch(int(what))
        leaf(0)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", r.inputs()[0].as_numpy())]) for r in requests]
`

// profiled runs a request with a profile.
func profiled(t *testing.T, in backend.Instance, input tensor.Tensor) infer.Profile {
	t.Helper()
	trace := &infer.Trace{Profile: true}
	r := &infer.Request{Batch: 1, Inputs: []tensor.Tensor{input}, Trace: trace}
	var failed error
	batch := backend.NewBatch([]*infer.Request{r}, func(_ int, r *infer.Response) { free(r) }, func(_ int, err error) { failed = err })
	batch.Start()
	in.Execute(t.Context(), batch)
	if failed != nil || len(trace.Profiles) != 1 {
		t.Fatalf("%d profiles, %v", len(trace.Profiles), failed)
	}
	return trace.Profiles[0]
}

// paths returns the tree of a profile, by "execute/branch/leaf".
func paths(p infer.Profile) map[string]infer.ProfileNode {
	all, names := map[string]infer.ProfileNode{}, make([]string, len(p.Nodes))
	for i, n := range p.Nodes {
		names[i] = p.Functions[n.Function].Name
		if n.Parent >= 0 {
			names[i] = names[n.Parent] + "/" + names[i]
		}
		all[names[i]] = n
	}
	return all
}

// A request tells where its time went, as a tree of calls without the worker's own code. Very many calls are sampled.
func TestProfiles(t *testing.T) {
	in, _ := loadProgram(t, calling)
	p := profiled(t, in, text("50"))
	tree := paths(p)
	root := ""
	for name, n := range tree {
		if n.Parent == -1 && strings.HasSuffix(name, "execute") {
			root = name
		}
	}
	within, direct := tree[root+"/branch/leaf"], tree[root+"/leaf"]
	if p.Instance != "m_0" || p.Sampled || within.Calls != 50 || direct.Calls != 1 || tree[root+"/branch"].Total < within.Total || tree[root].Total < tree[root+"/branch"].Total || within.Total == 0 {
		t.Errorf("the profile: %+v of %+v", tree, p)
	}
	if got := tree[root+"/branch/leaf/sorted"]; got.Calls != 50 || p.Functions[got.Function].File != "" {
		t.Errorf("a function in C: %+v", got)
	}
	for _, f := range p.Functions {
		if strings.Contains(f.File, "conch_worker") {
			t.Errorf("the worker's own function %+v", f)
		}
		if f.Name == "branch" && (!strings.HasSuffix(f.File, "1/model.py") || f.Line != 9) {
			t.Errorf("where branch is: %+v", f)
		}
	}
	p = profiled(t, in, text("1000000"))
	tree = paths(p)
	if !p.Sampled || tree[root].Total < 50_000_000 || tree[root+"/branch"].Total < tree[root].Total/2 {
		t.Errorf("of many calls: sampled %v, %v", p.Sampled, tree[root])
	}
	if _, err := run(t, in, text("1")); err != nil {
		t.Errorf("a request without a profile: %v", err)
	}
}

// deep is a model whose function calls itself, as many times as its input says.
const deep = `
import sys

import triton_python_backend_utils as pb_utils


def down(n):
    return n and down(n - 1)


class TritonPythonModel:
    def execute(self, requests):
        usual = sys.getrecursionlimit()
        sys.setrecursionlimit(10_000)
        down(int(requests[0].inputs()[0].as_numpy()[0, 0].decode()))
        sys.setrecursionlimit(usual)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", r.inputs()[0].as_numpy())]) for r in requests]
`

// A program may recurse deeper than the code that tells its profile could.
func TestProfileOfADeepProgram(t *testing.T) {
	in, _ := loadProgram(t, deep)
	p := profiled(t, in, text("2000"))
	depths, deepest := make([]int, len(p.Nodes)), 0
	for i, n := range p.Nodes {
		if n.Parent >= 0 {
			depths[i] = depths[n.Parent] + 1
		}
		if p.Functions[n.Function].Name == "down" {
			deepest = max(deepest, depths[i])
		}
		if n.Parent >= 0 && n.Total > p.Nodes[n.Parent].Total {
			t.Fatalf("node %d takes %v, and its caller %v", i, n.Total, p.Nodes[n.Parent].Total)
		}
	}
	if deepest < 2000 {
		t.Errorf("the deepest call is %d below execute", deepest)
	}
}

// A profile that cannot be told costs only itself.
func TestProfileThatFails(t *testing.T) {
	in, log := loadProgram(t, "import conch_worker.profile\nconch_worker.profile.MOST = None\n"+calling)
	trace := &infer.Trace{Profile: true}
	r := &infer.Request{Batch: 1, Inputs: []tensor.Tensor{text("1")}, Trace: trace}
	batch := backend.NewBatch([]*infer.Request{r}, func(_ int, r *infer.Response) { free(r) }, func(_ int, err error) { t.Error(err) })
	batch.Start()
	in.Execute(t.Context(), batch)
	log.until("TypeError: ")
	if _, err := run(t, in, text("1")); err != nil || len(trace.Profiles) != 0 {
		t.Errorf("%d profiles, %v", len(trace.Profiles), err)
	}
}

// Where debugpy is missing, the error says how to install it, and the instance serves.
func TestDebuggerIsMissing(t *testing.T) {
	in, _ := loadProgram(t, "import sys\nsys.modules['debugpy'] = None\n"+calling)
	_, err := in.(backend.Debuggable).Debug(t.Context())
	if err == nil || !strings.HasPrefix(err.Error(), "the model's interpreter has no debugpy. Install it: /") || !strings.HasSuffix(err.Error(), " -m pip install debugpy") {
		t.Errorf("the error: %v", err)
	}
	if p, _ := in.(backend.Housed).Process(); p.Debugger != "" {
		t.Errorf("it listens at %q", p.Debugger)
	}
	if _, err := run(t, in, text("1")); err != nil {
		t.Error(err)
	}
}
