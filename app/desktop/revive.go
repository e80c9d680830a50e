//go:build desktop && linux

package desktop

/*
#cgo webkit2_41 pkg-config: gtk+-3.0 webkit2gtk-4.1
#cgo !webkit2_41 pkg-config: gtk+-3.0 webkit2gtk-4.0

#include <stdlib.h>
#include "webview.h"

extern void conchTakeBackAll(void);

// A page that ends again and again is not loaded forever.
enum { MOST_IN_A_ROW = 5 };
static const gint64 IN_A_ROW = 60 * G_USEC_PER_SEC;

static gboolean load_again(gpointer view) {
	webkit_web_view_reload(WEBKIT_WEB_VIEW(view));
	g_object_unref(view);
	return G_SOURCE_REMOVE;
}

static void ended(WebKitWebView *view, WebKitWebProcessTerminationReason reason, gpointer unused) {
	static gint64 last;
	static int in_a_row;
	gint64 now = g_get_monotonic_time();
	// Perhaps it ended since it wants to draw, or to speak: the next one has the usual libraries.
	conchTakeBackAll();
	in_a_row = now - last < IN_A_ROW ? in_a_row + 1 : 1;
	last = now;
	if (in_a_row <= MOST_IN_A_ROW) {
		g_timeout_add(200, load_again, g_object_ref(view));
	}
}

static void watch(WebKitWebView *page, gpointer unused) {
	g_signal_connect(page, "web-process-terminated", G_CALLBACK(ended), NULL);
}

static gboolean look(gpointer unused) {
	for_page(watch, NULL);
	return G_SOURCE_REMOVE;
}

static void revive(void) { g_idle_add(look, NULL); }
*/
import "C"

// revive loads the page again when its process ends, by a crash or for lack of memory. Nothing is
// lost: the app has what was typed, and where the user was. GTK calls it on its own thread.
func revive() { C.revive() }
