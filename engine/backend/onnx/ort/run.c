#include "shim.h"

#include <stdlib.h>
#include <string.h>

static void forget(const OrtApi *api, OrtStatus *status) {
  if (status != NULL) api->ReleaseStatus(status);
}

conch_run *conch_run_new(const conch_lib *lib, size_t inputs, size_t outputs, conch_error *error) {
  conch_run *run = calloc(1, sizeof *run);
  if (run == NULL) {
    conch_complain(error, 1, "out of memory");
    return NULL;
  }
  run->input = calloc(inputs + 1, sizeof *run->input);
  run->output = calloc(outputs + 1, sizeof *run->output);
  run->input_name = calloc(inputs + 1, sizeof *run->input_name);
  run->output_name = calloc(outputs + 1, sizeof *run->output_name);
  run->in_value = calloc(inputs + 1, sizeof *run->in_value);
  run->out_value = calloc(outputs + 1, sizeof *run->out_value);
  if (!run->input || !run->output || !run->input_name || !run->output_name || !run->in_value || !run->out_value)
    conch_complain(error, 1, "out of memory");
  else
    conch_fail(lib->api, lib->api->CreateRunOptions(&run->options), error);
  if (error->code == 0) return run;
  conch_run_free(lib, run);
  return NULL;
}

void conch_run_free(const conch_lib *lib, conch_run *run) {
  if (run->options != NULL) lib->api->ReleaseRunOptions(run->options);
  free(run->input);
  free(run->output);
  free(run->input_name);
  free(run->output_name);
  free(run->in_value);
  free(run->out_value);
  free(run);
}

int conch_run_config(const conch_lib *lib, conch_run *run, const char *key, const char *value, conch_error *error) {
  return conch_fail(lib->api, lib->api->AddRunConfigEntry(run->options, key, value), error);
}

void conch_run_terminate(const conch_lib *lib, conch_run *run) {
  forget(lib->api, lib->api->RunOptionsSetTerminate(run->options));
}

void conch_run_rearm(const conch_lib *lib, conch_run *run) {
  forget(lib->api, lib->api->RunOptionsUnsetTerminate(run->options));
}

