package runtimes_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"conch/engine/backend/onnx/runtimes"
	"conch/engine/sharedlib"
)

func TestWheelIsUnpacked(t *testing.T) {
	s := storeIn(t.TempDir(), probeQuick)
	done, err := s.Install(t.Context(), quiet(writeWheel(t, aWheel())))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Dir(done.Build.Library))
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if want := []string{"LICENSE", "conch.json", "libonnxruntime.so.1", "libonnxruntime_providers_shared.so"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%v, %v", names, err)
	}
	if text, err := os.ReadFile(done.Build.Library); err != nil || string(text) != "library" {
		t.Errorf("%q, %v", text, err)
	}
}

// What the DirectML provider needs of Windows' newer libraries lies beside ONNX Runtime, and comes along.
func TestWheelWithDirectML(t *testing.T) {
	parts := aWheel(part{name: "onnxruntime/capi/DirectML.dll", content: "DirectML"}, part{name: "onnxruntime/capi/other.dll", content: "other"})
	done, err := storeIn(t.TempDir(), probeQuick).Install(t.Context(), quiet(writeWheel(t, parts)))
	if err != nil {
		t.Fatal(err)
	}
	there := func(name string) bool {
		_, err := os.Stat(filepath.Join(filepath.Dir(done.Build.Library), name))
		return err == nil
	}
	if !there("DirectML.dll") || there("other.dll") {
		t.Errorf("DirectML: %v, another library: %v", there("DirectML.dll"), there("other.dll"))
	}
}

// The path of a folder may have characters that mean something in a pattern.
func TestFolderWithBrackets(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "wheels [1]")
	file := writeWheel(t, aWheel())
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Rename(file, filepath.Join(dir, filepath.Base(file)))); err != nil {
		t.Fatal(err)
	}
	if done, err := storeIn(t.TempDir(), probeQuick).Install(t.Context(), quiet(dir)); err != nil || done.Build.ID != "mine-1.30.0" {
		t.Errorf("%+v, %v", done.Build, err)
	}
}

// A wheel that leads out of its folder, lies or is damaged is refused, and nothing of it is left anywhere.
func TestBadWheels(t *testing.T) {
	for name, c := range map[string]struct {
		parts []part
		words string
	}{
		"parent":        {aWheel(part{name: "../libonnxruntime.so.1", content: "x"}), "leads out of its folder"},
		"parent within": {aWheel(part{name: "onnxruntime/../../libonnxruntime_providers_x.so", content: "x"}), "leads out of its folder"},
		"absolute":      {aWheel(part{name: "/tmp/libonnxruntime_providers_x.so", content: "x"}), "leads out of its folder"},
		"backslash":     {aWheel(part{name: `..\libonnxruntime_providers_x.so`, content: "x"}), "leads out of its folder"},
		"drive":         {aWheel(part{name: "C:/libonnxruntime_providers_x.so", content: "x"}), "leads out of its folder"},
		"link":          {aWheel(part{name: "onnxruntime/capi/libonnxruntime_providers_x.so", content: "/etc/passwd", mode: os.ModeSymlink}), "a link or a special file"},
		"twice":         {aWheel(part{name: mainPart, content: "other"}), "twice"},
		"another hash":  {[]part{{name: mainPart, content: "library", recorded: mainPart + ",sha256=AAAA,7"}}, "damaged or was changed"},
		"another size":  {[]part{{name: mainPart, content: "library", recorded: mainPart + ",sha256=AAAA,8"}}, "by RECORD of the wheel 8"},
		"no hash":       {[]part{{name: mainPart, content: "library", recorded: mainPart + ",,"}}, "has no hash of it"},
		"no library":    {[]part{{name: "onnxruntime/__init__.py", content: "x"}}, "has no libonnxruntime.so.1"},
		"two libraries": {aWheel(part{name: "onnxruntime/capi/libonnxruntime.so.1.29.0", content: "x"}),
			"it has more than one ONNX Runtime, onnxruntime/capi/libonnxruntime.so.1.30.0 and onnxruntime/capi/libonnxruntime.so.1.29.0. "},
		"two providers": {aWheel(part{name: "onnxruntime/sub/libonnxruntime_providers_shared.so", content: "x"}), "it has libonnxruntime_providers_shared.so twice, "},
		"broken RECORD": {aWheel(part{name: "onnxruntime/x", content: "x", recorded: `"`}), "read RECORD"},
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, storeIn(t.TempDir(), probeQuick), quiet(writeWheel(t, c.parts)), c.words)
		})
	}
}

