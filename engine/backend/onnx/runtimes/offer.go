package runtimes

import (
	"fmt"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"conch/configedit/bytesize"
	"conch/engine/backend/onnx/ort"
	"conch/engine/device"
)

// Offer is a build that can be installed by its name.
type Offer struct {
	Name    string // "cuda13"
	Runs    string // what it runs models on
	Package string // in the Python package index; "" where there is none for this build
	Version string // the one that is installed unless another is asked for
	CUDA    int    // the major version of CUDA that it needs; 0 for none
	Needs   string // what it needs besides, for people
	Absent  string // why there is no package, and what to do
	Intel   bool   // it needs a processor, GPU or NPU of Intel
	with    *Offer // a further package, whose libraries lie beside those of this one
	wheels  map[string]Wheel
	other   bool // it is of another version than the offered one, so that its size and hash are not known
}

// Wheel is the file of an offer for one system.
type Wheel struct {
	Tags   []string // platforms, as pip names them, the best one first
	Bytes  int64
	SHA256 string // "" where it is not known
}

// tested is the version with which Conch is tested: it is the bundled one.
const tested = "1.30.0"

// Wheels of one version differ by Python only in a part that Conch does not use. These are the ones that are taken.
const (
	pythonVersion = "3.12"
	pythonABI     = "cp312"
)

// The driver that each major version of CUDA needs, and the oldest GPUs that its libraries support, as NVIDIA's release notes
// tell.
var cudaNeeds = map[int]struct {
	driver     int
	capability string
	since      string
}{
	12: {525, "5.0", "Maxwell"},
	13: {580, "7.5", "Turing"},
}

var linux = []string{"manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux2014_x86_64"}

// cpuWheels are those of ONNX Runtime without a provider for a GPU.
var cpuWheels = map[string]Wheel{
	"linux/amd64":   {linux, 23585654, "fa688e7891a6aa206636fe7372e27ee75fd17713289f6b4fc7b190e0a7de9328"},
	"linux/arm64":   {[]string{"manylinux_2_28_aarch64"}, 21345202, "6c32a000d5139a38ba9349030b0032e3331acb559d596b22738d9d2b343a2b83"},
	"darwin/arm64":  {[]string{"macosx_14_0_arm64"}, 21544867, "001ed726c9bd5e2bc92faade7d37d889e9606a350b7d5529f0227df2e3bb57fd"},
	"windows/amd64": {[]string{"win_amd64"}, 14311470, "f3501472571f1b1eee50e017851e7929f5ea37312d2d8c2494a19e8fc58b4a38"},
	"windows/arm64": {[]string{"win_arm64"}, 14175072, "dc4c706f1935ebb62356e6a095b047859badd854482c40560888e95c328ed262"},
}

// openVINO is the package with which Intel brings OpenVINO for any ONNX Runtime. The older package onnxruntime-openvino brings an ONNX
// Runtime of its own, which lacks functions that Conch uses.
var openVINO = Offer{
	Package: "onnxruntime-ep-openvino", Version: "1.8.1",
	wheels: map[string]Wheel{"linux/amd64": {linux, 52587628, "3832643158c8c187fcab6db661cde2a8c06a2b3559d95d0f2411ac0e51c5e924"}},
}

// Offers are all builds that can be installed by name. Sizes and hashes are those of the wheels of this version.
var Offers = []Offer{
	{
		Name: "cpu", Runs: "the processor", Package: "onnxruntime", Version: tested, wheels: cpuWheels,
	},
	{
		Name: "cuda13", Runs: "NVIDIA GPUs by CUDA 13, and TensorRT 10", Package: "onnxruntime-gpu", Version: tested,
		CUDA: 13, Needs: "CUDA 13 and cuDNN 9; TensorRT 10 for the accelerator tensorrt",
		wheels: map[string]Wheel{
			"linux/amd64":   {linux, 246685715, "6acc0f4b3d5ac5f2984432faa59dd8fcce6775f8b43a7140afa0f322c7a703b1"},
			"windows/amd64": {[]string{"win_amd64"}, 160478594, "882da66f936e1f560b155118c5953dc45268cd92893abb8d31a940f4d1effb36"},
		},
	},
	{
		Name: "openvino", Runs: "processors, GPUs and NPUs of Intel by OpenVINO", Package: "onnxruntime", Version: tested, Intel: true,
		with: &openVINO, wheels: map[string]Wheel{"linux/amd64": cpuWheels["linux/amd64"]},
	},
	{
		Name: "cuda12", Runs: "NVIDIA GPUs by CUDA 12", CUDA: 12, Needs: "CUDA 12 and cuDNN 9",
		Absent: "the packages of ONNX Runtime " + tested + " are for CUDA 13, and older ones lack functions that Conch uses. " +
			"Install cuda13, or a build of ONNX Runtime " + tested + " for CUDA 12 from the folder that it is unpacked in",
	},
}

