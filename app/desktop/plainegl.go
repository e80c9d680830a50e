package desktop

import (
	"os"
	"strings"
)

// vendorDirs is where EGL looks for its drivers, and vendorFiles names single ones.
const (
	vendorDirs  = "__EGL_VENDOR_LIBRARY_DIRS"
	vendorFiles = "__EGL_VENDOR_LIBRARY_FILENAMES"
)

// usualVendorDirs is where EGL's drivers are without vendorDirs. They stay behind the plain one, which may not load.
var usualVendorDirs = []string{"/etc/glvnd/egl_vendor.d", "/usr/share/glvnd/egl_vendor.d"}

// plainVendorDirs returns a value of vendorDirs with which EGL has a display that draws nothing (plainegl) and does not
// load Mesa. It is "" where the driver is not beside the program, where the user chose drivers, and where a GPU draws.
func plainVendorDirs(program, devices string) string {
	for _, name := range []string{vendorDirs, vendorFiles} {
		if _, set := os.LookupEnv(name); set {
			return ""
		}
	}
	if hasGPU(devices) {
		return ""
	}
	place := beside(program, "egl", "conch.json")
	if place == "" {
		return ""
	}
	return strings.Join(append([]string{place}, usualVendorDirs...), ":")
}