func TestTruncatedWheel(t *testing.T) {
	whole, err := os.ReadFile(writeWheel(t, aWheel()))
	if err != nil {
		t.Fatal(err)
	}
	for _, length := range []int{0, 1, 100, len(whole) / 2, len(whole) - 1} {
		file := filepath.Join(t.TempDir(), "half.whl")
		if err := os.WriteFile(file, whole[:length], 0o600); err != nil {
			t.Fatal(err)
		}
		refused(t, storeIn(t.TempDir(), probeQuick), quiet(file), "half.whl is not a whole wheel", "copy or download it again")
	}
}

// A wheel that was damaged on its way, in a file of it, is named with what to do.
func TestDamagedWheel(t *testing.T) {
	whole, err := os.ReadFile(writeWheel(t, []part{{name: mainPart, content: strings.Repeat("library", 1000)}}))
	if err != nil {
		t.Fatal(err)
	}
	const header = 30                                             // bytes before the name of the first file, which its data follows
	for _, at := range []int{0, 27, header + len(mainPart) + 4} { // its signature, the length of its name, its data
		hurt, file := slices.Clone(whole), filepath.Join(t.TempDir(), "hurt.whl")
		hurt[at] ^= 0x55
		if err := os.WriteFile(file, hurt, 0o600); err != nil {
			t.Fatal(err)
		}
		refused(t, storeIn(t.TempDir(), probeQuick), quiet(file), "the wheel is damaged, copy or download it again", "unpack "+mainPart+" of "+file)
	}
}

