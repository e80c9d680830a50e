// Package rest calls a server by the HTTP form of KServe's protocol, with the binary tensors of Triton's
// extension. A Conn is a grpc.ClientConnInterface, so that callers use the one generated client for both
// roads; errors are gRPC statuses. It has no streams: a model that answers several times is asked over gRPC.
//
// Answers are bounded. No redirect is followed, so that headers go nowhere else. A Conn is safe for
// concurrent use.
package rest
