// An ONNX Runtime that fails at one call, for tests: the table of the real library, some functions of which are counted. Call
// number $FAULTY_AT of those that may fail does. What is made and not freed stands in the file $FAULTY_REPORT.
#define REAL "FAULTY_REAL"
#include "testdata/instead.h"

#include <stdio.h>
#include <string.h>

enum { THREADING, ENV, MEMORY_INFO, OPTIONS, ARENA, REGISTERED, SESSION, NAME, TYPE, RUN_OPTIONS, STATUS, SPINNING, KINDS };
static const char *kinds[KINDS] = {"threading options", "environment", "memory info", "session options", "arena config",
                                   "registered arena", "session", "name or memory", "type info", "run options", "status",
                                   "environment whose threads spin"};

static int calls, held[KINDS];
static char failed[64];

static void report(void) {
  FILE *f = fopen(getenv("FAULTY_REPORT"), "w");
  fprintf(f, "failed %s\n", failed);
  for (int i = 0; i < KINDS; i++)
    if (held[i] != 0) fprintf(f, "%s %d\n", kinds[i], held[i]);
  fclose(f);
}

static void hold(int kind, int change) {
  held[kind] += change;
  report();
}

static OrtStatus *fault(const char *name) {
  static char at[16];
  if (strcmp(at, getenv("FAULTY_AT")) != 0) { // a new number counts from here
    snprintf(at, sizeof at, "%s", getenv("FAULTY_AT"));
    calls = failed[0] = 0;
    report();
  }
  if (++calls != atoi(at)) return NULL;
  snprintf(failed, sizeof failed, "%s", name);
  hold(STATUS, 1);
  return real->CreateStatus(1, "injected");
}

#define STEP(name, params, args)           \
  static OrtStatus *my_##name params {     \
    OrtStatus *status = fault(#name);      \
    return status ? status : real->name args; \
  }
#define MAKE(kind, name, params, args)       \
  static OrtStatus *my_##name params {       \
    OrtStatus *status = fault(#name);        \
    if (status == NULL) {                    \
      status = real->name args;              \
      if (status == NULL) hold(kind, 1);     \
      else hold(STATUS, 1);                  \
    }                                        \
    return status;                           \
  }
#define FREE(kind, name, type)      \
  static void my_##name(type *p) {  \
    if (p != NULL) hold(kind, -1);  \
    real->name(p);                  \
  }

MAKE(THREADING, CreateThreadingOptions, (OrtThreadingOptions **o), (o))
STEP(SetGlobalIntraOpNumThreads, (OrtThreadingOptions *o, int n), (o, n))
STEP(SetGlobalInterOpNumThreads, (OrtThreadingOptions *o, int n), (o, n))

// ONNX Runtime's threads spin when nobody says otherwise.
static int spin = 1;

static OrtStatus *my_SetGlobalSpinControl(OrtThreadingOptions *o, int allow) {
  OrtStatus *status = fault("SetGlobalSpinControl");
  if (status != NULL) return status;
  spin = allow;
  return real->SetGlobalSpinControl(o, allow);
}

static OrtStatus *my_CreateEnvWithCustomLoggerAndGlobalThreadPools(OrtLoggingFunction log, void *param, int severity,
                                                                   const char *id, const OrtThreadingOptions *o, OrtEnv **env) {
  OrtStatus *status = fault("CreateEnvWithCustomLoggerAndGlobalThreadPools");
  if (status != NULL) return status;
  status = real->CreateEnvWithCustomLoggerAndGlobalThreadPools(log, param, severity, id, o, env);
  hold(status == NULL ? ENV : STATUS, 1);
  if (status == NULL && spin) hold(SPINNING, 1);
  return status;
}

MAKE(ENV, CreateEnv, (int severity, const char *id, OrtEnv **env), (severity, id, env))
STEP(DisableTelemetryEvents, (const OrtEnv *env), (env))
MAKE(MEMORY_INFO, CreateCpuMemoryInfo, (int allocator, int memory, OrtMemoryInfo **info), (allocator, memory, info))
STEP(GetAllocatorWithDefaultOptions, (OrtAllocator **a), (a))
MAKE(OPTIONS, CreateSessionOptions, (OrtSessionOptions **o), (o))
STEP(SetSessionGraphOptimizationLevel, (OrtSessionOptions *o, int level), (o, level))
STEP(DisablePerSessionThreads, (OrtSessionOptions *o), (o))
STEP(AddSessionConfigEntry, (OrtSessionOptions *o, const char *key, const char *value), (o, key, value))
MAKE(ARENA, CreateArenaCfgV2, (const char *const *keys, const size_t *values, size_t count, OrtArenaCfg **config),
     (keys, values, count, config))
MAKE(REGISTERED, CreateAndRegisterAllocator, (OrtEnv *env, const OrtMemoryInfo *info, const OrtArenaCfg *config),
     (env, info, config))
MAKE(SESSION, CreateSession, (const OrtEnv *env, const OrtPathChar *path, const OrtSessionOptions *o, OrtSession **s),
     (env, path, o, s))
