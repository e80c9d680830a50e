// Runs with a binding: some of their tensors have a place in the memory of a device.
#include "shim.h"

#include <stdlib.h>
#include <string.h>

static int cuda_memory(const conch_lib *lib, int device, OrtMemoryInfo **info, conch_error *error) {
  return conch_fail(lib->api, lib->api->CreateMemoryInfo("Cuda", CONCH_DEVICE_ALLOCATOR, device, CONCH_DEVICE_MEMORY, info), error);
}

int conch_session_places(const conch_lib *lib, const OrtSession *session, int side, size_t count, _Bool *on_gpu, conch_error *error) {
  const OrtApi *api = lib->api;
  const OrtMemoryInfo **places = calloc(count + 1, sizeof *places);
  if (places == NULL) return conch_complain(error, 1, "out of memory");
  conch_fail(api,
             side == CONCH_INPUTS ? api->SessionGetMemoryInfoForInputs(session, places, count)
                                  : api->SessionGetMemoryInfoForOutputs(session, places, count),
             error);
  for (size_t i = 0; i < count && error->code == 0; i++) {
    int type = 0;
    if (places[i] != NULL) api->MemoryInfoGetDeviceType(places[i], &type);
    on_gpu[i] = type == CONCH_GPU;
  }
  free(places);
  return error->code;
}

// bind_outputs says where each wanted output goes.
static int bind_outputs(const conch_lib *lib, const conch_run *run, OrtIoBinding *binding, conch_error *error) {
  const OrtApi *api = lib->api;
  for (size_t i = 0; i < run->outputs; i++) {
    OrtMemoryInfo *there = NULL;
    if (run->output[i].device != CONCH_HERE && cuda_memory(lib, run->output[i].device, &there, error)) return error->code;
    conch_fail(api, api->BindOutputToDevice(binding, run->output_name[i], there == NULL ? lib->cpu : there), error);
    if (there != NULL) api->ReleaseMemoryInfo(there);
    if (error->code != 0) return error->code;
  }
  return 0;
}

int conch_run_bound(const conch_lib *lib, OrtSession *session, conch_run *run) {
  const OrtApi *api = lib->api;
  conch_error *error = &run->error;
  OrtIoBinding *binding = NULL;
  if (conch_fail(api, api->CreateIoBinding(session, &binding), error)) return error->code;
  _Bool copies = 0;
  for (size_t i = 0; i < run->inputs && error->code == 0; i++) {
    copies |= run->input[i].device == CONCH_HERE;
    conch_fail(api, api->BindInput(binding, run->input_name[i], run->in_value[i]), error);
  }
  // BindInput only begins to copy an input to the device, on a stream that need not be the run's.
  if (error->code == 0 && copies) conch_fail(api, api->SynchronizeBoundInputs(binding), error);
  if (error->code == 0) bind_outputs(lib, run, binding, error);
  if (error->code == 0) conch_fail(api, api->RunWithBinding(session, run->options, binding), error);
  OrtValue **values = NULL;
  size_t count = 0;
  if (error->code == 0 && !conch_fail(api, api->GetBoundOutputValues(binding, lib->allocator, &values, &count), error)) {
    for (size_t i = 0; i < count; i++) {
      if (i < run->outputs) run->out_value[i] = values[i];
      else api->ReleaseValue(values[i]);
    }
    if (values != NULL) conch_fail(api, api->AllocatorFree(lib->allocator, values), error);
  }
  api->ReleaseIoBinding(binding);
  return error->code;
}

// place takes memory for one tensor of a fixed run.
static int place(const conch_lib *lib, conch_fixed *fixed, conch_input *tensor, conch_error *error) {
  void *data = NULL;
  if (conch_fail(lib->api, lib->api->AllocatorAlloc(fixed->memory, tensor->bytes, &data), error)) return error->code;
  if (data == NULL) return conch_complain(error, 1, "out of memory on the device");
  fixed->data[fixed->count] = data;
  fixed->value[fixed->count] = NULL;
  tensor->data = (uintptr_t)data;
  return conch_make_away(lib, tensor, &fixed->value[fixed->count++], error);
}

static int fill(const conch_lib *lib, OrtSession *session, conch_fixed *fixed, int device, conch_input *list, size_t inputs,
                size_t outputs, conch_error *error) {
  const OrtApi *api = lib->api;
  OrtMemoryInfo *there = NULL;
  fixed->value = calloc(inputs + outputs + 1, sizeof *fixed->value);
  fixed->data = calloc(inputs + outputs + 1, sizeof *fixed->data);
  if (fixed->value == NULL || fixed->data == NULL) return conch_complain(error, 1, "out of memory");
  if (cuda_memory(lib, device, &there, error)) return error->code;
  conch_fail(api, api->CreateAllocator(session, there, &fixed->memory), error);
  api->ReleaseMemoryInfo(there);
  if (error->code == 0) conch_fail(api, api->CreateIoBinding(session, &fixed->binding), error);
  for (size_t i = 0; i < inputs + outputs && error->code == 0; i++) {
    if (place(lib, fixed, &list[i], error)) break;
    conch_fail(api,
               i < inputs ? api->BindInput(fixed->binding, list[i].name, fixed->value[i])
                          : api->BindOutput(fixed->binding, list[i].name, fixed->value[i]),
               error);
  }
  return error->code;
}

conch_fixed *conch_fixed_new(const conch_lib *lib, OrtSession *session, int device, conch_input *list, size_t inputs, size_t outputs,
                             conch_error *error) {
  conch_fixed *fixed = calloc(1, sizeof *fixed);
  if (fixed == NULL) {
    conch_complain(error, 1, "out of memory");
    return NULL;
  }
  if (fill(lib, session, fixed, device, list, inputs, outputs, error) == 0) return fixed;
  conch_fixed_free(lib, fixed);
  return NULL;
}

// number has the next run record a graph.
static int number(const OrtApi *api, conch_fixed *fixed, const char *graph) {
  if (fixed->options != NULL) api->ReleaseRunOptions(fixed->options);
  fixed->options = NULL;
  if (conch_fail(api, api->CreateRunOptions(&fixed->options), &fixed->error)) return fixed->error.code;
  return conch_fail(api, api->AddRunConfigEntry(fixed->options, "gpu_graph_id", graph), &fixed->error);
}

int conch_fixed_run(const conch_lib *lib, OrtSession *session, conch_fixed *fixed, const char *record) {
  fixed->error.code = 0;
  if (record != NULL && number(lib->api, fixed, record)) return fixed->error.code;
  return conch_fail(lib->api, lib->api->RunWithBinding(session, fixed->options, fixed->binding), &fixed->error);
}

void conch_fixed_free(const conch_lib *lib, conch_fixed *fixed) {
  const OrtApi *api = lib->api;
  conch_error ignored = {0};
  if (fixed->binding != NULL) api->ReleaseIoBinding(fixed->binding);
  if (fixed->options != NULL) api->ReleaseRunOptions(fixed->options);
  for (size_t i = 0; i < fixed->count; i++) {
    if (fixed->value[i] != NULL) api->ReleaseValue(fixed->value[i]);
    conch_fail(api, api->AllocatorFree(fixed->memory, fixed->data[i]), &ignored);
  }
  if (fixed->memory != NULL) api->ReleaseAllocator(fixed->memory);
  free(fixed->value);
  free(fixed->data);
  free(fixed);
}
