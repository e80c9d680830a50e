package desktop

import (
	"os"
	"path/filepath"
)

// noCompositing is WebKitGTK's variable that makes it paint the page itself.
const noCompositing = "WEBKIT_DISABLE_COMPOSITING_MODE"

// paintPlain makes WebKit paint the page without OpenGL where no GPU draws: there OpenGL is a program
// that computes every pixel, which costs 100 MB more and keeps the processor busy while the cursor
// blinks. A value that the user has set stays. It is called before the first window.
func paintPlain(devices string) error {
	if _, set := os.LookupEnv(noCompositing); set || hasGPU(devices) {
		return nil
	}
	return os.Setenv(noCompositing, "1")
}

// hasGPU reports whether a device draws for programs. devices is the folder /dev/dri.
func hasGPU(devices string) bool {
	nodes, err := filepath.Glob(filepath.Join(devices, "renderD*"))
	return err == nil && len(nodes) > 0
}
