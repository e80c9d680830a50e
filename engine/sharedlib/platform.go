package sharedlib

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
)

// Platform is a system and a processor, by Go's names; "" for one that is not known, or any.
type Platform struct{ System, Processor string }

// elfSystem is the system whose libraries are ELF files, of those that Conch runs on.
const elfSystem = "linux"

// Here is the platform of this process.
func Here() Platform { return Platform{runtime.GOOS, runtime.GOARCH} }

// Fits reports that nothing is known by which a library for the platform could not be opened in this process.
func (p Platform) Fits() bool {
	_, known := machines[runtime.GOARCH]
	return (p.System == "" || p.System == runtime.GOOS) && (p.Processor == "" || p.Processor == runtime.GOARCH || !known)
}

// String names the platform for people: "Linux on aarch64".
func (p Platform) String() string {
	system := cmp.Or(map[string]string{elfSystem: "Linux", "darwin": "macOS", "windows": "Windows"}[p.System], p.System, "any system")
	if p.Processor == "" {
		return system
	}
	processor := p.Processor
	switch {
	case processor == "amd64":
		processor = "x86_64"
	case processor == "arm64" && p.System == elfSystem:
		processor = "aarch64"
	}
	return system + " on " + processor
}

// headerBytes are read of a library: those of Windows have the word about the processor behind a program for DOS.
const headerBytes = 4096

// PlatformOf reads from the header of a library for which platform it is made. What the header does not say is "".
func PlatformOf(path string) (Platform, error) {
	file, err := os.Open(path)
	if err != nil {
		return Platform{}, err
	}
	defer func() { _ = file.Close() }()
	header := make([]byte, headerBytes)
	n, err := io.ReadFull(file, header)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return Platform{}, err
	}
	return platformOf(header[:n]), nil
}

func platformOf(header []byte) Platform {
	switch {
	case bytes.HasPrefix(header, []byte(elf.ELFMAG)) && len(header) >= 20:
		return Platform{elfSystem, elfProcessor(header)}
	case bytes.HasPrefix(header, []byte("MZ")) && len(header) >= 64:
		at := int(binary.LittleEndian.Uint32(header[60:]))
		if at > len(header)-6 || !bytes.HasPrefix(header[at:], []byte("PE\x00\x00")) {
			return Platform{}
		}
		return Platform{"windows", map[uint16]string{0x8664: "amd64", 0xaa64: "arm64", 0x14c: "386"}[binary.LittleEndian.Uint16(header[at+4:])]}
	case bytes.HasPrefix(header, []byte("\xcf\xfa\xed\xfe")) && len(header) >= 8: // Mach-O of 64 bits
		return Platform{"darwin", map[uint32]string{0x01000007: "amd64", 0x0100000c: "arm64"}[binary.LittleEndian.Uint32(header[4:])]}
	}
	return Platform{}
}

// machines are the processors for which libraries are made, by Go's names for those that Conch runs on.
var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// elfProcessor is the processor in the header of an ELF file.
func elfProcessor(header []byte) string {
	var order binary.ByteOrder = binary.LittleEndian
	if elf.Data(header[elf.EI_DATA]) == elf.ELFDATA2MSB {
		order = binary.BigEndian
	}
	machine := elf.Machine(order.Uint16(header[18:]))
	wide := elf.Class(header[elf.EI_CLASS]) == elf.ELFCLASS64 && order == binary.ByteOrder(binary.LittleEndian)
	for name, its := range machines {
		if machine == its && wide {
			return name
		}
	}
	name := strings.ToLower(strings.TrimPrefix(machine.String(), "EM_"))
	if !wide {
		name += " of another word length or byte order"
	}
	return name
}
