// Package arrival watches the bytes that come in on the connections of a gRPC server. gRPC reads a whole message
// before anybody sees it. This package counts its bytes in the engine's budget as they arrive. It ends a call when
// there are too many bytes, when its message announces too large a size, or when the message stops in the middle.
//
// A Gate puts itself between a connection and gRPC as the connection's credentials. It reads the frames' headers and
// the messages' prefixes and changes nothing. It knows the call of a frame because it passes on one header of a call
// at a time. When gRPC asks about a new call (its tap), that is the call whose header was passed on last.
package arrival
