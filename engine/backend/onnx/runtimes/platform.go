package runtimes

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"conch/engine/sharedlib"
)

// platformTag is what a wheel's name says of a system and a processor.
var platformTag = regexp.MustCompile(`^(?:(manylinux|musllinux|linux|macosx|win)(?:[0-9_]*)_([a-z][a-z0-9_]*)|(win)32)$`)

// systems are the words of platformTag by Go's names, and processors those that Go names otherwise; "" is any.
var (
	systems    = map[string]string{"manylinux": "linux", "musllinux": "linux", "linux": "linux", "macosx": "darwin", "win": "windows"}
	processors = map[string]string{"x86_64": "amd64", "aarch64": "arm64", "universal2": "", "i686": "386"}
)

// checkPlatform refuses a wheel that is for other platforms by its name. The name of a file may be any: one that says nothing is not refused.
func checkPlatform(file string) error {
	parts := strings.Split(strings.TrimSuffix(filepath.Base(file), ".whl"), "-")
	if len(parts) < 5 {
		return nil
	}
	var made sharedlib.Platform
	for tag := range strings.SplitSeq(parts[len(parts)-1], ".") {
		if made = tagged(tag); made.Fits() {
			return nil
		}
	}
	return fmt.Errorf("%s is not taken: by its name it is for %s. Get the one for %s", file, made, sharedlib.Here())
}

// tagged is the platform of a tag; any for a tag that is not known.
func tagged(tag string) sharedlib.Platform {
	found := platformTag.FindStringSubmatch(tag)
	switch {
	case found == nil:
		return sharedlib.Platform{}
	case found[3] != "":
		return sharedlib.Platform{System: systems[found[3]], Processor: "386"}
	}
	processor, renamed := processors[found[2]]
	if !renamed {
		processor = found[2]
	}
	return sharedlib.Platform{System: systems[found[1]], Processor: processor}
}
