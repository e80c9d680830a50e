// Package grpcapi serves a kserve.Service over Triton's gRPC protocol (docs/triton/grpc.md), with
// grpc.health.v1 and, unlike Triton, server reflection, so that grpcurl works without a .proto
// file.
//
// Register adds the services to any server: the public port and the workbench's private socket
// share them. A request's raw tensors are passed on as they were received; an answer is encoded
// once, while the backend's memory is valid, and sent when the model is free again.
package grpcapi
