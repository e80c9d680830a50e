package grpcapi

import (
	"context"

	"conch/engine/kserve"
	"conch/engine/kserve/kservepb"
)

// The calls for shared memory answer like a server with shared memory switched off
// (docs/triton/http.md, "Shared memory").

func noRegion(kind, name string) error {
	if name == "" {
		return nil
	}
	return kserve.NoRegion(kind, name)
}

// SystemSharedMemoryStatus lists no region.
func (s *server) SystemSharedMemoryStatus(_ context.Context, req *kservepb.SystemSharedMemoryStatusRequest) (*kservepb.SystemSharedMemoryStatusResponse, error) {
	return answer(&kservepb.SystemSharedMemoryStatusResponse{}, noRegion("system", req.GetName()))
}

// SystemSharedMemoryRegister is refused.
func (s *server) SystemSharedMemoryRegister(context.Context, *kservepb.SystemSharedMemoryRegisterRequest) (*kservepb.SystemSharedMemoryRegisterResponse, error) {
	return nil, statusOf(kserve.NoSharedMemory())
}

// SystemSharedMemoryUnregister is refused.
func (s *server) SystemSharedMemoryUnregister(context.Context, *kservepb.SystemSharedMemoryUnregisterRequest) (*kservepb.SystemSharedMemoryUnregisterResponse, error) {
	return nil, statusOf(kserve.NoSharedMemory())
}

// CudaSharedMemoryStatus lists no region.
func (s *server) CudaSharedMemoryStatus(_ context.Context, req *kservepb.CudaSharedMemoryStatusRequest) (*kservepb.CudaSharedMemoryStatusResponse, error) {
	return answer(&kservepb.CudaSharedMemoryStatusResponse{}, noRegion("cuda", req.GetName()))
}

// CudaSharedMemoryRegister is refused.
func (s *server) CudaSharedMemoryRegister(context.Context, *kservepb.CudaSharedMemoryRegisterRequest) (*kservepb.CudaSharedMemoryRegisterResponse, error) {
	return nil, statusOf(kserve.NoSharedMemory())
}

// CudaSharedMemoryUnregister is refused.
func (s *server) CudaSharedMemoryUnregister(context.Context, *kservepb.CudaSharedMemoryUnregisterRequest) (*kservepb.CudaSharedMemoryUnregisterResponse, error) {
	return nil, statusOf(kserve.NoSharedMemory())
}
