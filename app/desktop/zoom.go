//go:build desktop && linux

package desktop

/*
#cgo webkit2_41 pkg-config: gtk+-3.0 webkit2gtk-4.1
#cgo !webkit2_41 pkg-config: gtk+-3.0 webkit2gtk-4.0

#include "webview.h"

static void set(WebKitWebView *page, gpointer percent) {
	webkit_web_view_set_zoom_level(page, GPOINTER_TO_INT(percent) / 100.0);
}

static gboolean set_all(gpointer percent) {
	for_page(set, percent);
	return G_SOURCE_REMOVE;
}

static void zoom(int percent) { g_idle_add(set_all, GINT_TO_POINTER(percent)); }
*/
import "C"

// zoom shows the page in another size. As in a browser, the page has fewer and larger pixels then, so
// that everything it measures stays right. GTK does it on its own thread.
func zoom(percent int) { C.zoom(C.int(percent)) }
