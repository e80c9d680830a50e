// Command latebind makes a program start without the libraries of its window: `latebind PROGRAM PREFIX…`. It drops the
// needed libraries whose names begin so. The window opens them when it is shown (app/desktop/libraries.go), and the
// linker finds their functions at the first call. The engine and every other command then start without them, which
// saves 0.1 s each and 12 MB.
package main

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: latebind PROGRAM PREFIX…")
		os.Exit(2)
	}
	if err := drop(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintf(os.Stderr, "latebind: %s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}

// entry is one of the dynamic section.
type entry struct {
	Tag, Value uint64
}

// drop writes the program's dynamic section without what it needs of these names.
func drop(program string, prefixes []string) error {
	file, err := elf.Open(program)
	if err != nil {
		return err
	}
	defer file.Close()
	if file.Class != elf.ELFCLASS64 {
		return errors.New("it is not a program of 64 bits")
	}
	section := file.Section(".dynamic")
	if section == nil {
		return errors.New("it needs no libraries")
	}
	entries := make([]entry, section.Size/uint64(binary.Size(entry{})))
	if err := binary.Read(section.Open(), file.ByteOrder, entries); err != nil {
		return err
	}
	if bindsNow(entries) {
		return errors.New("its functions are found at the start: link it with -z lazy")
	}
	versions, err := file.DynamicVersionNeeds()
	if err != nil {
		return err
	}
	dropped := func(name string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
	}
	for _, v := range versions {
		if dropped(v.Name) {
			return fmt.Errorf("it asks for a version of %s at its start", v.Name)
		}
	}
	needed, err := file.ImportedLibraries()
	if err != nil {
		return err
	}
	kept, at := entries[:0:0], 0
	for _, e := range entries {
		if elf.DynTag(e.Tag) == elf.DT_NEEDED {
			name := needed[at]
			at++
			if dropped(name) {
				continue
			}
		}
		kept = append(kept, e)
	}
	kept = append(kept, make([]entry, len(entries)-len(kept))...) // entries of zeros end the section
	out, err := os.OpenFile(program, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	text, err := binary.Append(nil, file.ByteOrder, kept)
	if err == nil {
		_, err = out.WriteAt(text, int64(section.Offset))
	}
	return errors.Join(err, out.Close())
}

// bindsNow reports whether all functions are found at the start.
func bindsNow(entries []entry) bool {
	return slices.ContainsFunc(entries, func(e entry) bool {
		switch elf.DynTag(e.Tag) {
		case elf.DT_BIND_NOW:
			return true
		case elf.DT_FLAGS:
			return elf.DynFlag(e.Value)&elf.DF_BIND_NOW != 0
		case elf.DT_FLAGS_1:
			return elf.DynFlag1(e.Value)&elf.DF_1_NOW != 0
		}
		return false
	})
}
