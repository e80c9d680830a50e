// Package desktop shows the workbench in a window. The window is built only with the build tag
// "desktop", because it needs a web engine to link against. Without the tag the package says what to
// do instead.
//
// The page in the window uses the same API as a browser, through the window's own asset handler: no
// port is opened for it. Bound methods are for native functions only, such as the folder dialog.
package desktop
