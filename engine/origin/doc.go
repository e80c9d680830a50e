// Package origin says where an HTTP request comes from, by what a browser adds to it: the name that its page used for this
// server (Host), and the site of the page (Origin, Sec-Fetch-Site). Every HTTP port of Conch asks it, so that a web page
// which happens to be open on this machine cannot use what only programs on this machine should.
//
// It does not say who the client is: a program sends whatever headers it likes.
package origin