// A wheel that would unpack to more than fits anywhere is refused by its directory, and one whose directory lies ends where it said
// that it would.
func TestZipBomb(t *testing.T) {
	const content = "a library with a content of its own"
	parts := []part{{name: mainPart, content: content}}
	whole, err := os.ReadFile(writeWheel(t, parts))
	if err != nil {
		t.Fatal(err)
	}
	// The directory entry of the first file: its signature, and at 24 the unpacked size.
	at := bytes.Index(whole, []byte("PK\x01\x02"))
	if at < 0 || binary.LittleEndian.Uint32(whole[at+24:]) != uint32(len(content)) {
		t.Fatal("the wheel is laid out in another way")
	}
	for _, c := range []struct {
		size  uint32
		words string
	}{{0x7fffffff, "by RECORD of the wheel"}, {7, "by RECORD of the wheel"}} {
		binary.LittleEndian.PutUint32(whole[at+24:], c.size)
		file := filepath.Join(t.TempDir(), "bomb.whl")
		if err := os.WriteFile(file, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		refused(t, storeIn(t.TempDir(), probeQuick), quiet(file), c.words)
	}
	// RECORD tells the same lie.
	parts[0].recorded = mainPart + ",sha256=AAAA,7"
	if whole, err = os.ReadFile(writeWheel(t, parts)); err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(whole[bytes.Index(whole, []byte("PK\x01\x02"))+24:], 7)
	file := filepath.Join(t.TempDir(), "lie.whl")
	if err := os.WriteFile(file, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, storeIn(t.TempDir(), probeQuick), quiet(file), "unpack "+mainPart)
	// Two files that say that they have 4 GB are more than the bound.
	two := writeWheel(t, []part{{name: mainPart, content: "x"}, {name: "onnxruntime/capi/libonnxruntime_providers_x.so", content: "x"}})
	if whole, err = os.ReadFile(two); err != nil {
		t.Fatal(err)
	}
	for next := 0; ; {
		found := bytes.Index(whole[next:], []byte("PK\x01\x02"))
		if found < 0 {
			break
		}
		binary.LittleEndian.PutUint32(whole[next+found+24:], 0xfffffff0)
		next += found + 4
	}
	if err := os.WriteFile(two, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, storeIn(t.TempDir(), probeQuick), quiet(two), "would unpack to more than")
}

// A folder with several wheels is not guessed about, nothing is no wheel, and what comes with Conch is not removed.
func TestWhatCannotBeTaken(t *testing.T) {
	s, two := storeIn(t.TempDir(), probeQuick), t.TempDir()
	for _, name := range []string{"onnxruntime-1.30.0-cp311-x.whl", "onnxruntime_gpu-1.30.0-cp312-x.whl"} {
		if err := os.Rename(writeWheel(t, aWheel()), filepath.Join(two, name)); err != nil {
			t.Fatal(err)
		}
	}
	refused(t, s, quiet(two), "has 2 wheels of ONNX Runtime: name the one to install", "cp311-x.whl and onnxruntime_gpu-")
	refused(t, s, quiet(filepath.Join(two, "nothing")), "there is no "+filepath.Join(two, "nothing")+": name a wheel, or a folder with wheels or with the libraries")
	if _, err := s.Remove(t.Context(), "bundled"); err == nil || err.Error() != "it comes with Conch" {
		t.Error(err)
	}
}

// The published hash is compared however a wheel writes the package's name, and a wheel without a name is refused.
func TestNamesInAWheel(t *testing.T) {
	offer, err := runtimes.OfferOf("cpu")
	if err != nil {
		t.Fatal(err)
	}
	published, err := offer.Wheel()
	if err != nil {
		t.Skip(err)
	}
	base := "onnxruntime-" + offer.Version + "-cp312-cp312-" + published.Tags[0] + ".whl"
	for name, want := range map[string]string{
		"onnxruntime": "the published one", "ONNXRuntime": "the published one", "": "has no name of the package",
	} {
		refused(t, storeIn(t.TempDir(), probeQuick), quiet(writeWheelAs(t, name, base, aWheel())), want)
	}
	gpu := "onnxruntime_gpu-" + offer.Version + "-cp312-cp312-" + published.Tags[0] + ".whl"
	refused(t, storeIn(t.TempDir(), probeQuick), quiet(writeWheelAs(t, "Onnxruntime.GPU", gpu, aWheel())), "the published one")
}

// A wheel that is for another system or processor by its name is refused with both. One whose name does not say it is taken.
func TestWheelsOfOtherPlatforms(t *testing.T) {
	here := sharedlib.Here()
	for tag, want := range map[string]string{
		"manylinux_2_28_riscv64": "Linux on riscv64", "manylinux2014_s390x": "Linux on s390x", "musllinux_1_2_armv7l": "Linux on armv7l", "linux_ppc64le": "Linux on ppc64le",
		"manylinux_2_17_i686.manylinux2014_i686": "Linux on 386", "win32": "Windows on 386", "macosx_10_9_ppc": "macOS on ppc",
		foreign(here, "manylinux_2_28_aarch64", "manylinux_2_28_x86_64"): foreign(here, "Linux on aarch64", "Linux on x86_64"),
		foreign(here, "win_arm64", "win_amd64"):                          foreign(here, "Windows on arm64", "Windows on x86_64"),
		foreign(here, "macosx_14_0_arm64", "macosx_10_15_x86_64"):        foreign(here, "macOS on arm64", "macOS on x86_64"),
	} {
		file := writeWheelAs(t, "onnxruntime", "onnxruntime-1.30.0-cp312-cp312-"+tag+".whl", aWheel())
		refused(t, storeIn(t.TempDir(), probeQuick), quiet(file), file+" is not taken: by its name it is for "+want+". Get the one for "+here.String())
	}
	for _, name := range []string{
		"onnxruntime-1.99.0-1-cp312-cp312-" + foreign(here, "manylinux_2_28_x86_64.win_amd64.macosx_10_15_x86_64", "manylinux_2_28_aarch64.win_arm64.macosx_14_0_arm64") + ".whl",
		"onnxruntime-1.99.0-py3-none-any.whl", "onnxruntime-1.99.0-cp312-cp312-amiga.whl", "saved-manylinux_2_28_riscv64.whl",
	} {
		if _, err := storeIn(t.TempDir(), probeQuick).Install(t.Context(), quiet(writeWheelAs(t, "other", name, aWheel()))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// foreign is the first text where Conch runs on x86-64, and the second one elsewhere.
func foreign(here sharedlib.Platform, there, elsewhere string) string {
	if here.Processor == "amd64" {
		return there
	}
	return elsewhere
}
