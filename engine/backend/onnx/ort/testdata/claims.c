// An ONNX Runtime for tests that says it was built with providers for GPUs, whose own libraries lie elsewhere or nowhere, as packages of
// ONNX Runtime do.
#define REAL "CLAIMS_REAL"
#include "testdata/instead.h"

static char *claimed[] = {"TensorrtExecutionProvider", "CUDAExecutionProvider", "CPUExecutionProvider"};

static OrtStatus *my_GetAvailableProviders(char ***names, int *count) {
  *names = claimed;
  *count = 3;
  return NULL;
}

static OrtStatus *my_ReleaseAvailableProviders(char **names, int count) {
  (void)names, (void)count;
  return NULL;
}

static void take_all(void) { TAKE(GetAvailableProviders), TAKE(ReleaseAvailableProviders); }
