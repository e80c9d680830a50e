package sharedlib

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// compile makes a library of a C program.
func compile(t testing.TB, path, source string, flags ...string) string {
	t.Helper()
	cmd := exec.Command("cc", append([]string{"-shared", "-fPIC", "-x", "c", "-o", path, "-"}, flags...)...)
	cmd.Stdin = strings.NewReader(source)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

func put(t testing.TB, path string, data []byte) string {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

const source = "#include <math.h>\nint table[4096] = {1}; double f(double x) { return table[0] + cos(x); }"

// A library that was cut off anywhere is damaged. What is none at all is left to the system.
func TestCutOff(t *testing.T) {
	dir := t.TempDir()
	whole := read(t, compile(t, filepath.Join(dir, "whole.so"), source))
	for left := 0; left < len(whole); left += max(1, left/7) {
		path := put(t, filepath.Join(dir, fmt.Sprint(left)), whole[:left])
		if damage, is := errors.AsType[*Damage](Sound(path)); !is || damage.Path != path {
			t.Errorf("with %d of %d bytes: %v", left, len(whole), Sound(path))
		}
	}
	for name, want := range map[string]string{
		filepath.Join(dir, "whole.so"):                              "",
		put(t, filepath.Join(dir, "text.so"), []byte("no library")): "",
		filepath.Join(dir, "none.so"):                               "",
		"libnowhere.so.1":                                           "",
		dir:                                                         dir + " is not a regular file",
		put(t, filepath.Join(dir, "short.so"), whole[:len(whole)-1]):         "is damaged: its headers cannot be read (EOF)",
		put(t, filepath.Join(dir, "head.so"), whole[:32]):                    "is damaged: its headers cannot be read (",
		put(t, filepath.Join(dir, "offset.so"), segment(whole, 8, 1<<63-1)):  fmt.Sprintf("and by its own headers %d", uint64(1<<63-1)+binary.LittleEndian.Uint64(whole[64+32:])),
		put(t, filepath.Join(dir, "size.so"), segment(whole, 32, 1<<63-1)):   "and by its own headers 9223372036854775807",
		put(t, filepath.Join(dir, "wrapped.so"), segment(whole, 8, 1<<64-8)): "its headers cannot be read (invalid program header offset",
		put(t, filepath.Join(dir, "endless.so"), segment(whole, 32, 1<<63)):  "its headers cannot be read (invalid program header file size",
	} {
		if err := Sound(name); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want %q, got %v", name, want, err)
		}
	}
}

// segment is a library whose first segment has another number at an offset of its header.
func segment(library []byte, at int, n uint64) []byte {
	const header = 64 // of the file
	changed := append([]byte{}, library...)
	binary.LittleEndian.PutUint64(changed[header+at:], n)
	return changed
}

// A library that another one needs is judged too, in each place where the loader would find it.
func TestNeeded(t *testing.T) {
	for place, flags := range map[string][]string{
		"LD_LIBRARY_PATH": nil,
		"RUNPATH":         {"-Wl,--enable-new-dtags,-rpath,$ORIGIN/libs"},
		"RPATH":           {"-Wl,--disable-new-dtags,-rpath,${ORIGIN}/libs"},
	} {
		t.Run(place, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "libs"), 0o700); err != nil {
				t.Fatal(err)
			}
			if place == "LD_LIBRARY_PATH" {
				t.Setenv(place, "/nowhere:"+filepath.Join(dir, "libs"))
			}
			inner := compile(t, filepath.Join(dir, "libs", "libinner.so.1"), source, "-Wl,-soname,libinner.so.1")
			outer := compile(t, filepath.Join(dir, "libouter.so"), "double f(double); double g(void) { return f(1); }",
				append(flags, "-Wl,--no-as-needed", "-L"+filepath.Dir(inner), "-l:libinner.so.1")...)
			if err := Sound(outer); err != nil {
				t.Errorf("whole: %v", err)
			}
			data := read(t, inner)
			put(t, inner, data[:len(data)/2])
			if err := Sound(outer); err == nil || !strings.HasPrefix(err.Error(), inner+", which "+outer+" needs, is damaged: ") {
				t.Errorf("cut off: %v", err)
			}
			if err := os.Remove(inner); err != nil || Sound(outer) != nil {
				t.Errorf("away: %v", Sound(outer))
			}
		})
	}
}

