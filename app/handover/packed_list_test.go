package handover_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/engine/backend/python/environments/wheeltest"
)

// TestPacksAList: packages of requirements.txt are taken as wheels for the image's Python, which is not the one of this machine.
func TestPacksAList(t *testing.T) {
	index := wheeltest.New(t)
	for _, version := range []string{"1.0", "2.0"} {
		index.Add(t, "numpy", version, map[string]string{"numpy/__init__.py": version})
	}
	index.Add(t, "only_there", "1.0", map[string]string{"only_there/__init__.py": onlyThere}, "Requires-Python: <3.11")
	p := newPacking(t, "3.12", "24.10")
	model := filepath.Join(p.opts.Roots[0], "doubles")
	if err := os.RemoveAll(filepath.Join(model, ".venv")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(model, "requirements.txt"), "only_there\n")
	if told, err := p.run(t); err != nil {
		t.Fatal(err, told)
	}
	in := entries(t, p.copied(t, "environment.tar.gz"))
	if in["lib/python3.10/site-packages/only_there/__init__.py"] != onlyThere || in["bin/python3"] != "/usr/bin/python3.10" {
		t.Errorf("%q", in)
	}
	if numpy := in["lib/python3.10/site-packages/numpy/__init__.py"]; numpy != "1.0" {
		t.Errorf("NumPy is %q, which every Python model needs, and 24.10 bears no NumPy 2", numpy)
	}
	testLists(t, p, model)
	write(t, filepath.Join(model, "requirements.txt"), "numpy==2.0\n")
	if _, err := p.run(t); err == nil || !strings.Contains(err.Error(), "numpy<2") {
		t.Error(err)
	}
	write(t, filepath.Join(model, "requirements.txt"), "not_there\n")
	if _, err := p.run(t); err == nil || !strings.Contains(err.Error(), "not_there") {
		t.Error(err)
	}
	if p.copied(t, "environment.tar.gz") == nil {
		t.Error("a failed export took the last copy away")
	}
}

// testLists: a list in the folder of a version counts too, and two that differ are told.
func testLists(t *testing.T, p packing, model string) {
	t.Helper()
	own := filepath.Join(model, "1", "requirements.txt")
	write(t, own, "other\n")
	if told, err := p.run(t); err == nil || !strings.Contains(told, "one environment for all versions") {
		t.Error(err, told)
	}
	if err := os.Rename(filepath.Join(model, "requirements.txt"), own); err != nil {
		t.Fatal(err)
	}
	if told, err := p.run(t); err != nil || !strings.Contains(told, "packed: the environment of doubles") {
		t.Error(err, told)
	}
	if err := os.Remove(own); err != nil {
		t.Fatal(err)
	}
}
