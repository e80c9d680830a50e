// An ONNX Runtime for tests on a machine with a processor, a GPU of AMD, an accelerator for neural networks and a GPU of NVIDIA. With
// $ADAPTERS=crash it ends the process when it is asked for its devices, and with $ADAPTERS=hang it does not answer.
#define REAL "ADAPTERS_REAL"
#include "instead.h"

#include <string.h>
#include <unistd.h>

typedef struct {
  int type;
  uint32_t vendor, device;
  const char *maker, *description, *place;
} hardware;

static const hardware processor = {0, 0x8086, 0, "Intel", NULL, NULL}, radeon = {1, 0x1002, 0x744c, "AMD", "AMD Radeon", "0000:03:00.0"},
                      npu = {2, 0x5143, 1, "", NULL, NULL}, h100 = {1, 0x10de, 0x2330, "", NULL, "0000:41:00.0"};

typedef struct {
  const char *provider;
  const hardware *on;
} adapter;

static const adapter adapters[] = {{"CPUExecutionProvider", &processor},
                                   {"WebGpuExecutionProvider", &radeon},
                                   {"QNNExecutionProvider", &npu},
                                   {"DmlExecutionProvider", &radeon},
                                   {"WebGpuExecutionProvider", &h100}};
enum { ADAPTERS = sizeof adapters / sizeof *adapters };

static OrtStatus *my_GetEpDevices(const OrtEnv *env, const OrtEpDevice *const **list, size_t *count) {
  static const void *all[ADAPTERS];
  const char *fault = getenv("ADAPTERS");
  (void)env;
  if (fault != NULL && strcmp(fault, "crash") == 0) abort();
  while (fault != NULL && strcmp(fault, "hang") == 0) pause();
  for (size_t i = 0; i < ADAPTERS; i++) all[i] = &adapters[i];
  *list = (const OrtEpDevice *const *)all;
  *count = ADAPTERS;
  return NULL;
}

static const hardware *of(const void *device) { return device; }

static const OrtHardwareDevice *my_EpDevice_Device(const OrtEpDevice *d) { return (const OrtHardwareDevice *)((const adapter *)d)->on; }
static const char *my_EpDevice_EpName(const OrtEpDevice *d) { return ((const adapter *)d)->provider; }
static const OrtKeyValuePairs *my_EpDevice_EpMetadata(const OrtEpDevice *d) {
  (void)d;
  return NULL;
}
static int my_HardwareDevice_Type(const OrtHardwareDevice *d) { return of(d)->type; }
static uint32_t my_HardwareDevice_VendorId(const OrtHardwareDevice *d) { return of(d)->vendor; }
static uint32_t my_HardwareDevice_DeviceId(const OrtHardwareDevice *d) { return of(d)->device; }
static const char *my_HardwareDevice_Vendor(const OrtHardwareDevice *d) { return of(d)->maker; }
static const OrtKeyValuePairs *my_HardwareDevice_Metadata(const OrtHardwareDevice *d) { return (const OrtKeyValuePairs *)d; }

static const char *my_GetKeyValue(const OrtKeyValuePairs *pairs, const char *key) {
  const void *p = pairs;
  if (p != &processor && p != &radeon && p != &npu && p != &h100) return real->GetKeyValue(pairs, key);
  if (strcmp(key, "Description") == 0) return of(p)->description;
  return strcmp(key, "pci_bus_id") == 0 ? of(p)->place : NULL;
}

static void take_all(void) {
  TAKE(GetEpDevices), TAKE(EpDevice_Device), TAKE(EpDevice_EpName), TAKE(EpDevice_EpMetadata), TAKE(GetKeyValue);
  TAKE(HardwareDevice_Type), TAKE(HardwareDevice_VendorId), TAKE(HardwareDevice_DeviceId), TAKE(HardwareDevice_Vendor);
  TAKE(HardwareDevice_Metadata);
}
