#include <stddef.h>

// The types of cuda.h that are needed, under its names.
typedef int CUresult;
typedef int CUdevice;
typedef void *CUcontext;
typedef void *CUstream;
typedef unsigned long long CUdeviceptr;
typedef struct {
  char reserved[64];
} CUipcMemHandle;

// conch_cuda is the driver's library: its functions under cuda.h's names, without their versions.
typedef struct {
  CUresult (*cuInit)(unsigned int flags);
  CUresult (*cuGetErrorString)(CUresult error, const char **text);
  CUresult (*cuDeviceGetCount)(int *count);
  CUresult (*cuDeviceGet)(CUdevice *device, int ordinal);
  CUresult (*cuDevicePrimaryCtxRetain)(CUcontext *context, CUdevice device);
  CUresult (*cuDevicePrimaryCtxRelease)(CUdevice device);
  CUresult (*cuCtxPushCurrent)(CUcontext context);
  CUresult (*cuCtxPopCurrent)(CUcontext *context);
  CUresult (*cuIpcOpenMemHandle)(CUdeviceptr *memory, CUipcMemHandle handle, unsigned int flags);
  CUresult (*cuIpcCloseMemHandle)(CUdeviceptr memory);
  CUresult (*cuMemGetAddressRange)(CUdeviceptr *begin, size_t *size, CUdeviceptr memory);
  CUresult (*cuMemcpyDtoH)(void *to, CUdeviceptr from, size_t size);
  CUresult (*cuMemcpyHtoD)(CUdeviceptr to, const void *from, size_t size);
  CUresult (*cuMemcpyDtoD)(CUdeviceptr to, CUdeviceptr from, size_t size);
  CUresult (*cuMemHostAlloc)(void **memory, size_t size, unsigned int flags);
  CUresult (*cuMemFreeHost)(void *memory);
  CUresult (*cuStreamSynchronize)(CUstream stream);
} conch_cuda;

// conch_cuda_memory is memory of another process, open on a device.
typedef struct {
  CUdevice device;
  CUcontext context;
  CUdeviceptr begin;
  size_t size;
} conch_cuda_memory;

// conch_cuda_load opens the library and finds its functions. It returns NULL, or why it cannot, for the caller to free.
char *conch_cuda_load(conch_cuda *cuda, const char *library);

// Each of these returns 0 or the driver's error. They leave the thread's context as it was.
CUresult conch_cuda_start(const conch_cuda *cuda);
CUresult conch_cuda_open(const conch_cuda *cuda, int ordinal, const void *handle, conch_cuda_memory *memory);
CUresult conch_cuda_close(const conch_cuda *cuda, const conch_cuda_memory *memory);
CUresult conch_cuda_read(const conch_cuda *cuda, const conch_cuda_memory *memory, void *to, size_t offset, size_t size);
CUresult conch_cuda_write(const conch_cuda *cuda, const conch_cuda_memory *memory, const void *from, size_t offset, size_t size);

// conch_cuda_enter keeps a device's primary context for good. The functions behind it work in such a context. Addresses are of this
// process, and what they name stays its owner's.
CUresult conch_cuda_enter(const conch_cuda *cuda, int ordinal, CUcontext *context);
CUresult conch_cuda_to(const conch_cuda *cuda, CUcontext context, CUdeviceptr to, const void *from, size_t size);
CUresult conch_cuda_from(const conch_cuda *cuda, CUcontext context, void *to, CUdeviceptr from, size_t size);
CUresult conch_cuda_within(const conch_cuda *cuda, CUcontext context, CUdeviceptr to, CUdeviceptr from, size_t size);

// conch_cuda_pin takes memory of this machine that all devices copy from and to directly.
CUresult conch_cuda_pin(const conch_cuda *cuda, CUcontext context, void **memory, size_t size);
CUresult conch_cuda_unpin(const conch_cuda *cuda, CUcontext context, void *memory);

// conch_cuda_text says what an error means.
const char *conch_cuda_text(const conch_cuda *cuda, CUresult error);
