//go:build desktop && linux && webkit2_41

package desktop

// webKit is the library that brings all others of the window.
const webKit = "libwebkit2gtk-4.1.so.0"
