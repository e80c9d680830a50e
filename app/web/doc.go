// Package web serves the workbench to a browser: the frontend's files and, below /api, the API that
// the window uses too. It listens on loopback unless an address is given. To reach the port is not
// enough to use the API: a client needs a token, which is kept in a file of the user and printed as a
// part of the address. Requests must name this server as their host, which stops a page that rebinds
// its name to 127.0.0.1. Scripts of other pages are refused by their origin.
package web
