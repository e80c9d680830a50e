#include "shim.h"

#include <string.h>

int conch_options_new(const conch_lib *lib, OrtSessionOptions **options, conch_error *error) {
  return conch_fail(lib->api, lib->api->CreateSessionOptions(options), error);
}

void conch_options_free(const conch_lib *lib, OrtSessionOptions *options) { lib->api->ReleaseSessionOptions(options); }

int conch_options_set(const conch_lib *lib, OrtSessionOptions *o, int what, int value, conch_error *error) {
  const OrtApi *api = lib->api;
  switch (what) {
  case CONCH_LEVEL: return conch_fail(api, api->SetSessionGraphOptimizationLevel(o, value), error);
  case CONCH_PARALLEL: return conch_fail(api, api->SetSessionExecutionMode(o, value), error);
  case CONCH_INTRA: return conch_fail(api, api->SetIntraOpNumThreads(o, value), error);
  case CONCH_INTER: return conch_fail(api, api->SetInterOpNumThreads(o, value), error);
  case CONCH_SHARED_THREADS: return conch_fail(api, api->DisablePerSessionThreads(o), error);
  case CONCH_ARENA: return conch_fail(api, value ? api->EnableCpuMemArena(o) : api->DisableCpuMemArena(o), error);
  case CONCH_PATTERN: return conch_fail(api, value ? api->EnableMemPattern(o) : api->DisableMemPattern(o), error);
  default: return conch_complain(error, 2, "there is no such option of a session");
  }
}

int conch_options_entry(const conch_lib *lib, OrtSessionOptions *o, const char *key, const char *value,
                        conch_error *error) {
  return conch_fail(lib->api, lib->api->AddSessionConfigEntry(o, key, value), error);
}

int conch_options_path(const conch_lib *lib, OrtSessionOptions *o, int what, const void *path, conch_error *error) {
  const OrtApi *api = lib->api;
  if (what == CONCH_SAVE_TO) return conch_fail(api, api->SetOptimizedModelFilePath(o, path), error);
  return conch_fail(api, api->RegisterCustomOpsLibrary_V2(o, path), error);
}

static int append_cuda(const OrtApi *api, OrtSessionOptions *o, const char *const *keys, const char *const *values,
                       size_t count, conch_error *error) {
  OrtCUDAOptions *cuda = NULL;
  if (conch_fail(api, api->CreateCUDAProviderOptions(&cuda), error)) return error->code;
  if (!conch_fail(api, api->UpdateCUDAProviderOptions(cuda, keys, values, count), error))
    conch_fail(api, api->SessionOptionsAppendExecutionProvider_CUDA_V2(o, cuda), error);
  api->ReleaseCUDAProviderOptions(cuda);
  return error->code;
}

static int append_tensorrt(const OrtApi *api, OrtSessionOptions *o, const char *const *keys, const char *const *values,
                           size_t count, conch_error *error) {
  OrtTensorRTOptions *tensorrt = NULL;
  if (conch_fail(api, api->CreateTensorRTProviderOptions(&tensorrt), error)) return error->code;
  if (!conch_fail(api, api->UpdateTensorRTProviderOptions(tensorrt, keys, values, count), error))
    conch_fail(api, api->SessionOptionsAppendExecutionProvider_TensorRT_V2(o, tensorrt), error);
  api->ReleaseTensorRTProviderOptions(tensorrt);
  return error->code;
}

int conch_options_append(const conch_lib *lib, OrtSessionOptions *o, int provider, const char *const *keys,
                         const char *const *values, size_t count, conch_error *error) {
  const OrtApi *api = lib->api;
  switch (provider) {
  case CONCH_CUDA: return append_cuda(api, o, keys, values, count, error);
  case CONCH_TENSORRT: return append_tensorrt(api, o, keys, values, count, error);
  default:
    return conch_fail(api, api->SessionOptionsAppendExecutionProvider_OpenVINO_V2(o, keys, values, count), error);
  }
}
