#include "shim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

// Made by cgo from the Go function of that name.
extern void conchLog(int severity, char *category, char *location, char *message);

static void log_line(void *param, int severity, const char *category, const char *logid, const char *location,
                     const char *message) {
  (void)param;
  (void)logid;
  conchLog(severity, (char *)category, (char *)location, (char *)message);
}

int conch_fail(const OrtApi *api, OrtStatus *status, conch_error *error) {
  if (status == NULL) return 0;
  error->code = api->GetErrorCode(status);
  if (error->code == 0) error->code = 1;
  snprintf(error->message, sizeof error->message, "%s", api->GetErrorMessage(status));
  api->ReleaseStatus(status);
  return error->code;
}

int conch_complain(conch_error *error, int code, const char *message) {
  error->code = code;
  snprintf(error->message, sizeof error->message, "%s", message);
  return code;
}

// make_env makes the environment and its threads. They do not spin: a thread that waits for the next part of a run would take
// processor time from the server, its clients and everything else on the machine.
static int make_env(conch_lib *lib, conch_threads sizes, conch_error *error) {
  const OrtApi *api = lib->api;
  OrtThreadingOptions *threads = NULL;
  if (conch_fail(api, api->CreateThreadingOptions(&threads), error)) return error->code;
  enum { WARNING = 2 };
  if (!conch_fail(api, api->SetGlobalIntraOpNumThreads(threads, sizes.intra), error) &&
      !conch_fail(api, api->SetGlobalInterOpNumThreads(threads, sizes.inter), error) &&
      !conch_fail(api, api->SetGlobalSpinControl(threads, 0), error))
    conch_fail(api,
               api->CreateEnvWithCustomLoggerAndGlobalThreadPools(log_line, NULL, WARNING, "conch", threads, &lib->env),
               error);
  api->ReleaseThreadingOptions(threads);
  return error->code;
}

// keep_little makes the C library give large pieces of memory back as they are freed. By itself it learns to keep up to 64 MB
// in each thread's arena, which malloc_trim does not reach, from the first model that is unloaded.
static void keep_little(void) {
#ifdef __GLIBC__
  enum { LARGE = 1 << 20 };
  mallopt(M_MMAP_THRESHOLD, LARGE);
  mallopt(M_TRIM_THRESHOLD, LARGE);
#endif
}

static int start(conch_lib *lib, conch_threads threads, conch_error *error) {
  if (make_env(lib, threads, error)) return error->code;
  if (conch_fail(lib->api, lib->api->DisableTelemetryEvents(lib->env), error)) return error->code;
  enum { ARENA_ALLOCATOR = 1, DEFAULT_MEMORY = 0 };
  if (conch_fail(lib->api, lib->api->CreateCpuMemoryInfo(ARENA_ALLOCATOR, DEFAULT_MEMORY, &lib->cpu), error))
    return error->code;
  return conch_fail(lib->api, lib->api->GetAllocatorWithDefaultOptions(&lib->allocator), error);
}

int conch_open(conch_lib *lib, void *get_api_base, conch_threads threads, conch_error *error) {
  const OrtApiBase *base = ((const OrtApiBase *(*)(void))get_api_base)();
  if (base == NULL) return conch_complain(error, 1, "the library gives no API");
  lib->version = base->GetVersionString();
  lib->api = base->GetApi(CONCH_API_VERSION);
  if (lib->api == NULL) return conch_complain(error, 1, "the library is older than ONNX Runtime 1.29");
  keep_little();
  if (start(lib, threads, error)) conch_close(lib);
  return error->code;
}

void conch_close(conch_lib *lib) {
  if (lib->cpu != NULL) lib->api->ReleaseMemoryInfo(lib->cpu);
  if (lib->env != NULL) lib->api->ReleaseEnv(lib->env);
}

// begin_arena makes the first region of a session's arena, which is never given back: a small one, before the first request
// would make one of its own size.
static void begin_arena(const conch_lib *lib, const OrtSession *session) {
  const OrtApi *api = lib->api;
  OrtAllocator *arena = NULL;
  conch_error ignored = {0};
  if (conch_fail(api, api->CreateAllocator(session, lib->cpu, &arena), &ignored)) return;
  void *little = NULL;
  if (!conch_fail(api, api->AllocatorAlloc(arena, 1, &little), &ignored))
    conch_fail(api, api->AllocatorFree(arena, little), &ignored);
  api->ReleaseAllocator(arena);
}

int conch_session_new(const conch_lib *lib, const void *path, OrtSessionOptions *options, OrtSession **session,
                      conch_error *error) {
  if (!conch_fail(lib->api, lib->api->CreateSession(lib->env, path, options, session), error)) begin_arena(lib, *session);
  return error->code;
}

// register_arena makes the environment's CPU allocator an arena of so many bytes at most.
static int register_arena(const conch_lib *lib, size_t limit, conch_error *error) {
  const OrtApi *api = lib->api;
  enum { SAME_AS_REQUESTED = 1, SETTINGS = 2 };
  const char *keys[SETTINGS] = {"max_mem", "arena_extend_strategy"};
  size_t values[SETTINGS] = {limit, SAME_AS_REQUESTED};
  OrtArenaCfg *config = NULL;
  if (conch_fail(api, api->CreateArenaCfgV2(keys, values, SETTINGS, &config), error)) return error->code;
  conch_fail(api, api->CreateAndRegisterAllocator(lib->env, lib->cpu, config), error);
  api->ReleaseArenaCfg(config);
  return error->code;
}

