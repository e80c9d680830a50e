// An ONNX Runtime for tests beside which OpenVINO's plug-in lies: the table of the real library, with the functions for plug-ins. It
// appends to the file $PLUGIN_REPORT what it is told. $PLUGIN_DEVICES is the number of devices that the plug-in finds.
#define REAL "PLUGIN_REAL"
#include "testdata/instead.h"

#include <stdio.h>

typedef struct {
  const char *provider, *name;
  int type;
} device;

static const device devices[] = {{"OpenVINOExecutionProvider", "CPU", 0},
                                 {"OpenVINOExecutionProvider", "GPU.0", 1},
                                 {"OpenVINOExecutionProvider", "GPU.1", 1},
                                 {"OpenVINOExecutionProvider.AUTO", "CPU", 0},
                                 {"OpenVINOExecutionProvider.AUTO", "GPU.0", 1}};
static const void *list[5];
static size_t found;

static FILE *report(void) { return fopen(getenv("PLUGIN_REPORT"), "a"); }

static OrtStatus *my_RegisterExecutionProviderLibrary(OrtEnv *env, const char *name, const char *path) {
  (void)env;
  FILE *f = report();
  fprintf(f, "register %s %s\n", name, path);
  fclose(f);
  found = atoi(getenv("PLUGIN_DEVICES"));
  for (size_t i = 0; i < found; i++) list[i] = &devices[i];
  return NULL;
}

static OrtStatus *my_GetEpDevices(const OrtEnv *env, const OrtEpDevice *const **all, size_t *count) {
  (void)env;
  *all = (const OrtEpDevice *const *)list;
  *count = found;
  return NULL;
}

static const device *of(const void *d) { return d; }

static const OrtHardwareDevice *my_EpDevice_Device(const OrtEpDevice *d) { return (const OrtHardwareDevice *)d; }
static const char *my_EpDevice_EpName(const OrtEpDevice *d) { return of(d)->provider; }
static const OrtKeyValuePairs *my_EpDevice_EpMetadata(const OrtEpDevice *d) { return (const OrtKeyValuePairs *)d; }
static const char *my_GetKeyValue(const OrtKeyValuePairs *pairs, const char *key) {
  _Bool ours = of(pairs) >= devices && of(pairs) < devices + sizeof devices / sizeof *devices;
  return ours ? of(pairs)->name : real->GetKeyValue(pairs, key);
}
static int my_HardwareDevice_Type(const OrtHardwareDevice *d) { return of(d)->type; }
static uint32_t my_number(const OrtHardwareDevice *d) { return d == NULL; }
static const char *my_HardwareDevice_Vendor(const OrtHardwareDevice *d) { return d == NULL ? NULL : "Intel"; }
static const OrtKeyValuePairs *my_HardwareDevice_Metadata(const OrtHardwareDevice *d) {
  (void)d;
  return NULL;
}

static OrtStatus *my_SessionOptionsAppendExecutionProvider_V2(OrtSessionOptions *options, OrtEnv *env,
                                                              const OrtEpDevice *const *chosen, size_t count,
                                                              const char *const *keys, const char *const *values,
                                                              size_t settings) {
  (void)options, (void)env;
  FILE *f = report();
  fputs("append", f);
  for (size_t i = 0; i < count; i++) fprintf(f, " %s %s", of(chosen[i])->provider, of(chosen[i])->name);
  for (size_t i = 0; i < settings; i++) fprintf(f, " %s=%s", keys[i], values[i]);
  fputs("\n", f);
  fclose(f);
  return NULL;
}

static void take_all(void) {
  TAKE(RegisterExecutionProviderLibrary), TAKE(GetEpDevices), TAKE(SessionOptionsAppendExecutionProvider_V2);
  TAKE(EpDevice_Device), TAKE(EpDevice_EpName), TAKE(EpDevice_EpMetadata), TAKE(GetKeyValue);
  TAKE(HardwareDevice_Type), TAKE(HardwareDevice_Vendor), TAKE(HardwareDevice_Metadata);
  table.HardwareDevice_VendorId = table.HardwareDevice_DeviceId = my_number;
}
