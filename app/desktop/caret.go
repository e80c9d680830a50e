//go:build desktop && linux

package desktop

/*
#cgo pkg-config: gtk+-3.0

#include <gtk/gtk.h>

// A caret that rests changes once in half an hour.
static const int resting = 60 * 60 * 1000;

static gboolean rest_caret(gpointer rests) {
	static int usual = 0;
	GtkSettings *settings = gtk_settings_get_default();
	if (settings == NULL) {
		return G_SOURCE_REMOVE;
	}
	int now;
	g_object_get(settings, "gtk-cursor-blink-time", &now, NULL);
	if (now != resting) {
		usual = now;
	}
	g_object_set(settings, "gtk-cursor-blink-time", GPOINTER_TO_INT(rests) ? resting : usual, NULL);
	return G_SOURCE_REMOVE;
}

static void rest(int rests) { g_idle_add(rest_caret, GINT_TO_POINTER(rests)); }
*/
import "C"

// restCaret stops the blinking of the web view's own caret, or lets it blink as the desktop says. The editor draws
// another one and hides this one, whose blinking still makes the web view run at sixty pictures a second. A setting that
// forbids blinking would do worse: WebKitGTK 2.50 then takes 3 % of a core more. GTK does it on its own thread.
func restCaret(rests bool) {
	if rests {
		C.rest(1)
		return
	}
	C.rest(0)
}
