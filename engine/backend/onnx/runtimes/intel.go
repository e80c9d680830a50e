package runtimes

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// intelProcessor is the line of /proc/cpuinfo with the maker.
var intelProcessor = regexp.MustCompile(`(?m)^vendor_id\s*:\s*GenuineIntel$`)

// intelIn reports whether the machine whose files are below a folder has a processor, GPU or NPU of Intel. Only Linux tells it in files.
func intelIn(root string) bool {
	text, err := os.ReadFile(filepath.Join(root, "proc/cpuinfo"))
	if err != nil || intelProcessor.Match(text) {
		return true // who opens the library hears it
	}
	for _, kind := range []string{"sys/class/drm/*/device/vendor", "sys/class/accel/*/device/vendor"} {
		files, _ := filepath.Glob(filepath.Join(root, kind))
		for _, file := range files {
			if vendor, err := os.ReadFile(file); err == nil && strings.TrimSpace(string(vendor)) == "0x8086" {
				return true
			}
		}
	}
	return false
}
