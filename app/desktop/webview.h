// The page in the window, for the files of this package that ask WebKitGTK for what Wails does not offer.
#include <gtk/gtk.h>
#include <webkit2/webkit2.h>

typedef void (*with_page)(WebKitWebView *page, gpointer data);

typedef struct {
	with_page call;
	gpointer data;
} page_call;

static inline void look_for_page(GtkWidget *widget, gpointer data) {
	page_call *c = data;
	if (WEBKIT_IS_WEB_VIEW(widget)) {
		c->call(WEBKIT_WEB_VIEW(widget), c->data);
	} else if (GTK_IS_CONTAINER(widget)) {
		gtk_container_foreach(GTK_CONTAINER(widget), look_for_page, c);
	}
}

// Calls a function with the page. GTK's own thread may call it, and no other.
static inline void for_page(with_page call, gpointer data) {
	page_call c = {call, data};
	GList *windows = gtk_window_list_toplevels();
	for (GList *l = windows; l != NULL; l = l->next) {
		look_for_page(GTK_WIDGET(l->data), &c);
	}
	g_list_free(windows);
}
