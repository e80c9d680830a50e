#include "shim.h"

#include <stdlib.h>
#include <string.h>

int conch_session_count(const conch_lib *lib, const OrtSession *session, int side, size_t *count, conch_error *error) {
  const OrtApi *api = lib->api;
  switch (side) {
  case CONCH_INPUTS: return conch_fail(api, api->SessionGetInputCount(session, count), error);
  case CONCH_OUTPUTS: return conch_fail(api, api->SessionGetOutputCount(session, count), error);
  default: return conch_fail(api, api->SessionGetOverridableInitializerCount(session, count), error);
  }
}

static OrtStatus *get_name(const conch_lib *lib, const OrtSession *session, int side, size_t index, char **name) {
  const OrtApi *api = lib->api;
  switch (side) {
  case CONCH_INPUTS: return api->SessionGetInputName(session, index, lib->allocator, name);
  case CONCH_OUTPUTS: return api->SessionGetOutputName(session, index, lib->allocator, name);
  default: return api->SessionGetOverridableInitializerName(session, index, lib->allocator, name);
  }
}

static OrtStatus *get_type(const conch_lib *lib, const OrtSession *session, int side, size_t index,
                           OrtTypeInfo **info) {
  const OrtApi *api = lib->api;
  switch (side) {
  case CONCH_INPUTS: return api->SessionGetInputTypeInfo(session, index, info);
  case CONCH_OUTPUTS: return api->SessionGetOutputTypeInfo(session, index, info);
  default: return api->SessionGetOverridableInitializerTypeInfo(session, index, info);
  }
}

static int read_shape(const OrtApi *api, const OrtTensorTypeAndShapeInfo *tensor, conch_info *into,
                      conch_error *error) {
  const char *symbols[CONCH_MAX_RANK] = {0};
  if (conch_fail(api, api->GetTensorElementType(tensor, &into->type), error)) return error->code;
  size_t rank = 0;
  if (conch_fail(api, api->GetDimensionsCount(tensor, &rank), error)) return error->code;
  if (rank > CONCH_MAX_RANK) return conch_complain(error, 2, "a tensor of the model has more than 32 dimensions");
  if (conch_fail(api, api->GetDimensions(tensor, into->dims, rank), error)) return error->code;
  if (conch_fail(api, api->GetSymbolicDimensions(tensor, symbols, rank), error)) return error->code;
  into->rank = rank;
  for (size_t i = 0; i < rank; i++) into->symbols[i] = strdup(symbols[i] ? symbols[i] : "");
  return 0;
}

int conch_session_info(const conch_lib *lib, const OrtSession *session, int side, size_t index, conch_info *into,
                       conch_error *error) {
  const OrtApi *api = lib->api;
  memset(into, 0, sizeof *into);
  char *name = NULL;
  if (conch_fail(api, get_name(lib, session, side, index, &name), error)) return error->code;
  into->name = strdup(name);
  conch_fail(api, api->AllocatorFree(lib->allocator, name), error);
  OrtTypeInfo *type = NULL;
  if (conch_fail(api, get_type(lib, session, side, index, &type), error)) return error->code;
  const OrtTensorTypeAndShapeInfo *tensor = NULL; // belongs to type
  if (!conch_fail(api, api->GetOnnxTypeFromTypeInfo(type, &into->kind), error) &&
      !conch_fail(api, api->CastTypeInfoToTensorInfo(type, &tensor), error) && tensor != NULL)
    read_shape(api, tensor, into, error);
  api->ReleaseTypeInfo(type);
  return error->code;
}

void conch_info_free(conch_info *info) {
  free(info->name);
  for (size_t i = 0; i < info->rank; i++) free(info->symbols[i]);
}
