package grpcapi

import (
	"context"
	"crypto/subtle"
	"path"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"conch/engine/infer"
	"conch/engine/kserve"
)

// RestrictedPrefix comes before the key of a restriction in a call's metadata.
const RestrictedPrefix = "triton-grpc-protocol-"

// categories are the groups of the calls (docs/triton/http.md, "Restricted APIs"); Check is the
// health service's.
var categories = map[string]string{
	"ServerLive": "health", "ServerReady": "health", "ModelReady": "health", "Check": "health",
	"ServerMetadata": "metadata", "ModelMetadata": "metadata",
	"ModelInfer": "inference", "ModelStreamInfer": "inference",
	"SystemSharedMemoryStatus": "shared-memory", "SystemSharedMemoryRegister": "shared-memory", "SystemSharedMemoryUnregister": "shared-memory",
	"CudaSharedMemoryStatus": "shared-memory", "CudaSharedMemoryRegister": "shared-memory", "CudaSharedMemoryUnregister": "shared-memory",
	"ModelConfig": "model-config", "ModelStatistics": "statistics", "TraceSetting": "trace", "LogSettings": "logging",
	"RepositoryIndex": "model-repository", "RepositoryModelLoad": "model-repository", "RepositoryModelUnload": "model-repository",
}

// guard allows the calls that have the required metadata.
type guard struct{ restricted kserve.Restrictions }

func (g guard) check(ctx context.Context, method string) error {
	restriction, restricted := g.restricted[categories[path.Base(method)]]
	if !restricted {
		return nil
	}
	values := metadata.ValueFromIncomingContext(ctx, restriction.Key)
	if len(values) > 0 && subtle.ConstantTimeCompare([]byte(values[0]), []byte(restriction.Value)) == 1 {
		return nil
	}
	return statusOf(infer.Errorf(infer.Unavailable, "This protocol is restricted, expecting header '%s'", restriction.Key))
}

func (g guard) unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if err := g.check(ctx, info.FullMethod); err != nil {
		return nil, err
	}
	return next(ctx, req)
}

func (g guard) stream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	if err := g.check(stream.Context(), info.FullMethod); err != nil {
		return err
	}
	return next(srv, stream)
}
