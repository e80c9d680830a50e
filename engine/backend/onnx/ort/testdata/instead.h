// A library that stands in the place of ONNX Runtime in tests: the table of the real one, in which take_all puts functions of the test.
// REAL is the variable with the path of the real library.
#include "../ort_api.h"

#include <dlfcn.h>
#include <stdlib.h>

static const OrtApiBase *base;
static const OrtApi *real;
static OrtApi table;

#define TAKE(name) table.name = my_##name
static void take_all(void);

static const OrtApi *get_api(uint32_t version) {
  real = base->GetApi(version);
  if (real == NULL) return NULL;
  table = *real;
  take_all();
  return &table;
}

static const char *version(void) { return base->GetVersionString(); }

const OrtApiBase *OrtGetApiBase(void) {
  static const OrtApiBase mine = {get_api, version};
  void *library = dlopen(getenv(REAL), RTLD_NOW | RTLD_LOCAL);
  base = ((const OrtApiBase *(*)(void))dlsym(library, "OrtGetApiBase"))();
  return &mine;
}
