// An ONNX Runtime for tests whose GPU is the processor: what is said to be in a GPU's memory is in that of the process. It writes
// to the file $GPU_REPORT what it was told: each tensor on a GPU, each output that is wanted there, and with $GPU_GRAPHS each run.
#define REAL "GPU_REAL"
#include "../ort/testdata/instead.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

// The kinds of memory on a GPU that are in use; instances make them at the same time.
enum { KINDS = 64 };
static const OrtMemoryInfo *kinds[KINDS];
static pthread_mutex_t kinds_lock = PTHREAD_MUTEX_INITIALIZER;

// take puts a kind into the place of another: of NULL a new one, and NULL into that of one that is gone. It says whether there was one.
static _Bool take(const OrtMemoryInfo *place, const OrtMemoryInfo *kind) {
  _Bool found = 0;
  pthread_mutex_lock(&kinds_lock);
  for (int i = 0; i < KINDS && !found; i++)
    if ((found = kinds[i] == place)) kinds[i] = kind;
  pthread_mutex_unlock(&kinds_lock);
  return found;
}

static _Bool on_gpu(const OrtMemoryInfo *kind) { return kind != NULL && take(kind, kind); }

static void report(const char *what, long number) {
  FILE *f = fopen(getenv("GPU_REPORT"), "a");
  fprintf(f, "%s %ld\n", what, number);
  fclose(f);
}

static OrtStatus *my_CreateMemoryInfo(const char *name, int allocator, int device, int memory, OrtMemoryInfo **info) {
  OrtStatus *status = real->CreateCpuMemoryInfo(allocator, 0, info);
  if (strcmp(name, "Cuda") == 0 && allocator == 0 && memory == 0) {
    if (!take(NULL, *info)) abort(); // too many at once
    report("device", device);
  }
  return status;
}

static void my_ReleaseMemoryInfo(OrtMemoryInfo *info) {
  if (info != NULL) take(info, NULL);
  real->ReleaseMemoryInfo(info);
}

// The outputs of the binding in use, and those of a binding that are on the GPU.
enum { OUTPUTS = 64 };
static _Bool leaves[OUTPUTS];
static int bound_outputs;
static const OrtValue *left[OUTPUTS];

static OrtStatus *my_BindOutputToDevice(OrtIoBinding *binding, const char *name, const OrtMemoryInfo *info) {
  _Bool there = on_gpu(info);
  if (there) report("left", 0);
  leaves[bound_outputs++ % OUTPUTS] = there;
  return real->BindOutputToDevice(binding, name, info);
}

// What a binding copies to the GPU, an input that is not there, has arrived when someone has waited for it, and not before.
enum { PENDING = 64 };
static struct { const OrtValue *value; void *data; size_t bytes, rank; int64_t shape[8]; int type; } here[PENDING];
static struct { const OrtIoBinding *binding; void *to, *from; size_t bytes; } copies[PENDING];
static pthread_mutex_t copying = PTHREAD_MUTEX_INITIALIZER;

// remember keeps what an input that is not on the GPU is made of; bytes is 0 for one that is.
static void remember(const OrtValue *value, void *data, size_t bytes, const int64_t *shape, size_t rank, int type) {
  pthread_mutex_lock(&copying);
  int at = -1;
  for (int i = 0; i < PENDING; i++)
    if (here[i].value == value) at = i;
  for (int i = 0; i < PENDING && at < 0; i++)
    if (here[i].bytes == 0) at = i;
  if (at < 0) abort(); // too many inputs at once
  here[at].value = value, here[at].data = data, here[at].bytes = rank > 8 ? 0 : bytes, here[at].rank = rank, here[at].type = type;
  if (here[at].bytes > 0) memcpy(here[at].shape, shape, rank * sizeof *shape);
  pthread_mutex_unlock(&copying);
}

static OrtStatus *my_GetBoundOutputValues(const OrtIoBinding *binding, OrtAllocator *allocator, OrtValue ***values, size_t *count) {
  OrtStatus *status = real->GetBoundOutputValues(binding, allocator, values, count);
  for (size_t i = 0; i < OUTPUTS && status == NULL && i < *count; i++)
    for (int k = 0; k < OUTPUTS && leaves[i]; k++)
      if (left[k] == NULL) {
        left[k] = (*values)[i];
        break;
      }
  return status;
}

static void my_ReleaseValue(OrtValue *value) {
  for (int k = 0; k < OUTPUTS && value != NULL; k++)
    if (left[k] == value) {
      left[k] = NULL;
      report("freed", 0);
    }
  remember(value, NULL, 0, NULL, 0, 0);
  real->ReleaseValue(value);
}

