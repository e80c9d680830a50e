package grpcapi

import (
	"context"

	"conch/engine/kserve/kservepb"
	"conch/engine/kserve/region"
)

// SystemSharedMemoryStatus lists the registered regions.
func (s *server) SystemSharedMemoryStatus(_ context.Context, req *kservepb.SystemSharedMemoryStatusRequest) (*kservepb.SystemSharedMemoryStatusResponse, error) {
	list, err := s.opts.Regions.Status(region.System, req.GetName())
	out := &kservepb.SystemSharedMemoryStatusResponse{Regions: make(map[string]*kservepb.SystemSharedMemoryStatusResponse_RegionStatus, len(list))}
	for _, r := range list {
		out.Regions[r.Name] = &kservepb.SystemSharedMemoryStatusResponse_RegionStatus{Name: r.Name, Key: r.Key, Offset: r.Offset, ByteSize: r.Size}
	}
	return answer(out, err)
}

// SystemSharedMemoryRegister registers a region.
func (s *server) SystemSharedMemoryRegister(_ context.Context, req *kservepb.SystemSharedMemoryRegisterRequest) (*kservepb.SystemSharedMemoryRegisterResponse, error) {
	err := s.opts.Regions.Register(req.GetName(), req.GetKey(), req.GetOffset(), req.GetByteSize())
	return answer(&kservepb.SystemSharedMemoryRegisterResponse{}, err)
}

// SystemSharedMemoryUnregister removes a region, or all without a name.
func (s *server) SystemSharedMemoryUnregister(_ context.Context, req *kservepb.SystemSharedMemoryUnregisterRequest) (*kservepb.SystemSharedMemoryUnregisterResponse, error) {
	return answer(&kservepb.SystemSharedMemoryUnregisterResponse{}, s.opts.Regions.Unregister(region.System, req.GetName()))
}

// CudaSharedMemoryStatus lists the registered regions of GPUs.
func (s *server) CudaSharedMemoryStatus(_ context.Context, req *kservepb.CudaSharedMemoryStatusRequest) (*kservepb.CudaSharedMemoryStatusResponse, error) {
	list, err := s.opts.Regions.Status(region.CUDA, req.GetName())
	out := &kservepb.CudaSharedMemoryStatusResponse{Regions: make(map[string]*kservepb.CudaSharedMemoryStatusResponse_RegionStatus, len(list))}
	for _, r := range list {
		out.Regions[r.Name] = &kservepb.CudaSharedMemoryStatusResponse_RegionStatus{Name: r.Name, DeviceId: r.Device, ByteSize: r.Size}
	}
	return answer(out, err)
}

// CudaSharedMemoryRegister registers a region of a GPU.
func (s *server) CudaSharedMemoryRegister(_ context.Context, req *kservepb.CudaSharedMemoryRegisterRequest) (*kservepb.CudaSharedMemoryRegisterResponse, error) {
	err := s.opts.Regions.RegisterCUDA(req.GetName(), req.GetRawHandle(), req.GetDeviceId(), req.GetByteSize())
	return answer(&kservepb.CudaSharedMemoryRegisterResponse{}, err)
}

// CudaSharedMemoryUnregister removes a region of a GPU, or all without a name.
func (s *server) CudaSharedMemoryUnregister(_ context.Context, req *kservepb.CudaSharedMemoryUnregisterRequest) (*kservepb.CudaSharedMemoryUnregisterResponse, error) {
	return answer(&kservepb.CudaSharedMemoryUnregisterResponse{}, s.opts.Regions.Unregister(region.CUDA, req.GetName()))
}
