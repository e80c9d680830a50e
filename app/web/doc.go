// Package web serves the workbench to a browser: the frontend's files and, below /api, the same API that the
// window uses. It listens on loopback unless told otherwise, and trusts nobody who merely reaches the port:
// the API wants a token, which is kept in a file of the user's and printed as a part of the address, requests must name this server as their host (a page that rebinds
// its name to 127.0.0.1 does not), and scripts of other pages are refused by their origin.
package web
