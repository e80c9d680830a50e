package runtimes

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"conch/engine/backend/onnx/ort"
	"conch/engine/sharedlib"
)

// packages are the Python packages that bring NVIDIA's libraries, by the major version of CUDA. The versions are those that the
// wheels of ONNX Runtime name.
var packages = map[string]map[int]string{
	"libcublas":         {12: "nvidia-cublas-cu12~=12.0", 13: "nvidia-cublas~=13.0"},
	"libcublasLt":       {12: "nvidia-cublas-cu12~=12.0", 13: "nvidia-cublas~=13.0"},
	"libcudart":         {12: "nvidia-cuda-runtime-cu12~=12.0", 13: "nvidia-cuda-runtime~=13.0"},
	"libcudnn":          {12: "nvidia-cudnn-cu12~=9.0", 13: "nvidia-cudnn-cu13~=9.0"},
	"libcufft":          {12: "nvidia-cufft-cu12~=11.0", 13: "nvidia-cufft~=12.0"},
	"libcurand":         {12: "nvidia-curand-cu12~=10.0", 13: "nvidia-curand~=10.0"},
	"libnvrtc":          {12: "nvidia-cuda-nvrtc-cu12~=12.0", 13: "nvidia-cuda-nvrtc~=13.0"},
	"libnvJitLink":      {12: "nvidia-nvjitlink-cu12~=12.0", 13: "nvidia-nvjitlink~=13.0"},
	"libnvinfer":        {12: "tensorrt-cu12-libs~=10.0", 13: "tensorrt-cu13-libs~=10.0"},
	"libnvinfer_plugin": {12: "tensorrt-cu12-libs~=10.0", 13: "tensorrt-cu13-libs~=10.0"},
	"libnvonnxparser":   {12: "tensorrt-cu12-libs~=10.0", 13: "tensorrt-cu13-libs~=10.0"},
}

// ownPrefix begins the names of ONNX Runtime's own libraries.
const ownPrefix = "libonnxruntime"

// Advice is what to do about missing libraries.
type Advice struct {
	Driver   bool     `json:"driver,omitempty"`   // NVIDIA's driver is missing
	Damaged  bool     `json:"damaged,omitempty"`  // it is there, and cannot be opened
	Packages []string `json:"packages,omitempty"` // Python packages that bring the rest
	Either   []string `json:"either,omitempty"`   // such packages, each with its CUDA, where the build does not tell for which one it is
	Folders  []string `json:"folders,omitempty"`  // folders on this machine with some of them
	Parts    []string `json:"parts,omitempty"`    // libraries of the build itself
	Unknown  []string `json:"unknown,omitempty"`  // libraries that no known package brings
}

// Advise says what to do about the libraries that a build misses. paths are folders of a Python's modules.
func Advise(r Report, paths []string) Advice {
	var a Advice
	for _, m := range r.Missing {
		if m.Library == sharedlib.CUDADriver {
			a.Driver, a.Damaged = m.nowhere(), !m.nowhere()
			continue
		}
		if m.Library == "" {
			continue
		}
		if dir := folderWith(m.Library, paths); dir != "" {
			a.Folders = add(a.Folders, dir)
			continue
		}
		stem, _, _ := strings.Cut(m.Library, ".so")
		switch name := packages[stem][r.CUDA]; {
		case strings.HasPrefix(stem, ownPrefix):
			a.Parts = add(a.Parts, m.Library)
		case name != "":
			a.Packages = add(a.Packages, name)
		case r.CUDA == 0 && packages[stem] != nil:
			for _, cuda := range slices.Sorted(maps.Keys(packages[stem])) {
				a.Either = add(a.Either, fmt.Sprintf("for CUDA %d with: pip install '%s'", cuda, packages[stem][cuda]))
			}
		default:
			a.Unknown = add(a.Unknown, m.Library)
		}
	}
	return a
}

func add(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// Lines are the advice in words.
func (a Advice) Lines() (lines []string) {
	if a.Driver {
		lines = append(lines, "NVIDIA's driver is missing: install it with your system's packages")
	}
	if a.Damaged {
		lines = append(lines, "NVIDIA's driver is there and cannot be opened: install it again with your system's packages")
	}
	if len(a.Packages) > 0 {
		lines = append(lines, "get the libraries from your system's packages or NVIDIA, or with: pip install "+strings.Join(quoted(a.Packages), " "))
	}
	if len(a.Either) > 0 {
		lines = append(lines, "the build does not tell its CUDA; get the libraries from your system's packages or NVIDIA, or "+strings.Join(a.Either, ", "))
	}
	if len(a.Folders) > 0 {
		lines = append(lines, "some are on this machine in a Python's packages; start Conch with: LD_LIBRARY_PATH="+strings.Join(a.Folders, string(os.PathListSeparator)))
	}
	if len(a.Parts) > 0 {
		lines = append(lines, strings.Join(a.Parts, ", ")+" belongs to the build itself: take a whole build")
	}
	if len(a.Unknown) > 0 {
		lines = append(lines, "Conch knows no package with "+strings.Join(a.Unknown, ", "))
	}
	return lines
}

// quoted writes requirements as a shell takes them.
func quoted(list []string) []string {
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = "'" + s + "'"
	}
	return words
}

// folderWith returns the folder among NVIDIA's and PyTorch's packages that has a library.
func folderWith(library string, paths []string) string {
	for _, path := range paths {
		for _, pattern := range []string{"nvidia/*/lib", "tensorrt_libs", "torch/lib"} {
			if found := matching(path, pattern+"/"+library); len(found) > 0 {
				return filepath.Dir(found[0])
			}
		}
	}
	return ""
}

// ModuleFolders asks the Pythons of this machine where their modules are.
func ModuleFolders(ctx context.Context) (list []string) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for _, python := range pythons() {
		cmd := exec.CommandContext(ctx, python, "-c", "import sys; sys.stdout.write('\\0'.join(sys.path))")
		cmd.WaitDelay = time.Second
		out, err := cmd.Output()
		if err != nil {
			continue
		}
		for path := range strings.SplitSeq(string(out), "\x00") {
			if filepath.IsAbs(path) {
				list = add(list, path)
			}
		}
	}
	return list
}

// notFound is what the system says of a library that is nowhere.
const notFound = "cannot open shared object file: No such file or directory"

// nowhere reports whether the library is not on the machine, and not only one that cannot be opened.
func (m Missing) nowhere() bool {
	return strings.HasSuffix(m.Error, notFound) && strings.HasPrefix(m.Error, m.Library)
}

// Lack is what a provider misses.
type Lack struct {
	Provider string // as Report.Short names it: "CUDA"
	Text     string
}

// Lacks says what the providers of a build lack: those libraries that are nowhere in one text for each provider, and each other one with the
// system's words.
func (r Report) Lacks() (list []Lack) {
	var order []string
	nowhere := map[string][]string{}
	for _, m := range r.Missing {
		provider := ort.ShortNameOf(m.Provider)
		if m.Library == "" {
			list = append(list, Lack{provider, m.Error})
			continue
		}
		if !m.nowhere() {
			list = append(list, Lack{provider, fmt.Sprintf("%s needs %s: %s", provider, m.Library, m.Error)})
			continue
		}
		order = add(order, provider)
		nowhere[provider] = append(nowhere[provider], m.Library)
	}
	for _, provider := range order {
		text := fmt.Sprintf("%s needs libraries that are not found: %s", provider, strings.Join(nowhere[provider], ", "))
		list = append(list, Lack{provider, text})
	}
	return list
}
