//go:build desktop && linux

package desktop

/*
#cgo webkit2_41 pkg-config: gtk+-3.0 webkit2gtk-4.1
#cgo !webkit2_41 pkg-config: gtk+-3.0 webkit2gtk-4.0

#include <gtk/gtk.h>
#include <webkit2/webkit2.h>

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
	in_a_row = now - last < IN_A_ROW ? in_a_row + 1 : 1;
	last = now;
	if (in_a_row <= MOST_IN_A_ROW) {
		g_timeout_add(200, load_again, g_object_ref(view));
	}
}

static void look_for_page(GtkWidget *widget, gpointer unused) {
	if (WEBKIT_IS_WEB_VIEW(widget)) {
		g_signal_connect(widget, "web-process-terminated", G_CALLBACK(ended), NULL);
	} else if (GTK_IS_CONTAINER(widget)) {
		gtk_container_foreach(GTK_CONTAINER(widget), look_for_page, NULL);
	}
}

static gboolean look(gpointer unused) {
	GList *windows = gtk_window_list_toplevels();
	for (GList *l = windows; l != NULL; l = l->next) {
		look_for_page(GTK_WIDGET(l->data), NULL);
	}
	g_list_free(windows);
	return G_SOURCE_REMOVE;
}

static void revive(void) { g_idle_add(look, NULL); }
*/
import "C"

// revive loads the page again when its process ends, by a crash or for lack of memory. Nothing is
// lost: the app has what was typed, and where the user was. GTK calls it on its own thread.
func revive() { C.revive() }