int conch_session_new_limited(const conch_lib *lib, const void *path, OrtSessionOptions *options, size_t limit,
                              OrtSession **session, conch_error *error) {
  if (register_arena(lib, limit, error)) return error->code;
  conch_session_new(lib, path, options, session, error);
  conch_error ignored = {0}; // the session keeps the arena
  conch_fail(lib->api, lib->api->UnregisterAllocator(lib->env, lib->cpu), &ignored);
  return error->code;
}

int conch_providers(const conch_lib *lib, char ***names, int *count, conch_error *error) {
  return conch_fail(lib->api, lib->api->GetAvailableProviders(names, count), error);
}

void conch_providers_free(const conch_lib *lib, char **names, int count) {
  conch_error ignored = {0};
  conch_fail(lib->api, lib->api->ReleaseAvailableProviders(names, count), &ignored);
}

int conch_adapters(const conch_lib *lib, conch_adapter *adapters, size_t room, size_t *count, conch_error *error) {
  const OrtApi *api = lib->api;
  const OrtEpDevice *const *devices = NULL;
  if (conch_fail(api, api->GetEpDevices(lib->env, &devices, count), error)) return error->code;
  for (size_t i = 0; i < *count && i < room; i++) {
    const OrtHardwareDevice *hardware = api->EpDevice_Device(devices[i]);
    const OrtKeyValuePairs *more = api->HardwareDevice_Metadata(hardware);
    const OrtKeyValuePairs *told = api->EpDevice_EpMetadata(devices[i]);
    adapters[i] = (conch_adapter){
        .provider = api->EpDevice_EpName(devices[i]),
        .type = api->HardwareDevice_Type(hardware),
        .vendor = api->HardwareDevice_VendorId(hardware),
        .device = api->HardwareDevice_DeviceId(hardware),
        .vendor_name = api->HardwareDevice_Vendor(hardware),
        .description = more == NULL ? NULL : api->GetKeyValue(more, "Description"),
        .place = more == NULL ? NULL : api->GetKeyValue(more, "pci_bus_id"),
        .provider_name = told == NULL ? NULL : api->GetKeyValue(told, "ov_device"),
        .hardware = hardware,
    };
  }
  return 0;
}

int conch_session_cancel_load(const conch_lib *lib, OrtSessionOptions *options) {
  conch_error ignored = {0};
  return conch_fail(lib->api, lib->api->SessionOptionsSetLoadCancellationFlag(options, 1), &ignored);
}

int conch_session_share_threads(const conch_lib *lib, OrtSessionOptions *options, conch_error *error) {
  return conch_fail(lib->api, lib->api->DisablePerSessionThreads(options), error);
}

int conch_session_operators(const conch_lib *lib, OrtSessionOptions *options, const void *path, conch_error *error) {
  return conch_fail(lib->api, lib->api->RegisterCustomOpsLibrary_V2(options, path), error);
}

void conch_session_free(const conch_lib *lib, OrtSession *session) { lib->api->ReleaseSession(session); }

// number is a figure of an allocator's; 0 when it does not tell.
static uint64_t number(const OrtApi *api, const OrtKeyValuePairs *stats, const char *key) {
  const char *text = api->GetKeyValue(stats, key);
  return text == NULL ? 0 : strtoull(text, NULL, 10);
}

// arena_of finds the session's arena on a CUDA device, or on the CPU. It has to be released.
static OrtAllocator *arena_of(const conch_lib *lib, const OrtSession *session, int device) {
  const OrtApi *api = lib->api;
  OrtAllocator *arena = NULL;
  OrtMemoryInfo *there = NULL;
  conch_error ignored = {0};
  if (device != CONCH_HERE &&
      conch_fail(api, api->CreateMemoryInfo("Cuda", CONCH_DEVICE_ALLOCATOR, device, CONCH_DEVICE_MEMORY, &there), &ignored))
    return NULL;
  conch_fail(api, api->CreateAllocator(session, there == NULL ? lib->cpu : there, &arena), &ignored);
  if (there != NULL) api->ReleaseMemoryInfo(there);
  return arena;
}

conch_memory conch_session_memory(const conch_lib *lib, const OrtSession *session, int device) {
  const OrtApi *api = lib->api;
  conch_error ignored = {0};
  conch_memory memory = {0};
  OrtAllocator *arena = arena_of(lib, session, device);
  if (arena == NULL) return memory;
  OrtKeyValuePairs *stats = NULL;
  if (!conch_fail(api, api->AllocatorGetStats(arena, &stats), &ignored)) {
    memory.total = number(api, stats, "TotalAllocated");
    memory.used = number(api, stats, "InUse");
    api->ReleaseKeyValuePairs(stats);
  }
  api->ReleaseAllocator(arena);
  return memory;
}

void conch_trim(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}
