// Package remote follows a Triton server elsewhere, over gRPC or HTTP. It tells the same enginehost.Updates as
// the engine of this machine, as far as Triton's protocol has them: a server does not say when something
// changes, so it is asked once a second. While it does not answer, it is asked more and more seldom.
//
// Every call has a deadline, and what a server sends is bounded. Calls to a server that has fallen silent
// end after a while. A Server is safe for concurrent use; it sends updates one after the other.
package remote