// A library of another processor does not count: the loader looks further.
func TestOtherProcessors(t *testing.T) {
	other, ours := t.TempDir(), t.TempDir()
	whole := read(t, compile(t, filepath.Join(ours, "libx.so.1"), source))
	foreign := append([]byte{}, whole...)
	binary.LittleEndian.PutUint16(foreign[18:], 8) // MIPS
	put(t, filepath.Join(other, "libx.so.1"), foreign[:len(foreign)/2])
	t.Setenv("LD_LIBRARY_PATH", other+":"+ours)
	if found := system().find("libx.so.1", needs{}); found != filepath.Join(ours, "libx.so.1") {
		t.Errorf("found %q", found)
	}
	put(t, filepath.Join(ours, "libx.so.1"), whole[:len(whole)/2])
	if err := Sound("libx.so.1"); err == nil || !strings.HasPrefix(err.Error(), filepath.Join(ours, "libx.so.1")+" is damaged: ") {
		t.Error(err)
	}
}

// The system's list and the usual folders are read as the loader reads them.
func TestAsTheLoader(t *testing.T) {
	maps, err := exec.Command("cat", "/proc/self/maps").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, without := range []string{"nothing", "the list", "the folders"} {
		p := system()
		p.variable = ""
		switch without {
		case "the list":
			p.cache = nil
		case "the folders":
			p.usual = nil
		}
		found, err := filepath.EvalSymlinks(p.find("libc.so.6", needs{}))
		if err != nil || !strings.Contains(string(maps), " "+found+"\n") {
			t.Errorf("without %s: found %q (%v), and cat has\n%s", without, found, err, maps)
		}
	}
}

func FuzzJudge(f *testing.F) {
	whole := read(f, compile(f, filepath.Join(f.TempDir(), "whole.so"), source, "-s"))
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add(segment(whole, 8, 1<<63-1))
	f.Add(segment(segment(whole, 8, 1<<63-1), 32, 1<<63-1))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := put(t, filepath.Join(t.TempDir(), "x.so"), data)
		if _, err := judge(path); err != nil {
			return
		}
		if len(data) > 0 && strings.HasPrefix(string(data), "\x7fELF") && Sound(put(t, path, data[:4])) == nil {
			t.Error("four bytes are a whole library")
		}
	})
}

func FuzzCache(f *testing.F) {
	if list, err := os.ReadFile("/etc/ld.so.cache"); err == nil {
		f.Add(list)
	}
	f.Add([]byte(cacheMagic + strings.Repeat("\xff", cacheHeader)))
	f.Add([]byte(cacheMagic + "\x01\x00\x00\x00" + strings.Repeat("\xff", cacheHeader)))
	f.Fuzz(func(_ *testing.T, list []byte) { parseCache(list) })
}

// Without libcuda.so.1 the loader finds no CUDA, also where the rest of the driver is.
func TestNoCUDA(t *testing.T) {
	dir := t.TempDir()
	if said := (places{variable: dir}).noCUDA(); !strings.HasPrefix(said, "CUDA cannot be used: libcuda.so.1 ") {
		t.Errorf("without it: %q", said)
	}
	if said := (places{variable: "$ORIGIN/lib"}).noCUDA(); said != "" {
		t.Errorf("where only the loader knows: %q", said)
	}
	compile(t, filepath.Join(dir, CUDADriver), source)
	if said := (places{variable: dir}).noCUDA(); said != "" {
		t.Errorf("with it: %q", said)
	}
}
