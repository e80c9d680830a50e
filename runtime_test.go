package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"conch/app/api"
	"conch/engine/backend/onnx/runtimes"
	"conch/engine/device"
)

// Without an answer and without --yes nothing is downloaded: pip is not even asked.
func TestNothingIsDownloadedUnasked(t *testing.T) {
	asked := filepath.Join(t.TempDir(), "asked")
	pip := filepath.Join(t.TempDir(), "python")
	if err := os.WriteFile(pip, []byte("#!/bin/sh\n: > "+asked+"\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv(runtimes.PythonVariable, pip)
	t.Setenv("PATH", "")
	store := &runtimes.Store{Dir: t.TempDir()}
	store.Probe = func(ctx context.Context, _ string) *exec.Cmd { return exec.CommandContext(ctx, "/bin/false") }
	offer, err := runtimes.OfferOf("cpu")
	if err != nil {
		t.Fatal(err)
	}
	// A build of this version is there and whole, but its library cannot be opened: another one would have to be downloaded.
	id := "cpu-" + offer.Version
	broken := filepath.Join(store.Dir, "builds", id)
	about := `{"id": "` + id + `", "name": "cpu", "version": "` + offer.Version + `"}`
	if err := errors.Join(os.MkdirAll(broken, 0o700), os.WriteFile(filepath.Join(broken, "conch.json"), []byte(about), 0o600),
		os.WriteFile(filepath.Join(broken, runtimes.LibraryName()), []byte("no library"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for answer, words := range map[string]string{"": "repeat the command with --yes", "n\n": "nothing was installed", "\n": "nothing was installed"} {
		install := runtimeInstall{Name: "cpu", store: store, in: strings.NewReader(answer)}
		if err := install.Run(t.Context()); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v", answer, err)
		}
	}
	if _, err := os.Stat(asked); err == nil {
		t.Error("pip was called")
	}
	install := runtimeInstall{Name: "cpu", store: store, in: strings.NewReader("y\n")}
	t.Setenv("PIP_NO_INDEX", "1")
	if err := install.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "without pip: pip's settings forbid to ask an index") {
		t.Errorf("error = %v", err)
	}
	if _, err := os.Stat(asked); err != nil {
		t.Error("pip was not called after a yes")
	}
}

// Who names the library by the variable is told that a build is not used so.
func TestOfferWhileALibraryIsNamed(t *testing.T) {
	offer := runtimes.Offer{Package: "onnxruntime", Version: "1.30.0"}
	if got := offerText(offer, "24 MiB", ""); strings.Contains(got, "CONCH_ONNXRUNTIME") {
		t.Error(got)
	}
	want := "CONCH_ONNXRUNTIME is set to /lib/mine.so: engines use that library, and what is installed only without the variable.\n"
	if got := offerText(offer, "24 MiB", "/lib/mine.so"); !strings.HasSuffix(got, want) {
		t.Error(got)
	}
}

func TestWhatCanBeInstalled(t *testing.T) {
	for name, words := range map[string]string{
		"":       "say what to install",
		"cuda12": "that it is unpacked in. `conch runtime install cuda12 --from FOLDER` installs it from a folder",
		"cuda99": `there is no ONNX Runtime called "cuda99"; there is cpu, cuda13, openvino, cuda12`,
	} {
		if _, err := (&runtimeInstall{Name: name}).wanted(); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, version := range []string{"../x", "1.0 --index-url x", "-1", "1.0;", strings.Repeat("1", 200)} {
		if _, err := (&runtimeInstall{Name: "cpu@" + version}).wanted(); err == nil || !strings.Contains(err.Error(), "is no version of a package: write it as cpu@1.") {
			t.Errorf("%q: %v", version, err)
		}
	}
	for name, good := range map[string]bool{
		"cuda13@1.20.0": false, "cpu@1.17.0": false, "cpu@1.28.9": false, "cpu@1": false, "cpu@0.5": false,
		"cpu@1.29.0": true, "cpu@1.100.0": true, "cpu@1.31.0rc1": true, "cpu@2.0.0": true, "cpu": true,
	} {
		if _, err := (&runtimeInstall{Name: name}).wanted(); (err == nil) != good || !good && !strings.Contains(err.Error(), "is too old: Conch uses functions that it has since 1.29. ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	from, empty := "x", ""
	if _, err := (&runtimeInstall{Name: "cpu@1.0", From: &from}).wanted(); err == nil {
		t.Error("a version with --from")
	}
	for _, name := range []string{"", "cpu"} { // such as of a variable that is not set
		if _, err := (&runtimeInstall{Name: name, From: &empty}).wanted(); err == nil || !strings.HasPrefix(err.Error(), "--from is empty: ") {
			t.Errorf("%q: %v", name, err)
		}
	}
	w, err := (&runtimeInstall{Name: "cpu@1.99.0"}).wanted()
	if err != nil || w.Offer.Version != "1.99.0" {
		t.Errorf("%+v, %v", w, err)
	}
}

// What has come of a download that was broken off is told before the next one, and where it is stopped again.
func TestWhatHasComeIsTold(t *testing.T) {
	store := &runtimes.Store{Dir: t.TempDir()}
	offer, err := runtimes.OfferOf("cpu")
	if err != nil {
		t.Fatal(err)
	}
	wheel, err := offer.Wheel()
	if err != nil {
		t.Skip(err)
	}
	if got := offered(store, offer, device.Snapshot{}); got.Come != "" {
		t.Errorf("%q of nothing", got.Come)
	}
	part := filepath.Join(store.Dir, "parts", wheel.SHA256)
	if err := errors.Join(os.MkdirAll(filepath.Dir(part), 0o700), os.WriteFile(part, make([]byte, 2_340_000), 0o600)); err != nil {
		t.Fatal(err)
	}
	list := &api.ListRuntimesResponse{Offered: []*api.RuntimeOffer{offered(store, offer, device.Snapshot{})}}
	var out strings.Builder
	if err := printRuntimes(&out, list); err != nil || list.Offered[0].Come != "2.2 MiB" || !strings.Contains(out.String(), "    2.2 MiB of the download are kept: it goes on from there\n") {
		t.Errorf("%v, %v, %s", err, list, out.String())
	}
	want := ". 2.2 MiB of the download are kept for a week: it goes on from there"
	if got := comeText(". ", store.Come(offer)); got != want {
		t.Errorf("%q", got)
	}
}

// A GPU that is divided is named with its parts.
func TestDividedGPUInWords(t *testing.T) {
	got := gpuText(device.Snapshot{Driver: "550", CUDA: "12.4", GPUs: []device.GPU{
		{Name: "A100", MIG: true, Instances: []device.Instance{{UUID: "MIG-a", Profile: "1g.5gb"}, {UUID: "MIG-b"}}}, {Name: "T4"},
	}})
	if want := "A100 (MIG: 1g.5gb, MIG-b), T4; the driver 550 runs CUDA up to 12.4"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// GPUs of one name are named once, with how many there are.
func TestManyGPUsInWords(t *testing.T) {
	got := gpuText(device.Snapshot{Driver: "580", CUDA: "13.0", GPUs: []device.GPU{{Name: "H100"}, {Name: "T4"}, {Name: "H100"}, {Name: "H100"}}})
	if want := "3 × H100, T4; the driver 580 runs CUDA up to 13.0"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Of a driver that does not tell what a GPU is called, which version it has, or which CUDA it runs, nothing is made up. One that runs no CUDA is not said
// to run one.
func TestSilentDriverInWords(t *testing.T) {
	h100 := []device.GPU{{Name: "H100"}}
	for want, machine := range map[string]device.Snapshot{
		"2 × a GPU of NVIDIA without a name; the driver does not tell which CUDA it runs": {GPUs: []device.GPU{{}, {}}},
		"H100; the driver 580 does not tell which CUDA it runs":                           {Driver: "580", GPUs: h100},
		"H100; CUDA cannot be used":                                                       {Driver: "580", CUDA: "13.0", NoCUDA: "CUDA cannot be used", GPUs: h100},
	} {
		if got := gpuText(machine); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A GPU that the driver has lost is named beside those that are left.
func TestLostGPUInWords(t *testing.T) {
	got := gpuText(device.Snapshot{Driver: "580", CUDA: "13.0", GPUs: []device.GPU{{Name: "H100"}}, Lost: []int{1}})
	if want := "H100; the driver 580 runs CUDA up to 13.0; GPU 1 is lost: its driver cannot reach it. Restart the machine to get it back"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	moved := gpuText(device.Snapshot{Driver: "580", CUDA: "13.0", GPUs: []device.GPU{{Index: 0, Name: "H100"}}, Lost: []int{0}})
	if !strings.Contains(moved, "; GPU 0 (lost): its driver cannot reach it") || !strings.HasSuffix(moved, "moved up by a number until then") {
		t.Error(moved)
	}
	if got := gpuText(device.Snapshot{Lost: []int{0}}); got != "GPU 0 is lost: its driver cannot reach it. Restart the machine to get it back" {
		t.Error(got)
	}
}

// What a library says of the machine's devices is told with it, and those of one kind once with how many there are.
func TestOtherDevices(t *testing.T) {
	const card = `{"name": "AMD Radeon", "maker": "AMD", "vendor": 4098, "number": 29772, "place": "0000:03:00.0", "providers": ["WebGPU", "QNN"]}`
	h100 := `{"vendor": 4318, "number": 9008, "place": "0000:41:00.0", "providers": ["WebGPU"]}`
	answer := `{"version": "1.30.0", "devices": [` + card + "," + card + "," + h100 + `], "silence": "it is tired"}`
	store := &runtimes.Store{Dir: t.TempDir(), Probe: func(ctx context.Context, _ string) *exec.Cmd { return exec.CommandContext(ctx, "echo", answer) }}
	machine := device.Snapshot{GPUs: []device.GPU{{Name: "H100", Bus: "0000:41:00.0"}}}
	told := &api.Runtime{Name: "mine"}
	if texts := describe(t.Context(), store, told, machine, nil); len(texts) != 1 || texts[0] != "2 × GPU AMD Radeon 1002:744c by WebGPU, QNN" {
		t.Errorf("%q", texts)
	}
	want := &api.OtherDevice{Kind: "GPU", Name: "AMD Radeon", Maker: "AMD", Id: "1002:744c", Place: "0000:03:00.0", Providers: []string{"WebGPU", "QNN"},
		Ways: []*api.OtherDevice_Way{{Provider: "WebGPU", Accelerator: "webgpu"}}}
	if len(told.Devices) != 2 || !proto.Equal(told.Devices[0], want) {
		t.Errorf("%v", told.Devices)
	}
	for used, times := range map[bool]int{true: 1, false: 0} { // two cards, told once, and of the ONNX Runtime in use alone
		var out strings.Builder
		told.Used = used
		err := printRuntimes(&out, &api.ListRuntimesResponse{Here: []*api.Runtime{told}})
		way := "\n    models run on AMD Radeon by WebGPU with `conch serve --backend-config=onnxruntime,accelerator=webgpu`\n"
		if err != nil || !strings.Contains(out.String(), "does not say which devices there are: it is tired") || strings.Count(out.String(), way) != times {
			t.Errorf("%v, %s", err, out.String())
		}
	}
}

// A library whose process was stopped is not said to be of no use, and one with which no published hash was compared says so in the list and when
// it is installed.
func TestWhatIsNotKnownOfABuild(t *testing.T) {
	killed := func(ctx context.Context, _ string) *exec.Cmd {
		return exec.CommandContext(ctx, "sh", "-c", "kill -9 $$")
	}
	told := &api.Runtime{Name: "mine", Doubt: "no published hash was compared with a.whl"}
	describe(t.Context(), &runtimes.Store{Dir: t.TempDir(), Probe: killed}, told, device.Snapshot{}, nil)
	var out strings.Builder
	if err := printRuntimes(&out, &api.ListRuntimesResponse{Here: []*api.Runtime{told}}); err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"    has not said what it is: the process that opened ", "    no published hash was compared with a.whl\n"} {
		if text := out.String(); !strings.Contains(text, words) || strings.Contains(text, "cannot be used") {
			t.Errorf("%s\ndoes not say %q", text, words)
		}
	}
	out.Reset()
	done := runtimes.Installed{Build: runtimes.Build{ID: "mine-1", Unproven: []string{"a.whl"}}}
	if err := printInstalled(&out, done, nil); err != nil || !strings.Contains(out.String(), "\n  no published hash was compared with a.whl: ") {
		t.Errorf("%v, %s", err, out.String())
	}
}

// A build whose file about itself is damaged has a row with the reason.
func TestDamagedBuildIsListed(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	store, err := runtimeStore()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(store.Dir, "builds", "mine-1.30.0", "conch.json")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("{bad"), 0o600)); err != nil {
		t.Fatal(err)
	}
	store.Probe = func(ctx context.Context, _ string) *exec.Cmd {
		return exec.CommandContext(ctx, "echo", `{"version": "1.30.0"}`)
	}
	var out strings.Builder
	if err := printRuntimes(&out, listRuntimes(t.Context(), store, device.Snapshot{})); err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"  mine-1.30.0 ", "    cannot be used: " + file + " is damaged: invalid character 'b'"} {
		if !strings.Contains(out.String(), words) {
			t.Errorf("%s\ndoes not say %q", out.String(), words)
		}
	}
}

// When the chosen build is removed, it is said which one is used from then on.
func TestRemovingTheChosenBuildIsTold(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	t.Setenv(libraryVariable, "")
	s := runtimes.Default()
	bundled := filepath.Join(s.Dir, runtimes.LibraryName())
	put := func(path, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(id, want string) {
		t.Helper()
		put(filepath.Join(s.Dir, "builds", id, "conch.json"), "{}")
		if got, err := (&runtimeRemove{Name: id}).remove(t.Context(), s); err != nil || !strings.HasPrefix(got, want) || strings.Contains(got, "\n") {
			t.Errorf("%q, %v", got, err)
		}
	}
	choose := func() { put(filepath.Join(s.Dir, "chosen"), "mine-1.30.0\n") }
	choose()
	remove("mine-1.30.0", "mine-1.30.0 is removed. It was the chosen one, and engines have none now: "+runtimes.LibraryName()+" is not in ")
	put(bundled, "library")
	choose()
	remove("mine-1.30.0", "mine-1.30.0 is removed. It was the chosen one: from their next start on engines use bundled, "+bundled)
	t.Setenv(libraryVariable, bundled)
	choose()
	remove("mine-1.30.0", "mine-1.30.0 is removed. It was the chosen one: from their next start on engines use that of CONCH_ONNXRUNTIME, "+bundled)
	if got, err := (&runtimeRemove{Name: "mine-1.30.0"}).remove(t.Context(), s); err == nil {
		t.Error(got)
	}
	choose()
	put(filepath.Join(s.Dir, "builds", "other-1.30.0", "conch.json"), "{}")
	if got, err := (&runtimeRemove{Name: "other-1.30.0"}).remove(t.Context(), s); err != nil || got != "other-1.30.0 is removed" {
		t.Errorf("%q, %v", got, err)
	}
}
