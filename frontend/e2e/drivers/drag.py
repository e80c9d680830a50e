"""Drags a file from a window of its own, as a file manager does: drag.py FILE. Prints "ready"; ends with the drag."""

from __future__ import annotations

import ctypes as c
import sys
from pathlib import Path

gtk = c.CDLL("libgtk-3.so.0")
gobject = c.CDLL("libgobject-2.0.so.0")
for made in (gtk.gtk_window_new, gtk.gtk_event_box_new):
    made.restype = c.c_void_p

POPUP, BUTTON1, COPY = 1, 1 << 8, 2
DATA_GET = c.CFUNCTYPE(None, c.c_void_p, c.c_void_p, c.c_void_p, c.c_uint, c.c_uint, c.c_void_p)
ENDED = c.CFUNCTYPE(None, c.c_void_p, c.c_void_p, c.c_void_p)
MAPPED = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_void_p, c.c_void_p)


def main(path: str) -> None:
    """Show the window at the upper left corner, and wait until something was dragged out of it."""
    uris = (c.c_char_p * 2)(Path(path).as_uri().encode(), None)
    get = DATA_GET(lambda _w, _c, data, *_: gtk.gtk_selection_data_set_uris(c.c_void_p(data), uris) and None)
    end = ENDED(lambda *_: gtk.gtk_main_quit())
    mapped = MAPPED(lambda *_: print("ready", flush=True) or 0)
    gtk.gtk_init(None, None)
    window, box = c.c_void_p(gtk.gtk_window_new(POPUP)), c.c_void_p(gtk.gtk_event_box_new())
    gtk.gtk_window_set_default_size(window, 40, 40)
    gtk.gtk_container_add(window, box)
    gtk.gtk_drag_source_set(box, BUTTON1, None, 0, COPY)
    gtk.gtk_drag_source_add_uri_targets(box)
    for signal, act in ((b"drag-data-get", get), (b"drag-end", end)):
        gobject.g_signal_connect_data(box, signal, act, None, None, 0)
    # A press before the window is mapped goes to what lies below.
    gobject.g_signal_connect_data(window, b"map-event", mapped, None, None, 0)
    gtk.gtk_widget_show_all(window)
    gtk.gtk_main()


main(sys.argv[1])
