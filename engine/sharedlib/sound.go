package sharedlib

import (
	"debug/elf"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// mostLibraries bounds how many libraries are judged for one.
const mostLibraries = 256

// Sound says what is wrong with a library, given by its path or, as for dlopen, by its name alone, and with those that it needs
// (a *Damage). A library that is not found is not an error: who opens it hears what is missing.
func Sound(nameOrPath string) error { return system().sound(nameOrPath) }

// SoundDriver is Sound for a library of NVIDIA's driver. The error says how to get a whole one.
func SoundDriver(nameOrPath string) error {
	if err := Sound(nameOrPath); err != nil {
		return fmt.Errorf("%w. Install NVIDIA's driver again", err)
	}
	return nil
}

// Found reports that the loader finds a library by its name, without opening it. Where that cannot be told it is false.
func Found(name string) bool { return system().find(name, needs{}) != "" }

// CUDADriver is the part of NVIDIA's driver that every program with CUDA opens. What reads the state of GPUs is another part.
const CUDADriver = "libcuda.so.1"

// NoCUDA says that CUDA cannot be used, as the loader finds no libcuda.so.1, and how to get it; "" where it does, or where that cannot be told.
func NoCUDA() string {
	if runtime.GOOS != "linux" {
		return ""
	}
	return system().noCUDA()
}

func (p places) noCUDA() string {
	if strings.Contains(p.variable, "$") || p.find(CUDADriver, needs{}) != "" {
		return ""
	}
	return "CUDA cannot be used: " + CUDADriver + " of NVIDIA's driver is missing. Install all of the driver (on Debian with the package libcuda1, on Ubuntu libnvidia-compute), " +
		"or start the container with NVIDIA_DRIVER_CAPABILITIES=compute,utility"
}

func (p places) sound(nameOrPath string) error {
	path := nameOrPath
	if !strings.ContainsRune(path, filepath.Separator) {
		path = p.find(nameOrPath, needs{})
	}
	type library struct{ path, wantedBy string }
	todo, seen := []library{{path: path}}, map[string]bool{"": true}
	for len(todo) > 0 && len(seen) < mostLibraries {
		next := todo[0]
		todo = todo[1:]
		if seen[next.path] {
			continue
		}
		seen[next.path] = true
		named, err := judge(next.path)
		if err != nil {
			if damage, is := errors.AsType[*Damage](err); is {
				damage.For = next.wantedBy
			}
			return err
		}
		for _, name := range named.libraries {
			todo = append(todo, library{p.find(name, named), next.path})
		}
	}
	return nil
}

// needs is what a library names in its file.
type needs struct {
	libraries []string
	// before and after are folders to look in, before and after those of LD_LIBRARY_PATH.
	before, after []string
}

func needsOf(f *elf.File, path string) (n needs) {
	n.libraries, _ = f.ImportedLibraries()
	folders := func(tag elf.DynTag) (list []string) {
		texts, _ := f.DynString(tag)
		for _, text := range texts {
			for folder := range strings.SplitSeq(text, ":") {
				origin := filepath.Dir(path)
				folder = strings.NewReplacer("$ORIGIN", origin, "${ORIGIN}", origin).Replace(folder)
				if folder != "" && !strings.Contains(folder, "$") {
					list = append(list, folder)
				}
			}
		}
		return list
	}
	if n.after = folders(elf.DT_RUNPATH); len(n.after) == 0 {
		n.before = folders(elf.DT_RPATH) // the older tag counts without the newer one alone
	}
	return n
}
