/* A libnvidia-ml.so.1 for the test of weak functions: it says that it was called, and that there is no driver. */
#include <stdio.h>

int nvmlInit_v2(void) {
  fprintf(stderr, "nvmlInit_v2 was called\n");
  return 9; /* NVML_ERROR_DRIVER_NOT_LOADED */
}

const char *nvmlErrorString(int code) { return code == 9 ? "no driver" : "?"; }
