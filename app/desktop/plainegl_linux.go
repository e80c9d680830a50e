//go:build desktop && linux

package desktop

import "os"

// loadPlainEGL has WebKit's processes take the driver of EGL that draws nothing.
func loadPlainEGL(devices string) {
	program, err := os.Executable()
	if err != nil {
		return
	}
	if dirs := plainVendorDirs(program, devices); dirs != "" {
		give(vendorDirs, dirs)
	}
}
