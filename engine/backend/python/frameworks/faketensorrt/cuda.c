// A fake of CUDA's driver, for tests on machines without a GPU. It is as strict as a GPU, and stricter where that shows mistakes:
//   - addresses of the device cannot be used by the processor, and each use is held against what was allocated;
//   - work of a stream is done when somebody waits for the stream, and not before: host memory that is gone by then is read.
// FAKE_GPUS is how many GPUs there are; their compute capability is 8.6. FAKE_ODD is the number of one of another kind.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, INVALID = 1, OUT_OF_MEMORY = 2, NO_CONTEXT = 201, BAD_ADDRESS = 700, NO_DEVICE = 100, MOST = 1024 };
#define DEVICE_BIT (1ull << 62)
#define BIGGEST (1ull << 30)

typedef void (*work)(void);
typedef struct { uint64_t to, from; size_t size; int to_device; work run; } step;
typedef struct { step steps[MOST]; int count; } stream;

static struct { uint64_t address; size_t size; } blocks[MOST];
static int contexts, streams;
static __thread int current;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int gpus(void) { const char *n = getenv("FAKE_GPUS"); return n ? atoi(n) : 0; }

int cuInit(unsigned flags) { return flags ? INVALID : gpus() ? OK : NO_DEVICE; }
int cuDeviceGetCount(int *count) { *count = gpus(); return OK; }
int cuDeviceGet(int *device, int number) { *device = number; return number >= 0 && number < gpus() ? OK : INVALID; }
int cuDeviceGetName(char *name, int length, int device) {
  const char *odd = getenv("FAKE_ODD"); // the number of a GPU of another kind
  snprintf(name, length, "Fake %s", odd && atoi(odd) == device ? "B" : "A");
  return OK;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  *value = attribute == 75 ? 8 : 6;
  return attribute == 75 || attribute == 76 ? OK : INVALID;
}
int cuDevicePrimaryCtxRetain(void **context, int device) { contexts++; *context = (void *)(intptr_t)(device + 1); return OK; }
int cuDevicePrimaryCtxRelease_v2(int device) { (void)device; contexts--; return OK; }
int cuCtxSetCurrent(void *context) { current = (int)(intptr_t)context; return OK; }
int cuStreamCreate(void **made, unsigned flags) {
  if (!current) return NO_CONTEXT;
  if (flags != 1) return INVALID;
  streams++;
  *made = calloc(1, sizeof(stream));
  return OK;
}
int cuStreamDestroy_v2(void *s) { streams--; free(s); return OK; }

int cuMemAlloc_v2(uint64_t *address, size_t size) {
  if (!current) return NO_CONTEXT;
  if (!size) return INVALID;
  if (size > BIGGEST) return OUT_OF_MEMORY;
  pthread_mutex_lock(&lock);
  int i = 0;
  while (blocks[i].address) i++;
  blocks[i].address = *address = (uint64_t)(uintptr_t)malloc(size) | DEVICE_BIT;
  blocks[i].size = size;
  pthread_mutex_unlock(&lock);
  return OK;
}
int cuMemFree_v2(uint64_t address) {
  for (int i = 0; i < MOST; i++)
    if (blocks[i].address == address && address) {
      free((void *)(uintptr_t)(address & ~DEVICE_BIT));
      blocks[i].address = 0;
      return OK;
    }
  return INVALID;
}

// fake_memory is where so many bytes of the device are; NULL when they were not allocated.
void *fake_memory(uint64_t address, size_t size) {
  for (int i = 0; i < MOST; i++)
    if (blocks[i].address && address >= blocks[i].address && address + size <= blocks[i].address + blocks[i].size)
      return (void *)(uintptr_t)(address & ~DEVICE_BIT);
  return NULL;
}
// fake_left is how much is not given back: blocks of memory, contexts and streams.
int fake_left(void) {
  int left = contexts + streams;
  for (int i = 0; i < MOST; i++) left += blocks[i].address != 0;
  return left;
}

static int enqueue(stream *s, step one) {
  if (!s || s->count == MOST) return INVALID;
  s->steps[s->count++] = one;
  return OK;
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t size, void *s) {
  return fake_memory(to, size) ? enqueue(s, (step){to, (uint64_t)(uintptr_t)from, size, 1, NULL}) : INVALID;
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t size, void *s) {
  return fake_memory(from, size) ? enqueue(s, (step){(uint64_t)(uintptr_t)to, from, size, 0, NULL}) : INVALID;
}
// fake_run does something in the stream, as a kernel would.
int fake_run(work run, void *s) { return enqueue(s, (step){0, 0, 0, 0, run}); }

int cuStreamSynchronize(void *given) {
  stream *s = given;
  for (int i = 0; i < s->count; i++) {
    step one = s->steps[i];
    if (one.run) { one.run(); continue; }
    void *memory = fake_memory(one.to_device ? one.to : one.from, one.size);
    if (!memory) { s->count = 0; return BAD_ADDRESS; }
    if (one.to_device) memcpy(memory, (void *)(uintptr_t)one.from, one.size);
    else memcpy((void *)(uintptr_t)one.to, memory, one.size);
  }
  s->count = 0;
  return OK;
}

int cuGetErrorName(int code, const char **name) {
  *name = code == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : code == NO_DEVICE ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_INVALID_VALUE";
  return OK;
}
int cuGetErrorString(int code, const char **text) {
  *text = code == OUT_OF_MEMORY ? "out of memory" : code == NO_DEVICE ? "no CUDA-capable device is detected" : "invalid argument";
  return OK;
}
