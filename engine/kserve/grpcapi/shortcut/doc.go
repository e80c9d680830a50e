// Package shortcut serves the plain unary calls of one method at a lower cost than gRPC's own server. One goroutine reads a
// connection, decides, calls the handler and writes the answers of several calls together; gRPC hands each call from its
// reader to a handler and on to its writer, which costs wake-ups and system calls.
//
// A Conn lies between a client and gRPC's server, which takes it for the client's connection. Only a call that fits a narrow
// form is served here: headers of usual form, one message of a moderate size that has arrived as a whole, no compression.
// Every other call, and all else of the connection, is passed on to gRPC's server: other methods, streams, settings, the
// server's own pings, errors of the protocol. A call is passed on at any time before its handler is called.
//
// Both sides share what a connection has once. The headers of passed calls are written again without HPACK's table, so
// that each side has a state of its own. The window for sending belongs to the Conn: it holds what gRPC's server sends
// until the client takes it. Pings of clients are answered here, since only the Conn knows all calls.
//
// A client may send a few bytes that are much to do or to keep: headers that are in HPACK's table, a message's size, window
// updates, the end of a call. So what a frame costs must not grow with the number of calls, and what it makes must not wait in
// memory without a bound.
package shortcut
