// A CUDA driver without a GPU, for tests: the memory of a GPU is a file in /dev/shm. A handle is the file's name and, in its last
// eight bytes, where the memory begins. It has two devices, or as many as $FAKE_CUDA_DEVICES says, and is as strict as a real driver about contexts.
// A kernel that is launched writes where nothing is, as build/gpucheck/breaks.c wants it: then, as with $FAKE_CUDA_BROKEN ("unknown" for an error without a name), all that uses a
// device fails until the process ends.
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_DEVICES = 8, OPEN = 64, INVALID_VALUE = 1, INVALID_DEVICE = 101, INVALID_CONTEXT = 201, NOT_FOUND = 500, ILLEGAL_ADDRESS = 700, UNKNOWN = 999 };

typedef struct {
  char reserved[64];
} handle;

static struct piece {
  int file;
  size_t size;
  char *at;
} pieces[OPEN];
static int retained[MOST_DEVICES];
static __thread int *current[4]; // contexts: places in retained, since Go wants pointers that can be some
static __thread int depth;

static struct piece *of(unsigned long long at) {
  for (int i = 0; i < OPEN; i++)
    if (pieces[i].at != NULL && at - (uintptr_t)pieces[i].at < pieces[i].size) return &pieces[i];
  return NULL;
}

static int devices(void) {
  const char *told = getenv("FAKE_CUDA_DEVICES");
  return told == NULL ? 2 : atoi(told);
}

static int launched;

static int broken(void) {
  const char *how = getenv("FAKE_CUDA_BROKEN");
  if (how != NULL && strcmp(how, "unknown") == 0) return UNKNOWN;
  return launched || how != NULL ? ILLEGAL_ADDRESS : 0;
}

int cuInit(unsigned flags) { return flags == 0 ? 0 : INVALID_VALUE; }

int cuDeviceGetCount(int *count) {
  *count = devices();
  return 0;
}

int cuGetErrorString(int error, const char **text) {
  switch (error) {
    case INVALID_VALUE: *text = "invalid argument"; return 0;
    case INVALID_DEVICE: *text = "invalid device ordinal"; return 0;
    case INVALID_CONTEXT: *text = "invalid device context"; return 0;
    case NOT_FOUND: *text = "named symbol not found"; return 0;
    case ILLEGAL_ADDRESS: *text = "an illegal memory access was encountered"; return 0;
    case UNKNOWN: *text = "unknown error"; return 0;
  }
  return INVALID_VALUE;
}

int cuDeviceGet(int *device, int ordinal) {
  if (ordinal < 0 || ordinal >= devices()) return INVALID_DEVICE;
  *device = ordinal;
  return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
  retained[device]++;
  *context = &retained[device];
  return 0;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  if (retained[device] == 0) return INVALID_CONTEXT;
  retained[device]--;
  return 0;
}

int cuCtxPushCurrent_v2(void *context) {
  int *at = context;
  if (at < retained || at >= retained + MOST_DEVICES || *at == 0 || depth == 4) return INVALID_CONTEXT;
  current[depth++] = at;
  return 0;
}

int cuCtxPopCurrent_v2(void **context) {
  if (depth == 0) return INVALID_CONTEXT;
  *context = current[--depth];
  return 0;
}

int cuIpcOpenMemHandle_v2(unsigned long long *memory, handle h, unsigned flags) {
  if (depth == 0) return INVALID_CONTEXT;
  if (broken()) return broken();
  char path[80];
  uint64_t offset;
  memcpy(&offset, h.reserved + 56, sizeof offset);
  h.reserved[55] = 0;
  snprintf(path, sizeof path, "/dev/shm/%s", h.reserved);
  if (h.reserved[0] == 0 || strchr(h.reserved, '/') != NULL || flags != 1) return INVALID_VALUE;
  int file = open(path, O_RDWR | O_CLOEXEC);
  struct stat info;
  if (file < 0) return NOT_FOUND;
  struct piece *free = NULL;
  for (int i = 0; i < OPEN && free == NULL; i++)
    if (pieces[i].at == NULL) free = &pieces[i];
  if (free == NULL || fstat(file, &info) != 0 || offset >= (uint64_t)info.st_size) {
    close(file);
    return INVALID_VALUE;
  }
  char *at = mmap(NULL, info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) return INVALID_VALUE;
  *free = (struct piece){file, info.st_size, at};
  *memory = (uintptr_t)at + offset;
  return 0;
}

