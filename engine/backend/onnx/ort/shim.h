// What Go calls: whole steps of work, so that a run costs one crossing.
#ifndef CONCH_ORT_SHIM_H
#define CONCH_ORT_SHIM_H

#include "ort_api.h"

#include <stdlib.h>

// Tensors of more dimensions than this are refused.
#define CONCH_MAX_RANK 32

// ONNX Runtime's number of strings (ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING).
#define CONCH_STRING 8

// conch_lib is an opened library.
typedef struct {
  const OrtApi *api;
  const char *version;
  OrtEnv *env;
  OrtMemoryInfo *cpu;
  OrtAllocator *allocator; // ONNX Runtime's own default one; never freed
} conch_lib;

// conch_error is what went wrong; code 0 means nothing did.
typedef struct {
  int code;
  char message[2048];
} conch_error;

// conch_input is one tensor to read. data stays the caller's.
typedef struct {
  const char *name;
  int type; // ONNX element type
  size_t rank;
  int64_t dims[CONCH_MAX_RANK];
  size_t elements;
  // Of strings: lengths and bytes, as on Triton's wire. A number, since Go writes it: were it a pointer, Go's collector
  // would look at what stood here before, the address of an earlier request's memory.
  uintptr_t data;
  size_t bytes;
  int device; // the number of the CUDA device that has the data, or CONCH_HERE
} conch_input;

#define CONCH_HERE (-1)

// conch_output is one tensor that was made. Its memory lives until conch_release.
typedef struct {
  OrtValue *value; // what holds data, or NULL
  void *buffer;    // what holds the data of strings, or NULL
  int type;
  size_t rank;
  int64_t dims[CONCH_MAX_RANK];
  void *data;      // NULL for strings until conch_run_strings
  size_t bytes;    // of strings: in wire form
  size_t elements; // of strings alone
  int device;      // before a run: the number of the CUDA device on which it is wanted, or CONCH_HERE
  // Before a run: memory of the caller where it is made, or 0. Type, shape and bytes are then those that it must have. A number, as
  // an input's data.
  uintptr_t room;
} conch_output;

// conch_handle is the part of an output that has to be given back.
typedef struct {
  OrtValue *value;
  void *buffer;
} conch_handle;

// conch_memory is what an arena holds, in bytes.
typedef struct {
  uint64_t total, used;
} conch_memory;

// conch_run is the working memory of one instance, sized for a session's tensors.
typedef struct {
  OrtRunOptions *options;
  size_t inputs, outputs; // in use
  conch_input *input;
  conch_output *output;
  const char **output_name;
  const char **input_name; // scratch
  OrtValue **in_value;     // scratch
  OrtValue **out_value;    // scratch
  conch_error error;
} conch_run;

// conch_info describes one input or output of a session.
typedef struct {
  char *name;
  int kind; // ONNXType
  int type; // element type
  size_t rank;
  int64_t dims[CONCH_MAX_RANK];
  char *symbols[CONCH_MAX_RANK]; // "" for none
} conch_info;

enum { CONCH_INPUTS, CONCH_OUTPUTS, CONCH_OVERRIDABLE };

// conch_threads are sizes of the process's shared pools; 0 leaves one to ONNX Runtime.
typedef struct {
  int intra, inter;
} conch_threads;

// conch_open opens nothing when it fails.
int conch_open(conch_lib *, void *get_api_base, conch_threads, conch_error *);

// conch_close frees what conch_open made, when what comes after it in Open fails.
void conch_close(conch_lib *);

// conch_providers are the execution providers that the library was built with; names belong to the library until
// conch_providers_free.
int conch_providers(const conch_lib *, char ***names, int *count, conch_error *);
void conch_providers_free(const conch_lib *, char **names, int count);

// conch_adapter is a device of the machine that a provider says it can use. Texts belong to the library.
typedef struct {
  const char *provider;
  int type; // OrtHardwareDeviceType
  uint32_t vendor, device;
  const char *vendor_name, *description; // NULL or "" for unknown
  const char *place;                     // on the bus, "0000:03:00.0"; NULL where the system does not tell
  const char *provider_name;             // what OpenVINO calls it, "GPU.1"; NULL elsewhere
  const void *hardware;                  // the same for all providers of one device
} conch_adapter;

