package desktop

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// muteNames are the libraries in the file from which the Makefile makes them.
func muteNames(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("mute/libraries")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(text))
}

// TestMuteHasWhatWebKitAsksFor: WebKit opens with the libraries in the place of Flite, and loads none of Flite's own.
func TestMuteHasWhatWebKitAsksFor(t *testing.T) {
	dir := t.TempDir()
	for _, name := range muteNames(t) {
		build(t, filepath.Join(dir, name), "mute/mute.c", "-O2", "-shared", "-fPIC", "-nostdlib", "-Wl,-soname,"+name)
	}
	probe := filepath.Join(dir, "probe")
	build(t, probe, "testdata/opens.c")
	cmd := exec.Command(probe, "libwebkit2gtk-4.1.so.0")
	cmd.Env = append(os.Environ(), libraryPath+"="+mutePath([]string{filepath.Join(dir, "libflite.so.1")}, ""))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "libflite") && !strings.Contains(line, dir) {
			t.Errorf("loaded: %s", line)
		}
	}
}

// TestMuteLibraries: they are found beside the program, and come before what the user has.
func TestMuteLibraries(t *testing.T) {
	root := t.TempDir()
	if got := muteLibraries(filepath.Join(root, "conch")); len(got) > 0 {
		t.Errorf("without them there are %q", got)
	}
	if err := os.Mkdir(filepath.Join(root, "mute"), 0o700); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, name := range muteNames(t) {
		want = append(want, filepath.Join(root, "mute", name))
		if err := os.WriteFile(want[len(want)-1], nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := muteLibraries(filepath.Join(root, "conch"))
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	dir := filepath.Join(root, "mute")
	for before, want := range map[string]string{"": dir, "/opt/lib": dir + ":/opt/lib"} {
		if got := mutePath(got, before); got != want {
			t.Errorf("before %q: %q, want %q", before, got, want)
		}
	}
}

// TestBesideInAPathOfSeveral: a path that a list of paths would take for several is not given to a loader.
func TestBesideInAPathOfSeveral(t *testing.T) {
	for _, name := range []string{"a:b", "a;b"} {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.MkdirAll(filepath.Join(dir, "mute"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "mute", "libflite.so.1"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := muteLibraries(filepath.Join(dir, "conch")); len(got) > 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
}