int cuIpcCloseMemHandle(unsigned long long memory) {
  struct piece *p = of(memory);
  if (depth == 0 || p == NULL) return INVALID_VALUE;
  munmap(p->at, p->size);
  close(p->file);
  p->at = NULL;
  return 0;
}

int cuMemGetAddressRange_v2(unsigned long long *base, size_t *size, unsigned long long memory) {
  struct piece *p = of(memory);
  if (depth == 0 || p == NULL) return NOT_FOUND;
  *base = (uintptr_t)p->at;
  *size = p->size;
  return 0;
}

// A copy to a device is done when somebody waits for it, as a real driver may do with what it has taken over.
static struct {
  pthread_mutex_t lock;
  void *data, *to;
  size_t size;
} later = {.lock = PTHREAD_MUTEX_INITIALIZER};

// finish needs the lock.
static void finish(void) {
  if (later.data != NULL) memcpy(later.to, later.data, later.size);
  free(later.data);
  later.data = NULL;
}

// copy fails where the owner has freed the memory: its file was made shorter.
static int copy(void *to, const void *from, unsigned long long device, size_t size) {
  struct piece *p = of(device);
  struct stat info;
  if (depth == 0) return INVALID_CONTEXT;
  if (broken()) return broken();
  if (p == NULL || fstat(p->file, &info) != 0 || device - (uintptr_t)p->at + size > (uint64_t)info.st_size) return INVALID_VALUE;
  pthread_mutex_lock(&later.lock);
  finish();
  if (to != (void *)(uintptr_t)device) {
    memcpy(to, from, size);
  } else if ((later.data = malloc(size)) != NULL) {
    later.to = to;
    later.size = size;
    memcpy(later.data, from, size);
  }
  pthread_mutex_unlock(&later.lock);
  return 0;
}

int cuStreamSynchronize(void *stream) {
  if (depth == 0 || stream != NULL) return INVALID_CONTEXT;
  if (broken()) return broken();
  pthread_mutex_lock(&later.lock);
  finish();
  pthread_mutex_unlock(&later.lock);
  return 0;
}

int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t size) {
  return copy(to, (void *)(uintptr_t)from, from, size);
}

int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t size) {
  return copy((void *)(uintptr_t)to, from, to, size);
}

int cuMemcpyDtoD_v2(unsigned long long to, unsigned long long from, size_t size) {
  struct piece *p = of(from);
  if (p == NULL || from - (uintptr_t)p->at + size > p->size) return INVALID_VALUE;
  return copy((void *)(uintptr_t)to, (void *)(uintptr_t)from, to, size);
}

// Memory of the machine that devices reach. Its size is kept before it, so that a wrong address is found out.
enum { PAGE = 4096, PINNED = 0x5157 };

int cuMemHostAlloc(void **memory, size_t size, unsigned flags) {
  const char *most = getenv("FAKE_CUDA_PINNED");
  if (depth == 0) return INVALID_CONTEXT;
  if (flags != 1 || (most != NULL && size > (size_t)atol(most))) return INVALID_VALUE;
  char *at = aligned_alloc(PAGE, PAGE + (size + PAGE - 1) / PAGE * PAGE);
  if (at == NULL) return INVALID_VALUE;
  *(int *)at = PINNED;
  *memory = at + PAGE;
  return 0;
}

int cuMemFreeHost(void *memory) {
  char *at = (char *)memory - PAGE;
  if (depth == 0) return INVALID_CONTEXT;
  if (*(int *)at != PINNED) return INVALID_VALUE;
  *(int *)at = 0;
  free(at);
  return 0;
}

// The one kernel has the name that it is asked for, and does its harm at once.
int cuModuleLoadData(void **module, const void *image) {
  if (depth == 0) return INVALID_CONTEXT;
  *module = (void *)image;
  return strstr(image, ".entry") == NULL ? INVALID_VALUE : 0;
}

int cuModuleGetFunction(void **function, void *module, const char *name) {
  *function = module;
  return strstr(module, name) == NULL ? NOT_FOUND : 0;
}

int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned shared,
                   void *stream, void **parameters, void **extra) {
  if (depth == 0) return INVALID_CONTEXT;
  if (function == NULL || stream != NULL || parameters != NULL || extra != NULL || x * y * z * threads_x * threads_y * threads_z != 1 || shared != 0)
    return INVALID_VALUE;
  launched = 1;
  return 0;
}

int cuCtxSynchronize(void) { return depth == 0 ? INVALID_CONTEXT : broken(); }
