// Package origin decides whether a web page may send an HTTP request. Browsers say in headers which name the page
// used for this server (Host), and of which site the page is (Origin, Sec-Fetch-Site). Every HTTP port of Conch uses
// this package, so that a web page that is open on this machine cannot use what is meant for programs on it.
//
// The package does not identify clients: a program can send any headers.
package origin
