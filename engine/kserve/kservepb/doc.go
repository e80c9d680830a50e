// Package kservepb is Triton's gRPC protocol (KServe v2 with its extensions), generated from grpc_service.proto.
package kservepb
