//go:build desktop && linux

package desktop

/*
#cgo LDFLAGS: -ldl
#cgo webkit2_41 pkg-config: gtk+-3.0
#cgo !webkit2_41 pkg-config: gtk+-3.0

#include <dlfcn.h>
#include <stdlib.h>
#include <gtk/gtk.h>

// Wails takes the address of this function of GTK, which the linker would look for at the start.
gboolean gtk_widget_hide_on_delete(GtkWidget *widget) {
	gtk_widget_hide(widget);
	return TRUE;
}

static const char *open_all(const char *name) { return dlopen(name, RTLD_LAZY | RTLD_GLOBAL) == NULL ? dlerror() : NULL; }
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// openLibraries opens the libraries of the window. The program is not linked with them (build/latebind), so that the
// engine and all other commands start without them; the linker finds each function at its first call.
func openLibraries() error {
	name := C.CString(webKit)
	defer C.free(unsafe.Pointer(name))
	if problem := C.open_all(name); problem != nil {
		return fmt.Errorf("%w: %s", ErrNoLibraries, C.GoString(problem))
	}
	return nil
}