static OrtStatus *my_BindInput(OrtIoBinding *binding, const char *name, const OrtValue *value) {
  OrtAllocator *allocator;
  OrtValue *there = NULL;
  OrtStatus *status = real->GetAllocatorWithDefaultOptions(&allocator);
  pthread_mutex_lock(&copying);
  for (int i = 0; i < PENDING && status == NULL && there == NULL; i++) {
    if (here[i].value != value || here[i].bytes == 0) continue;
    void *to = NULL;
    if ((status = real->CreateTensorAsOrtValue(allocator, here[i].shape, here[i].rank, here[i].type, &there)) != NULL) break;
    if ((status = real->GetTensorMutableData(there, &to)) != NULL) break;
    memset(to, 0, here[i].bytes);
    int k = 0;
    while (copies[k].binding != NULL) k++;
    copies[k].binding = binding, copies[k].to = to, copies[k].from = here[i].data, copies[k].bytes = here[i].bytes;
  }
  pthread_mutex_unlock(&copying);
  if (status == NULL) status = real->BindInput(binding, name, there == NULL ? value : there);
  if (there != NULL) real->ReleaseValue(there);
  return status;
}

static void settle(const OrtIoBinding *binding, int arrive) {
  pthread_mutex_lock(&copying);
  for (int k = 0; k < PENDING; k++) {
    if (copies[k].binding != binding) continue;
    if (arrive) memcpy(copies[k].to, copies[k].from, copies[k].bytes);
    copies[k].binding = NULL;
  }
  pthread_mutex_unlock(&copying);
}

static OrtStatus *my_SynchronizeBoundInputs(OrtIoBinding *binding) {
  settle(binding, 1);
  return NULL;
}

static void my_ReleaseIoBinding(OrtIoBinding *binding) {
  bound_outputs = 0;
  settle(binding, 0);
  real->ReleaseIoBinding(binding);
}

static OrtStatus *my_CreateTensorWithDataAsOrtValue(const OrtMemoryInfo *info, void *data, size_t bytes, const int64_t *shape,
                                                    size_t rank, int type, OrtValue **out) {
  OrtStatus *status = real->CreateTensorWithDataAsOrtValue(info, data, bytes, shape, rank, type, out);
  if (on_gpu(info)) report("on the GPU", (long)bytes);
  else if (status == NULL) remember(*out, data, bytes, shape, rank, type);
  return status;
}

// CUDA graphs: the second and all later runs of a binding with a number replay what the first one bound, in the thread that made it.
// What a replay would not see, such as another binding, is not seen here either. An ordinary run with more bytes than all before it has
// the session take other memory: a replay of what was recorded before that runs nothing.
enum { MOST = 256 };
static struct { const OrtRunOptions *options; int number; } numbers[MOST];
static struct { OrtSession *session; pthread_t thread; int number, memory; const OrtIoBinding *binding; } graphs[MOST];
static struct { OrtSession *session; size_t most; int memory; } grown[MOST];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static OrtStatus *my_AddRunConfigEntry(OrtRunOptions *options, const char *key, const char *value) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < MOST && strcmp(key, "gpu_graph_id") == 0; i++)
    if (numbers[i].options == NULL || numbers[i].options == options) {
      numbers[i].options = options;
      numbers[i].number = atoi(value);
      break;
    }
  pthread_mutex_unlock(&lock);
  return real->AddRunConfigEntry(options, key, value);
}

static void my_ReleaseRunOptions(OrtRunOptions *options) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < MOST; i++)
    if (numbers[i].options == options) numbers[i].options = NULL;
  pthread_mutex_unlock(&lock);
  real->ReleaseRunOptions(options);
}

static int number_of(const OrtRunOptions *options) {
  int number = 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < MOST; i++)
    if (numbers[i].options == options) number = numbers[i].number;
  pthread_mutex_unlock(&lock);
  return number;
}

// place_of is the session's in grown; lock is held.
static int place_of(OrtSession *session) {
  int at = 0;
  while (grown[at].session != NULL && grown[at].session != session) at++;
  grown[at].session = session;
  return at;
}