// OfferOf finds an offer by its name.
func OfferOf(name string) (Offer, error) {
	var names []string
	for _, o := range Offers {
		if o.Name == name {
			return o, nil
		}
		names = append(names, o.Name)
	}
	return Offer{}, fmt.Errorf("there is no ONNX Runtime called %q; there is %s", name, strings.Join(names, ", "))
}

// At returns the offer with another version. "" leaves it as it is.
func (o Offer) At(version string) Offer {
	if version != "" && version != o.Version {
		o.Version, o.other = version, true
	}
	return o
}

// versionNumbers are the first two numbers of a version.
var versionNumbers = regexp.MustCompile(`^([0-9]+)(?:\.([0-9]+))?`)

// CheckAge says why the offer's version is too old, as far as its number tells. Otherwise it would be downloaded before its library is asked.
func (o Offer) CheckAge() error {
	parts := versionNumbers.FindStringSubmatch(o.Version)
	if parts == nil || !older(parts[1]+"."+parts[2], fmt.Sprintf("1.%d", ort.OldestMinor)) {
		return nil
	}
	return fmt.Errorf("ONNX Runtime %s is too old: Conch uses functions that it has since 1.%d. Write the version as %s@%s",
		o.Version, ort.OldestMinor, o.Name, tested)
}

// Wheel returns the wheel for this system.
func (o Offer) Wheel() (Wheel, error) {
	if o.Absent != "" {
		return Wheel{}, fmt.Errorf("%s cannot be installed by its name: %s", o.Name, o.Absent)
	}
	system := runtime.GOOS + "/" + runtime.GOARCH
	w, there := o.wheels[system]
	if !there {
		return Wheel{}, fmt.Errorf("there is no package of %s for %s", o.Name, system)
	}
	if o.other {
		w.SHA256 = ""
	}
	return w, nil
}

// packages are the offer and the one that comes with it.
func (o Offer) packages() []Offer {
	list := []Offer{o}
	if o.with != nil {
		list = append(list, *o.with)
	}
	return list
}

// Fetched names what a download brings: "onnxruntime 1.30.0".
func (o Offer) Fetched() string {
	var names []string
	for _, p := range o.packages() {
		if p.Package != "" {
			names = append(names, p.Package+" "+p.Version)
		}
	}
	return strings.Join(names, " and ")
}

// Weight says how much a download of the offer is.
func (o Offer) Weight() (string, error) {
	var sum int64
	for _, p := range o.packages() {
		w, err := p.Wheel()
		if err != nil {
			return "", err
		}
		sum += w.Bytes
	}
	if o.other {
		return fmt.Sprintf("its size is not known beforehand; %s has %s, and more than %s is refused", tested, bytesize.Text(sum), mostBytesText()), nil
	}
	return bytesize.Text(sum), nil
}

// Unfit returns why a build does not run on this machine as it is meant to; "" when it does.
func (o Offer) Unfit(machine device.Snapshot) string {
	if o.Intel && !intelIn("/") {
		return ort.ErrNoIntel.Error()
	}
	return unfit(o.CUDA, machine)
}

// Unfit returns why the GPU part of a build does not run on this machine; "" when it does, or when it has none.
func (r Report) Unfit(machine device.Snapshot) string { return unfit(r.CUDA, machine) }

// unfit says why libraries for a major version of CUDA do not run on a machine.
func unfit(cuda int, machine device.Snapshot) string {
	needs, known := cudaNeeds[cuda]
	switch {
	case cuda == 0:
		return ""
	case machine.Trouble != "":
		return machine.Trouble
	case machine.AllLost() != "":
		return machine.AllLost()
	case len(machine.GPUs) == 0:
		return "this machine has no NVIDIA GPU, or no driver for it"
	}
	if machine.NoCUDA != "" {
		return machine.NoCUDA
	}
	if major, _, told := strings.Cut(machine.CUDA, "."); told && number(major) < cuda { // a driver that does not tell may run any
		text := fmt.Sprintf("the driver %s of this machine runs CUDA up to %s, not CUDA %d", machine.Driver, machine.CUDA, cuda)
		if known {
			text += fmt.Sprintf("; install the driver %d or a newer one", needs.driver)
		}
		return text
	}
	for _, g := range machine.GPUs {
		if !known || g.Capability == "" || !older(g.Capability, needs.capability) {
			return ""
		}
	}
	return fmt.Sprintf("CUDA %d needs a GPU of the generation %s (compute capability %s) or newer; this machine has %s with %s",
		cuda, needs.since, needs.capability, machine.GPUs[0].Name, machine.GPUs[0].Capability)
}

// older compares two compute capabilities or versions, such as 7.5.
func older(a, b string) bool {
	aMajor, aMinor, _ := strings.Cut(a, ".")
	bMajor, bMinor, _ := strings.Cut(b, ".")
	if number(aMajor) != number(bMajor) {
		return number(aMajor) < number(bMajor)
	}
	return number(aMinor) < number(bMinor)
}

// number reads a number; what is none is 0.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}
