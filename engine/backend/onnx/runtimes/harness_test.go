package runtimes_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"conch/build/fulldisk"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/backend/onnx/runtimes"
)

// The variable of a child process that is asked for a library, and how it answers.
const (
	probeVariable = "CONCH_TEST_PROBE"
	probeReal     = "real"   // by opening the library
	probeQuick    = "quick"  // without opening it
	probeThere    = "there"  // the same, if it is there
	probeKilled   = "killed" // not at all: it is killed
)

func TestMain(m *testing.M) {
	fulldisk.WithoutTestLog()
	switch os.Getenv(probeVariable) {
	case probeReal:
		if err := runtimes.Answer(os.Args[1], os.Stdout); err != nil {
			os.Exit(1)
		}
	case probeKilled:
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		select {}
	case probeThere:
		if _, err := os.Stat(os.Args[1]); err != nil {
			os.Exit(1)
		}
		fallthrough
	case probeQuick:
		fmt.Println(`{"version": "1.30.0", "providers": ["CPUExecutionProvider"]}`)
	default:
		os.Exit(m.Run())
	}
}

// storeIn is a store in a folder. Its libraries are asked in a process of this test.
func storeIn(dir, probe string) *runtimes.Store {
	return &runtimes.Store{Dir: dir, Probe: func(ctx context.Context, library string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, os.Args[0], library)
		cmd.Env = append(os.Environ(), probeVariable+"="+probe)
		return cmd
	}}
}

// quiet wants a build from a file or folder.
func quiet(from string) runtimes.Wanted {
	return runtimes.Wanted{From: from, Offer: runtimes.Offer{Name: "mine"}, Tell: func(string) {}}
}

// realLibrary is the bundled ONNX Runtime.
func realLibrary(t *testing.T) string {
	t.Helper()
	path := onnxtest.Library(t)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, runtimes.LibraryName())
	}
	return path
}

// libraryFolder is a folder with a copy of the bundled ONNX Runtime.
func libraryFolder(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(realLibrary(t))
	if err != nil {
		t.Fatal(err)
	}
	return folderOf(t, string(content))
}

// folderOf is a folder with a library of this content.
func folderOf(t *testing.T, content string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, runtimes.LibraryName()), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// compiled is a folder with a library made of C.
func compiled(t *testing.T, source string) string {
	t.Helper()
	dir := t.TempDir()
	compile(t, filepath.Join(dir, runtimes.LibraryName()), source)
	return dir
}

// compile makes a library of C.
func compile(t *testing.T, library, source string, more ...string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("libraries are made as on Linux")
	}
	file := filepath.Join(t.TempDir(), "source.c")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-shared", "-fPIC", "-o", library, file}, more...)
	if out, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
		t.Fatalf("compile: %v\n%s", err, out)
	}
}

// part is a file in a wheel.
type part struct {
	name, content string
	mode          os.FileMode
	recorded      string // its line in RECORD; "" for the right one
}

const mainPart = "onnxruntime/capi/libonnxruntime.so.1.30.0"

// aWheel are the parts of a small wheel, with a library that is none.
func aWheel(more ...part) []part {
	return append([]part{
		{name: mainPart, content: "library"},
		{name: "onnxruntime/capi/libonnxruntime_providers_shared.so", content: "shared"},
		{name: "onnxruntime/capi/onnxruntime_pybind11_state.cpython-312-x86_64-linux-gnu.so", content: "for Python"},
		{name: "onnxruntime/LICENSE", content: "MIT"},
		{name: "onnxruntime/__init__.py", content: "import sys"},
	}, more...)
}

// writeWheel writes a wheel of ONNX Runtime.
func writeWheel(t *testing.T, parts []part) string {
	t.Helper()
	return writeWheelAs(t, "onnxruntime", "onnxruntime-1.30.0-py3-none-any.whl", parts)
}

// writeWheelAs writes a wheel that has that name inside, into a file of a name.
func writeWheelAs(t *testing.T, name, base string, parts []part) string {
	t.Helper()
	const info = "onnxruntime-1.30.0.dist-info/"
	parts = append(parts, part{name: info + "METADATA", content: "Metadata-Version: 2.1\nName: " + name + "\nVersion: 1.30.0\n\ntext"})
	record := ""
	for _, p := range parts {
		if p.recorded == "" {
			sum := sha256.Sum256([]byte(p.content))
			p.recorded = fmt.Sprintf("%s,sha256=%s,%d", p.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(p.content))
		}
		record += p.recorded + "\n"
	}
	parts = append(parts, part{name: info + "RECORD", content: record + info + "RECORD,,\n"})
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, p := range parts {
		h := &zip.FileHeader{Name: p.name, Method: zip.Deflate}
		h.SetMode(0o644 | p.mode)
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = w.Write([]byte(p.content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), base)
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// nothingLeft fails when anything but builds is in a store.
func nothingLeft(t *testing.T, s *runtimes.Store, builds int) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.Dir, "builds"))
	if err != nil || len(entries) != builds || len(s.List()) != builds {
		t.Errorf("%d builds, and in the folder %v, %v", len(s.List()), entries, err)
	}
}

// refused installs what has to be refused with these words, and looks that nothing is left.
func refused(t *testing.T, s *runtimes.Store, w runtimes.Wanted, words ...string) {
	t.Helper()
	_, err := s.Install(t.Context(), w)
	for _, part := range words {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not say %q", err, part)
		}
	}
	nothingLeft(t, s, 0)
}
