// Package desktop puts the workbench into a window. The window is built with the build tag "desktop" only, because
// it needs a web engine to link against; without the tag the package says what to do instead.
//
// The page in the window speaks the same API as a browser, by way of the window's own asset handler: no port is
// opened for it. Bound methods serve native things only, such as the folder dialog.
package desktop
