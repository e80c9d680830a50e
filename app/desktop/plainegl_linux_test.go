package desktop

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// build compiles a C file of this folder.
func build(t *testing.T, to, from string, flags ...string) {
	t.Helper()
	if out, err := exec.Command("cc", append(flags, "-Wall", "-Werror", "-o", to, from, "-ldl")...).CombinedOutput(); err != nil {
		t.Fatalf("compile %s: %v\n%s", from, err, out)
	}
}

// TestPlainEGL: with the driver beside the program, EGL has a display without a way to draw, and loads no LLVM. Where
// that driver does not load, the usual ones do.
func TestPlainEGL(t *testing.T) {
	dir := t.TempDir()
	probe, egl := filepath.Join(dir, "probe"), filepath.Join(dir, "egl")
	build(t, probe, "testdata/display.c")
	if err := os.Mkdir(egl, 0o700); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("plainegl/conch.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(egl, "conch.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	build(t, filepath.Join(egl, "conch.so"), "plainegl/plainegl.c", "-O2", "-shared", "-fPIC")
	dirs := plainVendorDirs(filepath.Join(dir, "conch"), t.TempDir())
	if !strings.HasPrefix(dirs, egl+":") {
		t.Fatalf("EGL looks for drivers in %q", dirs)
	}
	run := func(words ...string) string {
		t.Helper()
		cmd := exec.Command(probe, words...)
		cmd.Env = append(os.Environ(), vendorDirs+"="+dirs)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	for _, words := range [][]string{nil, {"screen"}} {
		if out := run(words...); !strings.HasPrefix(out, "Conch 1.5, 0 configurations, no context\n") || strings.Contains(out, "LLVM") {
			t.Errorf("with the driver, %q: %s", words, out)
		}
	}
	if err := os.WriteFile(filepath.Join(egl, "conch.so"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if out := run(); !strings.HasPrefix(out, "Mesa Project ") {
		t.Errorf("without it: %s", out)
	}
}

// TestPlainVendorDirs: the driver is used where it lies beside the program, no GPU draws, and the user chose none.
func TestPlainVendorDirs(t *testing.T) {
	for _, c := range []struct {
		name, place, program, device, chosen string
		want                                 bool
	}{
		{name: "an archive", place: "egl", program: "conch", want: true},
		{name: "a package", place: "lib/conch/egl", program: "bin/conch", want: true},
		{name: "the program alone", program: "conch"},
		{name: "a GPU", place: "egl", program: "conch", device: "renderD128"},
		{name: "the user chose folders", place: "egl", program: "conch", chosen: vendorDirs},
		{name: "the user chose files", place: "egl", program: "conch", chosen: vendorFiles},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, name := range []string{vendorDirs, vendorFiles} {
				t.Setenv(name, "") // restores what was there
				if name == c.chosen {
					continue
				}
				if err := os.Unsetenv(name); err != nil {
					t.Fatal(err)
				}
			}
			root, devices := t.TempDir(), t.TempDir()
			for _, file := range []string{filepath.Join(root, c.program), filepath.Join(root, c.place, "conch.json"), filepath.Join(devices, c.device, "card")} {
				if c.place == "" && strings.HasSuffix(file, ".json") {
					continue
				}
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got := plainVendorDirs(filepath.Join(root, c.program), devices)
			if first, _, _ := strings.Cut(got, ":"); c.want && first != filepath.Join(root, c.place) || !c.want && got != "" {
				t.Errorf("EGL looks for drivers in %q", got)
			}
		})
	}
}
