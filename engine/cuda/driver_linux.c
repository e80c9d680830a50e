#include "driver_linux.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAZY_ENABLE_PEER_ACCESS = 1, NO_DEVICE = 100 };

char *conch_cuda_load(conch_cuda *cuda, const char *library) {
  struct {
    const char *name;
    void *at;
  } functions[] = {
      {"cuInit", &cuda->cuInit},
      {"cuGetErrorString", &cuda->cuGetErrorString},
      {"cuDeviceGetCount", &cuda->cuDeviceGetCount},
      {"cuDeviceGet", &cuda->cuDeviceGet},
      {"cuDevicePrimaryCtxRetain", &cuda->cuDevicePrimaryCtxRetain},
      {"cuDevicePrimaryCtxRelease_v2", &cuda->cuDevicePrimaryCtxRelease},
      {"cuCtxPushCurrent_v2", &cuda->cuCtxPushCurrent},
      {"cuCtxPopCurrent_v2", &cuda->cuCtxPopCurrent},
      {"cuIpcOpenMemHandle_v2", &cuda->cuIpcOpenMemHandle},
      {"cuIpcCloseMemHandle", &cuda->cuIpcCloseMemHandle},
      {"cuMemGetAddressRange_v2", &cuda->cuMemGetAddressRange},
      {"cuMemcpyDtoH_v2", &cuda->cuMemcpyDtoH},
      {"cuMemcpyHtoD_v2", &cuda->cuMemcpyHtoD},
      {"cuMemcpyDtoD_v2", &cuda->cuMemcpyDtoD},
      {"cuMemHostAlloc", &cuda->cuMemHostAlloc},
      {"cuMemFreeHost", &cuda->cuMemFreeHost},
      {"cuStreamSynchronize", &cuda->cuStreamSynchronize},
  };
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return strdup(dlerror());
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    void *function = dlsym(handle, functions[i].name);
    if (function == NULL) {
      char text[512];
      snprintf(text, sizeof text, "%s has no function %s: the driver is too old", library, functions[i].name);
      dlclose(handle);  // nothing of it has been started
      return strdup(text);
    }
    memcpy(functions[i].at, &function, sizeof function);
  }
  return NULL;  // the library stays open: the driver does not survive its end
}

CUresult conch_cuda_start(const conch_cuda *cuda) {
  CUresult error = cuda->cuInit(0);
  int count = 0;
  if (error == 0) error = cuda->cuDeviceGetCount(&count);
  return error == 0 && count == 0 ? NO_DEVICE : error;
}

// enter makes a context the thread's. A context belongs to a thread, and Go changes threads between calls.
static CUresult enter(const conch_cuda *cuda, CUcontext context) { return cuda->cuCtxPushCurrent(context); }

static void leave(const conch_cuda *cuda) {
  CUcontext context;
  cuda->cuCtxPopCurrent(&context);
}

// map opens a handle in the thread's context. size is what is there behind the handle's beginning.
static CUresult map(const conch_cuda *cuda, const void *handle, conch_cuda_memory *memory) {
  CUipcMemHandle ipc;
  memcpy(&ipc, handle, sizeof ipc);
  CUresult error = cuda->cuIpcOpenMemHandle(&memory->begin, ipc, LAZY_ENABLE_PEER_ACCESS);
  if (error != 0) return error;
  CUdeviceptr base = 0;
  size_t size = 0;
  error = cuda->cuMemGetAddressRange(&base, &size, memory->begin);
  if (error != 0) {
    cuda->cuIpcCloseMemHandle(memory->begin);
    return error;
  }
  memory->size = base <= memory->begin && memory->begin - base <= size ? size - (memory->begin - base) : 0;
  return 0;
}

CUresult conch_cuda_open(const conch_cuda *cuda, int ordinal, const void *handle, conch_cuda_memory *memory) {
  CUresult error = cuda->cuDeviceGet(&memory->device, ordinal);
  if (error == 0) error = cuda->cuDevicePrimaryCtxRetain(&memory->context, memory->device);
  if (error != 0) return error;
  error = enter(cuda, memory->context);
  if (error == 0) {
    error = map(cuda, handle, memory);
    leave(cuda);
  }
  if (error != 0) cuda->cuDevicePrimaryCtxRelease(memory->device);
  return error;
}

CUresult conch_cuda_close(const conch_cuda *cuda, const conch_cuda_memory *memory) {
  CUresult error = enter(cuda, memory->context);
  if (error == 0) {
    error = cuda->cuIpcCloseMemHandle(memory->begin);
    leave(cuda);
  }
  CUresult released = cuda->cuDevicePrimaryCtxRelease(memory->device);
  return error != 0 ? error : released;
}

CUresult conch_cuda_enter(const conch_cuda *cuda, int ordinal, CUcontext *context) {
  CUdevice device = 0;
  CUresult error = cuda->cuDeviceGet(&device, ordinal);
  return error != 0 ? error : cuda->cuDevicePrimaryCtxRetain(context, device);
}

CUresult conch_cuda_from(const conch_cuda *cuda, CUcontext context, void *to, CUdeviceptr from, size_t size) {
  CUresult error = enter(cuda, context);
  if (error != 0) return error;
  error = cuda->cuMemcpyDtoH(to, from, size);
  leave(cuda);
  return error;
}

// arrived waits for a copy to a device. It may have come no further than memory of the driver's own, or have only begun: another
// process, and work on another stream, read its end as soon as they are told of it.
static CUresult arrived(const conch_cuda *cuda, CUresult error) { return error == 0 ? cuda->cuStreamSynchronize(NULL) : error; }

CUresult conch_cuda_to(const conch_cuda *cuda, CUcontext context, CUdeviceptr to, const void *from, size_t size) {
  CUresult error = enter(cuda, context);
  if (error != 0) return error;
  error = arrived(cuda, cuda->cuMemcpyHtoD(to, from, size));
  leave(cuda);
  return error;
}

CUresult conch_cuda_within(const conch_cuda *cuda, CUcontext context, CUdeviceptr to, CUdeviceptr from, size_t size) {
  CUresult error = enter(cuda, context);
  if (error != 0) return error;
  error = arrived(cuda, cuda->cuMemcpyDtoD(to, from, size));
  leave(cuda);
  return error;
}

CUresult conch_cuda_read(const conch_cuda *cuda, const conch_cuda_memory *memory, void *to, size_t offset, size_t size) {
  return conch_cuda_from(cuda, memory->context, to, memory->begin + offset, size);
}

CUresult conch_cuda_write(const conch_cuda *cuda, const conch_cuda_memory *memory, const void *from, size_t offset, size_t size) {
  return conch_cuda_to(cuda, memory->context, memory->begin + offset, from, size);
}

CUresult conch_cuda_pin(const conch_cuda *cuda, CUcontext context, void **memory, size_t size) {
  enum { PORTABLE = 1 };
  CUresult error = enter(cuda, context);
  if (error != 0) return error;
  error = cuda->cuMemHostAlloc(memory, size, PORTABLE);
  leave(cuda);
  return error;
}

CUresult conch_cuda_unpin(const conch_cuda *cuda, CUcontext context, void *memory) {
  CUresult error = enter(cuda, context);
  if (error != 0) return error;
  error = cuda->cuMemFreeHost(memory);
  leave(cuda);
  return error;
}

const char *conch_cuda_text(const conch_cuda *cuda, CUresult error) {
  const char *text = NULL;
  if (cuda->cuGetErrorString(error, &text) != 0) return NULL;
  return text;
}
