package runtimes_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"conch/engine/backend/onnx/runtimes"
	"conch/engine/device"
)

// oldLibrary is an ONNX Runtime that has no API of the version that Conch uses.
const oldLibrary = `
struct base { const void* (*api)(unsigned); const char* (*version)(void); };
static const void* api(unsigned n) { return 0; }
static const char* version(void) { return "1.20.0"; }
static const struct base here = { api, version };
const struct base* OrtGetApiBase(void) { return &here; }
`

func TestBrokenLibraries(t *testing.T) {
	content, err := os.ReadFile(realLibrary(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		from  string
		words []string
	}{
		"truncated":        {folderOf(t, string(content[:len(content)/2])), []string{"does not work with this Conch", "is damaged"}},
		"empty":            {folderOf(t, ""), []string{"does not work with this Conch"}},
		"a text":           {folderOf(t, strings.Repeat("hello", 1000)), []string{"does not work with this Conch", "invalid ELF header"}},
		"of a processor":   {folderOf(t, string(content[:18])+"\x16\x00"+string(content[20:])), []string{"does not work with this Conch: libonnxruntime.so.1 is for Linux on s390; this Conch needs one for Linux on "}},
		"of Windows":       {folderOf(t, "MZ"+strings.Repeat("\x00", 58)+"\x40\x00\x00\x00PE\x00\x00\x64\x86"), []string{"libonnxruntime.so.1 is for Windows on x86_64; this Conch needs"}},
		"too old":          {compiled(t, oldLibrary), []string{"older than ONNX Runtime 1."}},
		"another library":  {compiled(t, "int other(void) { return 1; }"), []string{"is not ONNX Runtime"}},
		"crashes":          {compiled(t, "#include <stdlib.h>\n__attribute__((constructor)) static void f(void) { abort(); }"), []string{"ended without an answer", "abort. It may be damaged", "take another build, as `conch runtime list` shows them"}},
		"ends the process": {compiled(t, "#include <stdlib.h>\n__attribute__((constructor)) static void f(void) { _Exit(0); }"), []string{"ended without an answer"}},
		"empty folder":     {t.TempDir(), []string{"there is no libonnxruntime.so.1 in"}},
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, storeIn(t.TempDir(), probeReal), quiet(c.from), c.words...)
		})
	}
}

// How the process of a library failed is told in a line, and nothing of Go's.
func TestFailedLibraryIsToldInALine(t *testing.T) {
	const constructor = "#include <stdio.h>\n#include <stdlib.h>\n#include <sys/resource.h>\n__attribute__((constructor)) static void f(void) { struct rlimit none = {0, 0}; setrlimit(RLIMIT_CORE, &none); "
	for source, want := range map[string]string{
		"fputs(\"one\\ntwo\\nno GPU\\nno luck\\n\", stderr); abort(); }":   " ended without an answer: no GPU; no luck; SIGABRT: abort",
		"*(volatile int *)0 = 1; }":                                        " ended without an answer: SIGSEGV: segmentation violation",
		"for (int i = 0; i < 9000; i++) fputs(\"x\", stderr); _Exit(4); }": " ended without an answer: " + strings.Repeat("x", 300) + "…",
		"_Exit(0); }": " ended without an answer",
		"_Exit(3); }": " ended without an answer (exit status 3)",
	} {
		_, err := storeIn(t.TempDir(), probeReal).Ask(t.Context(), filepath.Join(compiled(t, constructor+source), runtimes.LibraryName()))
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", source, err)
		}
	}
}

// A library that hangs when it is opened holds nobody longer than the caller wants.
func TestLibraryThatHangs(t *testing.T) {
	library := compiled(t, "#include <unistd.h>\n__attribute__((constructor)) static void f(void) { write(2, \"hangs\", 5); for (;;) pause(); }")
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := storeIn(t.TempDir(), probeReal).Ask(ctx, filepath.Join(library, runtimes.LibraryName())); err == nil {
		t.Error("a library that hangs has answered")
	}
}

