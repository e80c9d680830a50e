// A libnvidia-ml.so.1 for tests on machines without a GPU. The file that FAKE_NVML names says what its driver tells, and is read again at each call:
//   driver 580.65                       its version
//   init 0                              what nvmlInit returns; 9 is "no driver"
//   gpu TOTAL USED UTILIZATION POWER TEMPERATURE RETURN NAME
//                                       bytes, percent, milliwatts; RETURN is what reaching it returns (15: lost)
//   process GPU PID BYTES               a program that computes there
//   listing COUNT RETURN                what the list of programs says of itself, whatever is in it; RETURN 7 calls the room for it too small
//   instance GPU NUMBER COMPUTE TOTAL USED NAME
//                                       a part of a GPU, which is divided (MIG) then; NAME ends with the profile: "NVIDIA H100 MIG 1g.10gb"
// A missing file is a driver that is gone.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, INVALID = 2, UNSUPPORTED = 3, NOT_FOUND = 6, TOO_SMALL = 7, NO_DRIVER = 9, UNKNOWN = 999, MOST = 64, NAME = 96 };

typedef struct { unsigned long long total, used; unsigned utilization, power, temperature; int reached; char name[NAME]; } gpu;
typedef struct { unsigned pid; unsigned long long bytes; unsigned instance, compute; } process;
typedef struct { int init, count; char driver[NAME]; gpu gpus[MOST]; } machine;

static FILE *open_file(void) {
  const char *path = getenv("FAKE_NVML");
  return path ? fopen(path, "r") : NULL;
}

static machine told(void) {
  machine m = {0};
  char line[256];
  FILE *f = open_file();
  if (!f) return (machine){.init = NO_DRIVER};
  strcpy(m.driver, "580.65");
  while (fgets(line, sizeof line, f)) {
    gpu g = {0};
    sscanf(line, "init %d", &m.init);
    sscanf(line, "driver %95[^\n]", m.driver);
    if (m.count < MOST && sscanf(line, "gpu %llu %llu %u %u %u %d %95[^\n]", &g.total, &g.used, &g.utilization, &g.power, &g.temperature, &g.reached, g.name) == 7)
      m.gpus[m.count++] = g;
  }
  fclose(f);
  return m;
}

// The handle of a GPU is its number and one; that of its part has the part's number and one besides, in thousands.
enum { PART = 1000 };
static int number(void *device) { return (int)((long)device % PART) - 1; }

typedef struct { int number, compute; unsigned long long total, used; char name[NAME]; } part;

// parts reads the parts of a GPU, and returns how many there are.
static int parts(int gpu, part list[MOST]) {
  int found = 0, on;
  char line[256];
  FILE *f = open_file();
  if (!f) return 0;
  while (found < MOST && fgets(line, sizeof line, f)) {
    part *p = &list[found];
    if (sscanf(line, "instance %d %d %d %llu %llu %95[^\n]", &on, &p->number, &p->compute, &p->total, &p->used, p->name) == 6 && on == gpu) found++;
  }
  fclose(f);
  return found;
}

static int is_part(void *device, part *out) {
  part list[MOST] = {0};
  int k = (int)((long)device / PART) - 1;
  if (k < 0 || k >= parts(number(device), list)) return 0;
  *out = list[k];
  return 1;
}

static gpu of(void *device) {
  machine m = told();
  part p;
  if (!is_part(device, &p)) return m.gpus[number(device)];
  gpu g = {.total = p.total, .used = p.used};
  strcpy(g.name, p.name);
  return g;
}

int nvmlInit_v2(void) { return told().init; }
int nvmlShutdown(void) { return OK; }
const char *nvmlErrorString(int code) { return code == 15 ? "GPU is lost" : code == NO_DRIVER ? "Driver Not Loaded" : "Unknown Error"; }
int nvmlSystemGetDriverVersion(char *text, unsigned size) { snprintf(text, size, "%s", told().driver); return OK; }
int nvmlSystemGetCudaDriverVersion(int *version) { *version = 13000; return OK; }
int nvmlDeviceGetCount_v2(unsigned *count) {
  machine m = told();
  *count = m.count;
  return m.init;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) {
  machine m = told();
  if ((int)index >= m.count) return INVALID;
  *device = (void *)(long)(index + 1);
  return m.gpus[index].reached;
}
int nvmlDeviceGetUUID(void *device, char *text, unsigned size) {
  part p;
  if (is_part(device, &p)) snprintf(text, size, "MIG-%d%d%06d-%04d-5000-8000-00000000000%d", number(device), p.number, 4711 * (p.number + 1), p.compute, number(device));
  else snprintf(text, size, "GPU-0000000%d-0000-0000-0000-000000000000", number(device));
  return of(device).reached;
}
int nvmlDeviceGetMigMode(void *device, unsigned *now, unsigned *pending) {
  part list[MOST];
  *now = *pending = parts(number(device), list) > 0;
  return OK;
}
int nvmlDeviceGetMaxMigDeviceCount(void *device, unsigned *count) { (void)device; *count = 7; return OK; }
int nvmlDeviceGetMigDeviceHandleByIndex(void *device, unsigned index, void **out) {
  part list[MOST];
  if ((int)index >= parts(number(device), list)) return NOT_FOUND;
  *out = (void *)(long)(PART * ((long)index + 1) + (long)device);
  return OK;
}
int nvmlDeviceGetGpuInstanceId(void *device, unsigned *id) { part p; if (!is_part(device, &p)) return INVALID; *id = p.number; return OK; }
int nvmlDeviceGetComputeInstanceId(void *device, unsigned *id) { part p; if (!is_part(device, &p)) return INVALID; *id = p.compute; return OK; }
int nvmlDeviceGetName(void *device, char *text, unsigned size) { snprintf(text, size, "%s", of(device).name); return OK; }
int nvmlDeviceGetCudaComputeCapability(void *device, int *major, int *minor) { (void)device; *major = 9; *minor = 0; return OK; }
int nvmlDeviceGetMemoryInfo(void *device, unsigned long long *memory) { // total, free, used
  gpu g = of(device);
  memory[0] = g.total, memory[1] = g.total - g.used, memory[2] = g.used;
  return OK;
}
int nvmlDeviceGetUtilizationRates(void *device, unsigned *rates) { rates[0] = of(device).utilization, rates[1] = 0; return OK; }
int nvmlDeviceGetPowerUsage(void *device, unsigned *power) { *power = of(device).power; return *power ? OK : UNSUPPORTED; }
int nvmlDeviceGetPowerManagementLimit(void *device, unsigned *power) { (void)device; *power = 700000; return OK; }
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *heat) { *heat = of(device).temperature; return sensor ? INVALID : OK; }
int nvmlDeviceGetClockInfo(void *device, int kind, unsigned *clock) { (void)device; *clock = kind == 2 ? 2619 : 1980; return OK; }
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, process *list) {
  unsigned most = *count, found = 0, lie;
  int on, ret = -1;
  char line[256];
  FILE *f = open_file();
  if (!f) return UNKNOWN;
  while (fgets(line, sizeof line, f)) {
    process p = {0, 0, ~0u, ~0u};
    if (sscanf(line, "listing %u %d", &lie, &ret) == 2) break;
    if (sscanf(line, "process %d %u %llu", &on, &p.pid, &p.bytes) != 3 || on != number(device)) continue;
    if (found < most) list[found] = p;
    found++;
  }
  fclose(f);
  *count = ret >= 0 ? lie : found;
  if (ret >= 0) return ret;
  return found > most ? TOO_SMALL : OK;
}