// conch_adapters counts the adapters and describes the first of them, as many as there is room for.
int conch_adapters(const conch_lib *, conch_adapter *, size_t room, size_t *count, conch_error *);

// conch_fail takes a status over into an error and frees it; 0 when there was none.
int conch_fail(const OrtApi *, OrtStatus *, conch_error *);

// conch_complain makes an error of ours; codes are ONNX Runtime's (1 failure, 2 invalid argument, 9 not implemented).
int conch_complain(conch_error *, int code, const char *message);

int conch_session_new(const conch_lib *, const void *path, OrtSessionOptions *options, OrtSession **, conch_error *);

// conch_session_new_limited gives the session an arena of its own of so many bytes at most. One at a time: the arena
// passes through the environment.
int conch_session_new_limited(const conch_lib *, const void *path, OrtSessionOptions *options, size_t limit, OrtSession **,
                              conch_error *);
int conch_session_share_threads(const conch_lib *, OrtSessionOptions *options, conch_error *);
int conch_session_operators(const conch_lib *, OrtSessionOptions *options, const void *path, conch_error *);
int conch_session_cancel_load(const conch_lib *, OrtSessionOptions *options);
void conch_session_free(const conch_lib *, OrtSession *);
int conch_session_count(const conch_lib *, const OrtSession *, int side, size_t *, conch_error *);
int conch_session_info(const conch_lib *, const OrtSession *, int side, size_t index, conch_info *, conch_error *);
void conch_info_free(conch_info *);

// conch_session_memory is what the session's arena on a CUDA device, or CONCH_HERE, holds for weights and scratch, and how much of
// it is in use. Both are 0 when it cannot tell.
conch_memory conch_session_memory(const conch_lib *, const OrtSession *, int device);

conch_run *conch_run_new(const conch_lib *, size_t inputs, size_t outputs, conch_error *);
void conch_run_free(const conch_lib *, conch_run *);
int conch_run_config(const conch_lib *, conch_run *, const char *key, const char *value, conch_error *);

// conch_run_do runs the model. It leaves outputs of strings to conch_run_strings, so that their memory can be counted
// before it is taken. Otherwise conch_run_drop frees all outputs.
int conch_run_do(const conch_lib *, OrtSession *, conch_run *);
int conch_run_strings(const conch_lib *, conch_run *, size_t output);
void conch_run_drop(const conch_lib *, conch_run *);

// conch_fixed is a run whose inputs and outputs stay where they are in a device's memory, as a CUDA graph needs it.
typedef struct {
  OrtAllocator *memory;
  OrtIoBinding *binding;
  OrtRunOptions *options;
  size_t count; // of values and their memory
  OrtValue **value;
  void **data;
  conch_error error;
} conch_fixed;

// conch_fixed_new takes memory for the inputs and, behind them in the list, the outputs, and writes its addresses into the list.
conch_fixed *conch_fixed_new(const conch_lib *, OrtSession *, int device, conch_input *list, size_t inputs, size_t outputs,
                             conch_error *);

// conch_fixed_run records a graph of this number, one that the session does not have yet; with NULL it replays the last one.
int conch_fixed_run(const conch_lib *, OrtSession *, conch_fixed *, const char *record);
void conch_fixed_free(const conch_lib *, conch_fixed *);

// conch_session_places tells of each input, or output, whether it is in a GPU's memory.
int conch_session_places(const conch_lib *, const OrtSession *, int side, size_t count, _Bool *on_gpu, conch_error *);

// conch_make_away makes a tensor of what is in a GPU's memory. ONNX Runtime copies nothing of it.
int conch_make_away(const conch_lib *, const conch_input *, OrtValue **, conch_error *);

// conch_run_bound is how a run is made that leaves outputs on a device.
int conch_run_bound(const conch_lib *, OrtSession *, conch_run *);

void conch_run_terminate(const conch_lib *, conch_run *);
void conch_run_rearm(const conch_lib *, conch_run *);
void conch_release(const conch_lib *, conch_handle *, size_t count);

void conch_trim(void);

#endif
