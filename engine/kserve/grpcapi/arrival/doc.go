// Package arrival watches what comes in on the connections of a gRPC server. gRPC reads a message whole before it shows it
// to anybody; here its bytes are counted in the engine's budget as they arrive, and a call is ended where they are too many,
// where its message says that it will be too large, or where it stops in the middle.
//
// A Gate puts itself between a connection and gRPC as the connection's credentials. It reads the frames' headers and the
// messages' prefixes and changes nothing. It knows which call a frame belongs to because it hands on no more than one header
// of a call at a time: when gRPC asks about a new call (its tap), that is the call whose header was handed on last.
package arrival
