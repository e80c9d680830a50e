// Package framing refuses requests of HTTP/1.0 that say Transfer-Encoding. HTTP/1.0 knows no chunks. A server must take such a
// request for one whose end it does not know, and close the connection (RFC 9112, 6.1): what one server takes for the body, another
// takes for the next request. Go's net/http drops the line instead, so that no handler sees it.
//
// The package reads no request. It only notes that a line of a connection began with that name, and Go's library alone
// finds where requests end. So a binary tensor of an HTTP/1.0 client that has such a line may be refused, and nothing worse.
package framing