// read_u32 reads a little-endian length.
static uint32_t read_u32(const unsigned char *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void write_u32(unsigned char *p, uint32_t v) {
  p[0] = (unsigned char)v;
  p[1] = (unsigned char)(v >> 8);
  p[2] = (unsigned char)(v >> 16);
  p[3] = (unsigned char)(v >> 24);
}

// fill_strings copies elements in wire form into a tensor, NUL bytes and all.
static int fill_strings(const conch_lib *lib, const conch_input *in, OrtValue *value, conch_error *error) {
  const unsigned char *p = (const unsigned char *)in->data, *end = p + in->bytes;
  for (size_t i = 0; i < in->elements; i++) {
    if ((size_t)(end - p) < 4) return conch_complain(error, 2, "a string tensor ends before its last element");
    size_t length = read_u32(p);
    p += 4;
    if ((size_t)(end - p) < length) return conch_complain(error, 2, "a string element is longer than its tensor");
    char *into = NULL;
    if (conch_fail(lib->api, lib->api->GetResizedStringTensorElementBuffer(value, i, length, &into), error))
      return error->code;
    if (length > 0) memcpy(into, p, length);
    p += length;
  }
  return p == end ? 0 : conch_complain(error, 2, "a string tensor has more elements than its shape says");
}

int conch_make_away(const conch_lib *lib, const conch_input *in, OrtValue **value, conch_error *error) {
  const OrtApi *api = lib->api;
  OrtMemoryInfo *there = NULL;
  if (conch_fail(api, api->CreateMemoryInfo("Cuda", CONCH_DEVICE_ALLOCATOR, in->device, CONCH_DEVICE_MEMORY, &there), error))
    return error->code;
  conch_fail(api,
             api->CreateTensorWithDataAsOrtValue(there, (void *)in->data, in->bytes, in->dims, in->rank, in->type, value),
             error);
  api->ReleaseMemoryInfo(there);
  return error->code;
}

static int make_input(const conch_lib *lib, const conch_input *in, OrtValue **value, conch_error *error) {
  static char nothing[16];
  const OrtApi *api = lib->api;
  if (in->device != CONCH_HERE) return conch_make_away(lib, in, value, error);
  if (in->type == CONCH_STRING) {
    if (conch_fail(api, api->CreateTensorAsOrtValue(lib->allocator, in->dims, in->rank, in->type, value), error))
      return error->code;
    return fill_strings(lib, in, *value, error);
  }
  void *data = in->bytes > 0 ? (void *)in->data : nothing;
  return conch_fail(api,
              api->CreateTensorWithDataAsOrtValue(lib->cpu, data, in->bytes, in->dims, in->rank, in->type, value),
              error);
}

// measure_strings computes how many bytes a string tensor has in wire form.
static int measure_strings(const conch_lib *lib, size_t count, conch_output *out, conch_error *error) {
  size_t text = 0;
  if (conch_fail(lib->api, lib->api->GetStringTensorDataLength(out->value, &text), error)) return error->code;
  out->elements = count;
  out->bytes = text + 4 * count;
  out->data = NULL;
  return 0;
}

// take_strings copies a string tensor's content into wire form: the text is put at the end of the buffer and moved
// forward between its lengths.
static int take_strings(const conch_lib *lib, conch_output *out, conch_error *error) {
  const OrtApi *api = lib->api;
  size_t count = out->elements, text = out->bytes - 4 * count;
  unsigned char *buffer = malloc(text + 4 * count + 1);
  size_t *offsets = malloc((count + 1) * sizeof *offsets);
  if (buffer == NULL || offsets == NULL) {
    free(buffer);
    free(offsets);
    return conch_complain(error, 1, "out of memory");
  }
  unsigned char *from = buffer + 4 * count, *to = buffer;
  if (count > 0) conch_fail(api, api->GetStringTensorContent(out->value, from, text, offsets, count), error);
  for (size_t i = 0; error->code == 0 && i < count; i++) {
    size_t end = i + 1 < count ? offsets[i + 1] : text;
    size_t length = end - offsets[i];
    memmove(to + 4, from + offsets[i], length);
    write_u32(to, (uint32_t)length);
    to += 4 + length;
  }
  free(offsets);
  out->buffer = out->data = buffer;
  api->ReleaseValue(out->value);
  out->value = NULL;
  return error->code;
}

// element_size is that of ONNX element types; 0 for what has none of its own here.
static size_t element_size(int type) {
  static const unsigned char sizes[] = {0, 4, 1, 1, 2, 2, 4, 8, 0, 1, 2, 8, 4, 8, 0, 0, 2};
  return type >= 0 && (size_t)type < sizeof sizes ? sizes[type] : 0;
}

// describe reads type and shape, and gives the number of elements. The shape it is
// shown belongs to the value, so nothing is allocated.
static int describe(const conch_lib *lib, conch_output *out, size_t *count, conch_error *error) {
  const int64_t *dims = NULL;
  if (conch_fail(lib->api,
                 lib->api->GetTensorElementTypeAndShapeDataReference(out->value, &out->type, &dims, &out->rank),
                 error))
    return error->code;
  if (out->rank > CONCH_MAX_RANK) return conch_complain(error, 2, "an output has more than 32 dimensions");
  *count = 1;
  for (size_t i = 0; i < out->rank; i++) {
    out->dims[i] = dims[i];
    *count *= (size_t)dims[i];
  }
  return 0;
}

static int take_output(const conch_lib *lib, conch_output *out, conch_error *error) {
  size_t count = 0;
  if (out->value == NULL) return conch_complain(error, 1, "the model left an optional output empty");
  if (describe(lib, out, &count, error)) return error->code;
  if (out->type == CONCH_STRING) return measure_strings(lib, count, out, error);
  size_t size = element_size(out->type);
  if (size == 0) return conch_complain(error, 9, "an output has a data type that cannot be given to clients");
  out->bytes = count * size;
  return conch_fail(lib->api, lib->api->GetTensorMutableData(out->value, &out->data), error);
}

int conch_run_strings(const conch_lib *lib, conch_run *run, size_t output) {
  run->error.code = 0;
  return take_strings(lib, &run->output[output], &run->error);
}

void conch_run_drop(const conch_lib *lib, conch_run *run) {
  for (size_t i = 0; i < run->outputs; i++) {
    conch_handle handle = {run->output[i].value, run->output[i].buffer};
    conch_release(lib, &handle, 1);
    run->output[i].value = NULL;
    run->output[i].buffer = NULL;
  }
}

// make_rooms makes the outputs that have memory of the caller. ONNX Runtime writes there, and makes the others itself.
static int make_rooms(const conch_lib *lib, conch_run *run) {
  for (size_t i = 0; i < run->outputs && run->error.code == 0; i++) {
    const conch_output *out = &run->output[i];
    if (out->room == 0) continue;
    conch_fail(lib->api,
               lib->api->CreateTensorWithDataAsOrtValue(lib->cpu, (void *)out->room, out->bytes, out->dims, out->rank, out->type,
                                                        &run->out_value[i]),
               &run->error);
  }
  return run->error.code;
}

// call runs the model. Outputs that are wanted on a device need a binding, which knows no rooms.
static int call(const conch_lib *lib, OrtSession *session, conch_run *run) {
  for (size_t i = 0; i < run->outputs; i++)
    if (run->output[i].device != CONCH_HERE) return conch_run_bound(lib, session, run);
  if (make_rooms(lib, run)) return run->error.code;
  return conch_fail(lib->api,
                    lib->api->Run(session, run->options, run->input_name, (const OrtValue *const *)run->in_value, run->inputs,
                                  run->output_name, run->outputs, run->out_value),
                    &run->error);
}

int conch_run_do(const conch_lib *lib, OrtSession *session, conch_run *run) {
  conch_error *error = &run->error;
  error->code = 0;
  size_t made = 0;
  for (; made < run->inputs && error->code == 0; made++) {
    run->in_value[made] = NULL;
    run->input_name[made] = run->input[made].name;
    make_input(lib, &run->input[made], &run->in_value[made], error);
  }
  memset(run->out_value, 0, run->outputs * sizeof *run->out_value);
  if (error->code == 0) call(lib, session, run);
  for (size_t i = 0; i < made; i++)
    if (run->in_value[i] != NULL) lib->api->ReleaseValue(run->in_value[i]);
  for (size_t i = 0; i < run->outputs; i++) {
    conch_output *out = &run->output[i];
    out->value = run->out_value[i];
    out->buffer = NULL;
    if (error->code == 0) take_output(lib, out, error);
  }
  if (error->code != 0) conch_run_drop(lib, run);
  return error->code;
}

void conch_release(const conch_lib *lib, conch_handle *handles, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (handles[i].value != NULL) lib->api->ReleaseValue(handles[i].value);
    free(handles[i].buffer);
  }
}
