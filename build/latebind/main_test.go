package main

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// compile compiles a C program or library.
func compile(t *testing.T, to, text string, flags ...string) {
	t.Helper()
	source := to + ".c"
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cc", append([]string{"-o", to, source}, flags...)...).CombinedOutput(); err != nil {
		t.Fatalf("compile: %v\n%s", err, out)
	}
}

// program compiles one that opens its library when it gets an argument, and calls it.
func program(t *testing.T, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	library := filepath.Join(dir, "liblate.so")
	compile(t, library, "int three(void) { return 3; }", "-shared", "-fPIC", "-Wl,-soname,liblate.so")
	to := filepath.Join(dir, "late")
	compile(t, to, `#include <dlfcn.h>
#include <stdio.h>
int three(void);
int main(int count, char **words) {
	if (count > 1) {
		dlopen(words[1], RTLD_LAZY | RTLD_GLOBAL);
		printf("%d\n", three());
	}
	return 0;
}
`, append(flags, library, "-ldl", "-lm", "-Wl,--no-as-needed")...)
	return to
}

// TestDrop: the program starts without the library, and finds its function once it has opened it.
func TestDrop(t *testing.T) {
	late := program(t, "-Wl,-z,lazy")
	if err := drop(late, []string{"liblate", "libother"}); err != nil {
		t.Fatal(err)
	}
	file, err := elf.Open(late)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	needed, err := file.ImportedLibraries()
	if err != nil || slices.Contains(needed, "liblate.so") || !slices.Contains(needed, "libc.so.6") {
		t.Errorf("it needs %q, %v", needed, err)
	}
	for arg, want := range map[string]string{"": "", filepath.Join(filepath.Dir(late), "liblate.so"): "3\n"} {
		out, err := exec.Command(late, strings.Fields(arg)...).Output()
		if err != nil || string(out) != want {
			t.Errorf("it says %q, %v; want %q", out, err, want)
		}
	}
}

// TestDropRefuses: a program that finds all functions at its start, or asks for a version of a library, would not start
// any more.
func TestDropRefuses(t *testing.T) {
	now, lazy := program(t, "-Wl,-z,now"), program(t, "-Wl,-z,lazy")
	if err := drop(now, []string{"liblate"}); err == nil || !strings.Contains(err.Error(), "-z lazy") {
		t.Errorf("it is changed: %v", err)
	}
	if err := drop(lazy, []string{"libc."}); err == nil || !strings.Contains(err.Error(), "a version of libc.so.6") {
		t.Errorf("it is changed: %v", err)
	}
}