// A build whose provider needs libraries that are not there is installed, and what is missing is told by name.
func TestMissingDependencies(t *testing.T) {
	from, stubs, modules := libraryFolder(t), t.TempDir(), filepath.Join(t.TempDir(), "[modules]")
	for _, name := range []string{"libcudart.so.13", "libcublasLt.so.13", "libcuda.so.1", "libunheardof.so.5"} {
		compile(t, filepath.Join(stubs, name), "int stub;", "-Wl,-soname,"+name)
	}
	compile(t, filepath.Join(from, "libonnxruntime_providers_cuda.so"), "int provider;", "-Wl,--no-as-needed", "-L"+stubs,
		"-l:libcudart.so.13", "-l:libcublasLt.so.13", "-l:libcuda.so.1", "-l:libunheardof.so.5")
	cut := t.TempDir()
	if err := os.WriteFile(filepath.Join(cut, "libcudnn.so.9"), []byte("\x7fELF and no more"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("LD_LIBRARY_PATH", cut)
	done, err := storeIn(t.TempDir(), probeReal).Install(t.Context(), quiet(from))
	if err != nil {
		t.Fatal(err)
	}
	var missing []string
	for _, m := range done.Report.Missing {
		missing = append(missing, m.Library)
	}
	if want := []string{"libcudart.so.13", "libcublasLt.so.13", "libcuda.so.1", "libunheardof.so.5", "libcudnn.so.9"}; !slices.Equal(missing, want) || done.Report.CUDA != 13 {
		t.Fatalf("%v of CUDA %d", missing, done.Report.CUDA)
	}
	folder := filepath.Join(modules, "nvidia", "cudnn", "lib")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "libcudnn.so.9"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	lines := runtimes.Advise(done.Report, []string{modules}).Lines()
	for _, lack := range done.Report.Lacks() {
		if lines = append(lines, lack.Text); lack.Provider != "CUDA" {
			t.Errorf("%q is of %s", lack.Text, lack.Provider)
		}
	}
	text := strings.Join(lines, "\n")
	for _, part := range []string{
		"CUDA needs libraries that are not found: libcudart.so.13, libcublasLt.so.13,", "CUDA needs libcudnn.so.9: " + cut + "/libcudnn.so.9 is damaged: ", "NVIDIA's driver is missing",
		"pip install 'nvidia-cuda-runtime~=13.0' 'nvidia-cublas~=13.0'", "LD_LIBRARY_PATH=" + folder, "no package with libunheardof.so.5",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("%s\ndoes not say %q", text, part)
		}
	}
}

// A build that does not name CUDA's libraries by number may be for each CUDA; one library of CUDA with a number is enough.
func TestCUDAThatIsNotTold(t *testing.T) {
	from, stubs := libraryFolder(t), t.TempDir()
	compile(t, filepath.Join(stubs, "libcublasLt.so.12"), "int stub;", "-Wl,-soname,libcublasLt.so.12")
	for library, want := range map[string]string{
		"":                  "get the libraries from your system's packages or NVIDIA, or for CUDA 12 with: pip install 'nvidia-cudnn-cu12~=9.0', for CUDA 13 with: pip install 'nvidia-cudnn-cu13~=9.0'",
		"libcublasLt.so.12": "pip install 'nvidia-cublas-cu12~=12.0' 'nvidia-cudnn-cu12~=9.0'",
	} {
		options := []string{"-Wl,--no-as-needed", "-L" + stubs}
		if library != "" {
			options = append(options, "-l:"+library)
		}
		compile(t, filepath.Join(from, "libonnxruntime_providers_cuda.so"), "int provider;", options...)
		r, err := storeIn(t.TempDir(), probeReal).Ask(t.Context(), filepath.Join(from, runtimes.LibraryName()))
		if lines := strings.Join(runtimes.Advise(r, nil).Lines(), "\n"); err != nil || !strings.HasSuffix(lines, want) || strings.Contains(lines, "knows no package") {
			t.Errorf("%q: %s, %v", library, lines, err)
		}
	}
}

// A driver that is there and damaged is not called missing.
func TestDamagedDriver(t *testing.T) {
	r := runtimes.Report{Missing: []runtimes.Missing{{Provider: "cuda", Library: "libcuda.so.1", Error: "/usr/lib/libcuda.so.1 is damaged: it was cut off"}}}
	lines := strings.Join(runtimes.Advise(r, nil).Lines(), "\n")
	if lines != "NVIDIA's driver is there and cannot be opened: install it again with your system's packages" {
		t.Error(lines)
	}
	if lacks := r.Lacks(); len(lacks) != 1 || lacks[0].Text != "CUDA needs libcuda.so.1: /usr/lib/libcuda.so.1 is damaged: it was cut off" {
		t.Errorf("%+v", lacks)
	}
}

func TestWhatFitsAMachine(t *testing.T) {
	a100 := device.GPU{Name: "A100", Capability: "8.0"}
	v100 := device.GPU{Name: "V100", Capability: "7.0"}
	cuda13, err := runtimes.OfferOf("cuda13")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		machine device.Snapshot
		words   string
	}{
		"fits":              {device.Snapshot{Driver: "580.65", CUDA: "13.0", GPUs: []device.GPU{a100}}, ""},
		"one of two fits":   {device.Snapshot{Driver: "580.65", CUDA: "13.0", GPUs: []device.GPU{v100, a100}}, ""},
		"unknown GPU":       {device.Snapshot{Driver: "580.65", CUDA: "13.1", GPUs: []device.GPU{{}}}, ""},
		"old driver":        {device.Snapshot{Driver: "550.54", CUDA: "12.4", GPUs: []device.GPU{a100}}, "runs CUDA up to 12.4, not CUDA 13; install the driver 580"},
		"silent driver":     {device.Snapshot{Driver: "580.65", GPUs: []device.GPU{a100}}, ""},
		"old GPU":           {device.Snapshot{Driver: "580.65", CUDA: "13.0", GPUs: []device.GPU{v100}}, "compute capability 7.5"},
		"no GPU":            {device.Snapshot{}, "no NVIDIA GPU"},
		"no libcuda":        {device.Snapshot{CUDA: "13.0", NoCUDA: "no libcuda.so.1", GPUs: []device.GPU{a100}}, "no libcuda.so.1"},
		"driver that hangs": {device.Snapshot{Trouble: "The driver hangs."}, "The driver hangs."},
	} {
		if got := cuda13.Unfit(c.machine); (got == "") != (c.words == "") || !strings.Contains(got, c.words) {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := runtimes.Offers[0].Unfit(device.Snapshot{}); got != "" {
		t.Errorf("cpu: %s", got)
	}
}