static OrtStatus *my_Run(OrtSession *session, const OrtRunOptions *options, const char *const *input_names, const OrtValue *const *inputs,
                         size_t input_count, const char *const *output_names, size_t output_count, OrtValue **outputs) {
  if (number_of(options) < 0) {
    size_t bytes = 0;
    pthread_mutex_lock(&copying);
    for (size_t i = 0; i < input_count; i++)
      for (int k = 0; k < PENDING; k++)
        if (here[k].value == inputs[i]) bytes += here[k].bytes;
    pthread_mutex_unlock(&copying);
    pthread_mutex_lock(&lock);
    int at = place_of(session);
    if (bytes > grown[at].most) grown[at].most = bytes, grown[at].memory++;
    pthread_mutex_unlock(&lock);
    report("ordinary", 0);
  }
  return real->Run(session, options, input_names, inputs, input_count, output_names, output_count, outputs);
}

static OrtStatus *my_RunWithBinding(OrtSession *session, const OrtRunOptions *options, const OrtIoBinding *binding) {
  int number = number_of(options), at = 0;
  if (number <= 0) {
    report("bound", number);
    return real->RunWithBinding(session, options, binding);
  }
  pthread_mutex_lock(&lock);
  while (graphs[at].session != NULL &&
         (graphs[at].session != session || graphs[at].number != number || !pthread_equal(graphs[at].thread, pthread_self())))
    at++;
  int known = graphs[at].session != NULL;
  if (!known && getenv("GPU_RECORDS_NOTHING") == NULL) {
    graphs[at].session = session;
    graphs[at].number = number;
    graphs[at].thread = pthread_self();
    graphs[at].binding = binding;
    graphs[at].memory = grown[place_of(session)].memory;
  }
  int stale = known && graphs[at].memory != grown[place_of(session)].memory;
  pthread_mutex_unlock(&lock);
  report(known ? "replayed" : "recorded", number);
  if (getenv("GPU_RECORDS_NOTHING") != NULL)
    return real->CreateStatus(1, "CUDA failure 901: operation failed due to a previous error during capture ; GPU=3");
  return stale ? NULL : real->RunWithBinding(session, options, graphs[at].binding);
}

static void my_ReleaseSession(OrtSession *session) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < MOST; i++)
    if (graphs[i].session == session) graphs[i].number = -1; // the place stays taken
  pthread_mutex_unlock(&lock);
  report("closed", 0);
  real->ReleaseSession(session);
}

static OrtStatus *my_CreateSession(const OrtEnv *env, const OrtPathChar *path, const OrtSessionOptions *options, OrtSession **session) {
  if (getenv("GPU_REFUSES_GRAPHS") != NULL)
    return real->CreateStatus(1, "This session cannot use the graph capture feature as requested by the user as the model has control flow nodes");
  static int opened;
  const char *fails = getenv("GPU_REFUSES_OPENING");
  if (fails != NULL && ++opened == atoi(fails)) return real->CreateStatus(1, "CUDA failure 2: out of memory ; GPU=3");
  report("opened", 0);
  return real->CreateSession(env, path, options, session);
}

// Inputs and outputs are in the GPU's memory.
static const char there, near;

static OrtStatus *places(const OrtMemoryInfo **list, size_t count) {
  for (size_t i = 0; i < count; i++) list[i] = (const OrtMemoryInfo *)(getenv("GPU_NEEDS_PROCESSOR") != NULL ? &near : &there);
  return NULL;
}

static OrtStatus *my_SessionGetMemoryInfoForInputs(const OrtSession *session, const OrtMemoryInfo **list, size_t count) {
  (void)session;
  return places(list, count);
}

static OrtStatus *my_SessionGetMemoryInfoForOutputs(const OrtSession *session, const OrtMemoryInfo **list, size_t count) {
  (void)session;
  return places(list, count);
}

static void my_MemoryInfoGetDeviceType(const OrtMemoryInfo *info, int *type) { *type = (const char *)info == &there ? CONCH_GPU : 0; }

static void take_all(void) {
  TAKE(CreateMemoryInfo), TAKE(ReleaseMemoryInfo), TAKE(BindOutputToDevice);
  TAKE(BindInput), TAKE(SynchronizeBoundInputs), TAKE(ReleaseIoBinding), TAKE(ReleaseValue), TAKE(GetBoundOutputValues);
  TAKE(CreateTensorWithDataAsOrtValue);
  TAKE(SessionGetMemoryInfoForInputs), TAKE(SessionGetMemoryInfoForOutputs), TAKE(MemoryInfoGetDeviceType);
  if (getenv("GPU_GRAPHS") != NULL) {
    TAKE(AddRunConfigEntry), TAKE(ReleaseRunOptions), TAKE(Run), TAKE(RunWithBinding), TAKE(ReleaseSession), TAKE(CreateSession);
  }
}
