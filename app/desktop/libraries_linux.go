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

// The reason of a failure is the thread's, so it is asked for before Go may go on in another one.
static void *open_all(const char *name, const char **reason) {
	void *handle = dlopen(name, RTLD_LAZY | RTLD_GLOBAL);
	*reason = handle ? NULL : dlerror();
	return handle;
}
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// openLibraries opens the libraries of the window. The program is not linked with them (build/latebind), so that the
// engine and all other commands start without them; the linker finds each function at its first call. mute are libraries
// in the place of some that WebKit is linked with. They have the functions that one WebKit asks for; another one, which
// asks for more, does not open with them, and its processes would not start.
func openLibraries(mute []string) error {
	if err := openAll(append(mute, webKit)); err == nil {
		return nil
	}
	takeBack(libraryPath)
	if err := openAll([]string{webKit}); err != nil {
		return fmt.Errorf("%w: %w", ErrNoLibraries, err)
	}
	return nil
}

// openAll opens libraries in this order, all or none.
func openAll(names []string) error {
	var opened []unsafe.Pointer
	for _, name := range names {
		n := C.CString(name)
		var reason *C.char
		handle := C.open_all(n, &reason)
		C.free(unsafe.Pointer(n))
		if handle == nil {
			err := errors.New(C.GoString(reason))
			for _, h := range opened {
				C.dlclose(h)
			}
			return err
		}
		opened = append(opened, handle)
	}
	return nil
}
