// Package shortcut serves the plain requests of an HTTP port at a lower cost than net/http. One goroutine reads a
// connection, calls the handler and writes the answer; net/http also reads in the background while a handler runs, which
// costs a wake-up and several system calls for each request.
//
// Only a request that fits a narrow form is served here: an inference, a question about a model or the server's health, with
// a head of usual characters and a small body of a known length (head.go). With anything else, the connection goes to net/http
// for good, with all bytes that were read from it. So net/http alone decides about all that is unusual or broken: other routes,
// long and slow requests, chunks, pipelines, upgrades, web pages, TLS. The handler and the clients must not see a difference; a
// fuzz test compares both ways.
//
// A handler is called as net/http calls it, with one difference: the request's context does not end when the client
// leaves. Requests that should end then are not served here.
package shortcut
