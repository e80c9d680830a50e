package desktop

import (
	"errors"
	"os"
	"path/filepath"
)

// plain are the variables that make GTK and WebKitGTK paint without OpenGL. WebKit still asks OpenGL in this process which
// device draws, and only then follows the settings of the desktop; plainegl answers it.
var plain = map[string]string{
	"WEBKIT_DISABLE_COMPOSITING_MODE": "1",       // WebKit paints the page itself
	"WEBKIT_DISABLE_DMABUF_RENDERER":  "1",       // and gives it to the window in plain memory
	"GDK_GL":                          "disable", // GTK looks for no OpenGL on the screen, which loads all of Mesa
}

// paintPlain makes the window paint without OpenGL where no GPU draws: there OpenGL is a program that
// computes every pixel, which costs 100 MB more, makes the start longer, and keeps the processor busy while the cursor
// blinks. A value that the user has set stays. It is called before the first window.
func paintPlain(devices string) error {
	if hasGPU(devices) {
		return nil
	}
	return setMissing(plain)
}

// setMissing sets the variables of the environment that the user has not set.
func setMissing(variables map[string]string) error {
	var all []error
	for name, value := range variables {
		if _, set := os.LookupEnv(name); !set {
			all = append(all, os.Setenv(name, value))
		}
	}
	return errors.Join(all...)
}

// hasGPU reports whether a device draws for programs. devices is the folder /dev/dri.
func hasGPU(devices string) bool {
	nodes, err := filepath.Glob(filepath.Join(devices, "renderD*"))
	return err == nil && len(nodes) > 0
}
