// An ONNX Runtime for tests whose GPU is the processor: what is said to be in a GPU's memory is in that of the process. It writes
// to the file $GPU_REPORT what it was told: each tensor on a GPU, and each tensor in pinned memory with its size.
#include "../ort/ort_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const OrtApiBase *base;
static const OrtApi *real;
static OrtApi table;

// The kinds of memory, the allocator and the piece of pinned memory that are in use: the test has one of each at a time.
static const OrtMemoryInfo *on_gpu, *in_pinned;
static OrtAllocator *pinned;
static char *piece;
static size_t piece_size;

static void report(const char *what, long number) {
  FILE *f = fopen(getenv("GPU_REPORT"), "a");
  fprintf(f, "%s %ld\n", what, number);
  fclose(f);
}

static OrtStatus *my_CreateMemoryInfo(const char *name, int allocator, int device, int memory, OrtMemoryInfo **info) {
  OrtStatus *status = real->CreateCpuMemoryInfo(allocator, 0, info);
  if (strcmp(name, "Cuda") == 0 && allocator == 0 && memory == 0) {
    on_gpu = *info;
    report("device", device);
  }
  if (strcmp(name, "CudaPinned") == 0 && allocator == 0 && memory == -1) in_pinned = *info;
  return status;
}

static void my_ReleaseMemoryInfo(OrtMemoryInfo *info) {
  if (info == on_gpu) on_gpu = NULL;
  if (info == in_pinned) in_pinned = NULL;
  real->ReleaseMemoryInfo(info);
}

static OrtStatus *my_CreateAllocator(const OrtSession *session, const OrtMemoryInfo *info, OrtAllocator **out) {
  if (info == in_pinned && getenv("GPU_WITHOUT_PINNED") != NULL) return real->CreateStatus(1, "No requested allocator available");
  OrtStatus *status = real->CreateAllocator(session, info, out);
  if (status == NULL && info == in_pinned) pinned = *out;
  return status;
}

static OrtStatus *my_AllocatorAlloc(OrtAllocator *allocator, size_t bytes, void **out) {
  OrtStatus *status = real->AllocatorAlloc(allocator, bytes, out);
  if (status == NULL && allocator == pinned) {
    piece = *out;
    piece_size = bytes;
    report("pinned", (long)bytes);
  }
  return status;
}

static OrtStatus *my_AllocatorFree(OrtAllocator *allocator, void *p) {
  if (p != NULL && p == piece) {
    piece = NULL;
    report("freed", (long)piece_size);
  }
  return real->AllocatorFree(allocator, p);
}

static OrtStatus *my_CreateTensorWithDataAsOrtValue(const OrtMemoryInfo *info, void *data, size_t bytes, const int64_t *shape,
                                                    size_t rank, int type, OrtValue **out) {
  if (info == on_gpu) report("on the GPU", (long)bytes);
  if (piece != NULL && (char *)data >= piece && (char *)data + bytes <= piece + piece_size) report("joined", (long)bytes);
  return real->CreateTensorWithDataAsOrtValue(info, data, bytes, shape, rank, type, out);
}

// A machine with a processor, a GPU and an accelerator for neural networks, each for one provider.
static const char processor, radeon, npu;
static const char *const devices[] = {&processor, &radeon, &npu};

static OrtStatus *my_GetEpDevices(const OrtEnv *env, const OrtEpDevice *const **list, size_t *count) {
  (void)env;
  *list = (const OrtEpDevice *const *)devices;
  *count = sizeof devices / sizeof *devices;
  return NULL;
}

static const OrtHardwareDevice *my_EpDevice_Device(const OrtEpDevice *device) { return (const OrtHardwareDevice *)device; }

static int is(const void *device, const char *other) { return device == (const void *)other; }

static const char *my_EpDevice_EpName(const OrtEpDevice *device) {
  return is(device, &processor) ? "CPUExecutionProvider" : is(device, &radeon) ? "WebGpuExecutionProvider" : "QNNExecutionProvider";
}

static int my_HardwareDevice_Type(const OrtHardwareDevice *device) { return is(device, &processor) ? 0 : is(device, &radeon) ? 1 : 2; }

static uint32_t my_HardwareDevice_VendorId(const OrtHardwareDevice *device) { return is(device, &radeon) ? 0x1002 : 0x5143; }

static const char *my_HardwareDevice_Vendor(const OrtHardwareDevice *device) { return is(device, &radeon) ? "AMD" : ""; }

static uint32_t my_HardwareDevice_DeviceId(const OrtHardwareDevice *device) { return is(device, &radeon) ? 0x744c : 1; }

static const OrtKeyValuePairs *my_HardwareDevice_Metadata(const OrtHardwareDevice *device) {
  (void)device;
  return NULL;
}

static const OrtApi *get_api(uint32_t version) {
  real = base->GetApi(version);
  if (real == NULL) return NULL;
  table = *real;
#define TAKE(name) table.name = my_##name
  TAKE(CreateMemoryInfo), TAKE(ReleaseMemoryInfo), TAKE(CreateAllocator), TAKE(AllocatorAlloc), TAKE(AllocatorFree);
  TAKE(CreateTensorWithDataAsOrtValue), TAKE(GetEpDevices), TAKE(EpDevice_Device), TAKE(EpDevice_EpName);
  TAKE(HardwareDevice_Type), TAKE(HardwareDevice_VendorId), TAKE(HardwareDevice_Vendor), TAKE(HardwareDevice_DeviceId);
  TAKE(HardwareDevice_Metadata);
  return &table;
}

static const char *version(void) { return base->GetVersionString(); }

const OrtApiBase *OrtGetApiBase(void) {
  static const OrtApiBase mine = {get_api, version};
  void *library = dlopen(getenv("GPU_REAL"), RTLD_NOW | RTLD_LOCAL);
  base = ((const OrtApiBase *(*)(void))dlsym(library, "OrtGetApiBase"))();
  return &mine;
}
