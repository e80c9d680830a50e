package sharedlib

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

// at is a header with words of two bytes at places in it.
func at(begin string, words map[int]uint16) string {
	header := make([]byte, 200)
	copy(header, begin)
	for place, word := range words {
		binary.LittleEndian.PutUint16(header[place:], word)
	}
	return string(header)
}

// For which platform a library is made is read from its first bytes. Those that do not say it count as fitting.
func TestPlatforms(t *testing.T) {
	windows := func(machine uint16) string { return at("MZ", map[int]uint16{60: 128, 128: 0x4550, 132: machine}) }
	for i, c := range []struct{ header, want string }{
		{at("\x7fELF\x02\x01", map[int]uint16{18: 62}), "Linux on x86_64"},
		{at("\x7fELF\x02\x01", map[int]uint16{18: 183}), "Linux on aarch64"},
		{at("\x7fELF\x01\x01", map[int]uint16{18: 62}), "Linux on x86_64 of another word length or byte order"},
		{at("\x7fELF\x02\x02", map[int]uint16{18: 0x1500}), "Linux on ppc64 of another word length or byte order"},
		{"\x7fELF\x02\x01", "any system"},
		{windows(0x8664), "Windows on x86_64"}, {windows(0xaa64), "Windows on arm64"}, {windows(0x14c), "Windows on 386"}, {windows(1), "Windows"},
		{at("MZ", map[int]uint16{60: 0xffff, 62: 0xffff}), "any system"}, {at("MZ", map[int]uint16{60: 196}), "any system"}, {"MZ", "any system"},
		{at("\xcf\xfa\xed\xfe", map[int]uint16{4: 12, 6: 0x100}), "macOS on arm64"}, {at("\xcf\xfa\xed\xfe", map[int]uint16{4: 7, 6: 0x100}), "macOS on x86_64"},
		{"", "any system"}, {"no library", "any system"},
	} {
		path := put(t, filepath.Join(t.TempDir(), "library"), []byte(c.header))
		p, err := PlatformOf(path)
		if err != nil || p.String() != c.want || p.Fits() != (p == Platform{} || p == Here() || c.want == Here().String()) {
			t.Errorf("%d: %v, %v, fits: %v", i, p, err, p.Fits())
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if p, err := PlatformOf(self); err != nil || p != Here() || !p.Fits() {
		t.Errorf("this program is for %v, %v", p, err)
	}
	if _, err := PlatformOf(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
}