STEP(SessionGetInputCount, (const OrtSession *s, size_t *n), (s, n))
STEP(SessionGetOutputCount, (const OrtSession *s, size_t *n), (s, n))
STEP(SessionGetOverridableInitializerCount, (const OrtSession *s, size_t *n), (s, n))
MAKE(NAME, SessionGetInputName, (const OrtSession *s, size_t i, OrtAllocator *a, char **name), (s, i, a, name))
MAKE(NAME, SessionGetOutputName, (const OrtSession *s, size_t i, OrtAllocator *a, char **name), (s, i, a, name))
MAKE(TYPE, SessionGetInputTypeInfo, (const OrtSession *s, size_t i, OrtTypeInfo **info), (s, i, info))
MAKE(TYPE, SessionGetOutputTypeInfo, (const OrtSession *s, size_t i, OrtTypeInfo **info), (s, i, info))
STEP(GetOnnxTypeFromTypeInfo, (const OrtTypeInfo *info, int *type), (info, type))
STEP(CastTypeInfoToTensorInfo, (const OrtTypeInfo *info, const OrtTensorTypeAndShapeInfo **tensor), (info, tensor))
STEP(GetTensorElementType, (const OrtTensorTypeAndShapeInfo *tensor, int *type), (tensor, type))
STEP(GetDimensionsCount, (const OrtTensorTypeAndShapeInfo *tensor, size_t *n), (tensor, n))
STEP(GetDimensions, (const OrtTensorTypeAndShapeInfo *tensor, int64_t *dims, size_t n), (tensor, dims, n))
STEP(GetSymbolicDimensions, (const OrtTensorTypeAndShapeInfo *tensor, const char **names, size_t n), (tensor, names, n))
MAKE(RUN_OPTIONS, CreateRunOptions, (OrtRunOptions **o), (o))
STEP(AddRunConfigEntry, (OrtRunOptions *o, const char *key, const char *value), (o, key, value))

FREE(THREADING, ReleaseThreadingOptions, OrtThreadingOptions)
FREE(ENV, ReleaseEnv, OrtEnv)
FREE(MEMORY_INFO, ReleaseMemoryInfo, OrtMemoryInfo)
FREE(OPTIONS, ReleaseSessionOptions, OrtSessionOptions)
FREE(ARENA, ReleaseArenaCfg, OrtArenaCfg)
FREE(SESSION, ReleaseSession, OrtSession)
FREE(TYPE, ReleaseTypeInfo, OrtTypeInfo)
FREE(RUN_OPTIONS, ReleaseRunOptions, OrtRunOptions)
FREE(STATUS, ReleaseStatus, OrtStatus)

// What frees is not made to fail: nobody could do anything about it.
static OrtStatus *my_AllocatorFree(OrtAllocator *a, void *p) {
  hold(NAME, -1);
  return real->AllocatorFree(a, p);
}

// The arena begins with an allocation that may fail without harm.
static OrtStatus *my_AllocatorAlloc(OrtAllocator *a, size_t bytes, void **p) {
  OrtStatus *status = real->AllocatorAlloc(a, bytes, p);
  hold(status == NULL ? NAME : STATUS, 1);
  return status;
}

static OrtStatus *my_UnregisterAllocator(OrtEnv *env, const OrtMemoryInfo *info) {
  hold(REGISTERED, -1);
  return real->UnregisterAllocator(env, info);
}

static void take_all(void) {
  TAKE(CreateThreadingOptions), TAKE(SetGlobalIntraOpNumThreads), TAKE(SetGlobalInterOpNumThreads);
  TAKE(SetGlobalSpinControl);
  TAKE(CreateEnvWithCustomLoggerAndGlobalThreadPools), TAKE(CreateEnv), TAKE(DisableTelemetryEvents);
  TAKE(CreateCpuMemoryInfo), TAKE(GetAllocatorWithDefaultOptions), TAKE(CreateSessionOptions), TAKE(SetSessionGraphOptimizationLevel);
  TAKE(DisablePerSessionThreads), TAKE(AddSessionConfigEntry), TAKE(CreateArenaCfgV2), TAKE(CreateAndRegisterAllocator);
  TAKE(CreateSession), TAKE(SessionGetInputCount), TAKE(SessionGetOutputCount), TAKE(SessionGetOverridableInitializerCount);
  TAKE(SessionGetInputName), TAKE(SessionGetOutputName), TAKE(SessionGetInputTypeInfo), TAKE(SessionGetOutputTypeInfo);
  TAKE(GetOnnxTypeFromTypeInfo), TAKE(CastTypeInfoToTensorInfo), TAKE(GetTensorElementType), TAKE(GetDimensionsCount);
  TAKE(GetDimensions), TAKE(GetSymbolicDimensions), TAKE(CreateRunOptions), TAKE(AddRunConfigEntry);
  TAKE(ReleaseThreadingOptions), TAKE(ReleaseEnv), TAKE(ReleaseMemoryInfo), TAKE(ReleaseSessionOptions);
  TAKE(ReleaseArenaCfg), TAKE(ReleaseSession), TAKE(ReleaseTypeInfo), TAKE(ReleaseRunOptions), TAKE(ReleaseStatus);
  TAKE(AllocatorFree), TAKE(AllocatorAlloc), TAKE(UnregisterAllocator);
}
