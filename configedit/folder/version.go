package folder

import (
	"errors"
	"strconv"
	"strings"
)

// VersionKind says how Triton treats a folder name inside a model.
type VersionKind int

// The kinds of folder inside a model, in the words of Triton's own scan of a
// model's versions (ModelLifeCycle, GetModelVersions).
const (
	// NotVersion is a name that is not a number; Triton warns and skips it.
	NotVersion VersionKind = iota
	// ReservedDir is configs, warmup or initial_state, skipped silently.
	ReservedDir
	// PlainVersion is a canonical decimal number: a version.
	PlainVersion
	// LeadingZero is a number written with leading zeros; Triton warns and
	// skips it. "0" itself is a plain version.
	LeadingZero
	// SloppyVersion is read as a number although it is not written as one
	// ("1abc", " 1", "+2"); the backend then opens the canonical name.
	SloppyVersion
	// HugeVersion does not fit 64 bits; the real server dies of it.
	HugeVersion
)

// ParseVersion reads a folder name as Triton does (C++ stoll: leading blanks
// and sign are taken, what follows the digits is ignored). The number is
// meaningful for PlainVersion and SloppyVersion only.
func ParseVersion(name string) (int64, VersionKind) {
	if Reserved(name) {
		return 0, ReservedDir
	}
	if len(name) > 1 && name[0] == '0' {
		return 0, LeadingZero
	}
	digits := LeadingNumber(name)
	if digits == "" {
		return 0, NotVersion
	}
	number, err := strconv.ParseInt(digits, 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, HugeVersion
	}
	if strconv.FormatInt(number, 10) == name && number >= 0 {
		return number, PlainVersion
	}
	return number, SloppyVersion
}

// Version is the number under which Triton loads a folder of this name, if it
// takes the folder for a version at all.
func Version(name string) (number int64, ok bool) {
	number, kind := ParseVersion(name)
	return number, kind == PlainVersion || kind == SloppyVersion
}

// VersionDir is the name of the folder in which a backend looks for the files of
// a version. Triton writes a negative number as if it had no sign bit.
func VersionDir(number int64) string { return strconv.FormatUint(uint64(number), 10) }

// LeadingNumber returns the part of a text that C++ stoll converts, without leading blanks: a sign and digits. It is ""
// without digits.
func LeadingNumber(name string) string {
	s := strings.TrimLeft(name, " \t\n\v\f\r")
	end := 0
	if end < len(s) && (s[end] == '+' || s[end] == '-') {
		end++
	}
	first := end
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	if end == first {
		return ""
	}
	return s[:end]
}

// Explain says in a sentence how Triton treats a folder of this kind; it is
// empty for folders that need no explanation.
func (k VersionKind) Explain() string {
	switch k {
	case NotVersion:
		return "the name is not a number, so Triton ignores this folder"
	case LeadingZero:
		return "the name starts with a zero, so Triton ignores this folder"
	case SloppyVersion:
		return "Triton takes this folder for a version, but a backend looks for its files in a folder with the plain number"
	case HugeVersion:
		return "the number does not fit 64 bits; Triton Inference Server crashes on it"
	}
	return ""
}

// HasNonDigit reports whether a top-level entry counts for every version of the
// model when Triton looks for changes (ModelRepositoryManager, IsModified):
// every name with a character that is not a digit does.
func HasNonDigit(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return r < '0' || r > '9' })
}

// MeantAsVersion reports whether a name looks like a version, such as 01, 1abc and v2.
func MeantAsVersion(name string) bool {
	digits := afterWord(name)
	return digits != "" && digits[0] >= '0' && digits[0] <= '9'
}

// MeantVersion returns the number of a version that a name says, or almost says: v1, version1, 01, 1.0 and 1abc.
func MeantVersion(name string) (number int64, ok bool) {
	if number, ok := Version(name); ok {
		return number, number >= 0
	}
	number, err := strconv.ParseInt(strings.TrimSuffix(afterWord(name), ".0"), 10, 64)
	return number, err == nil && number >= 0
}

// afterWord is a name without what people write in front of the number of a version: v, version, and signs.
func afterWord(name string) string {
	return strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(name), "version"), "v"), "+-_ ")
}
