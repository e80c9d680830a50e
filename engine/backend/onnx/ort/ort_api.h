// The part of ONNX Runtime's C API that is used here, in place of its 400 KB header.
//
// OrtApi is a table of functions whose order never changes between versions
// (ONNX Runtime promises it in onnxruntime_c_api.h). Only the slots in use have
// names; SLOT at the end pins each to its number, and a test compares those
// numbers with the header that comes with the Go binding. A few are used by testdata/faulty.c alone.
#ifndef CONCH_ORT_API_H
#define CONCH_ORT_API_H

#include <stddef.h>
#include <stdint.h>

// API_VERSION is the one that the Go binding asks for (ONNX Runtime 1.29); a test compares them.
#define CONCH_API_VERSION 29

typedef struct OrtStatus OrtStatus;
typedef struct OrtEnv OrtEnv;
typedef struct OrtSession OrtSession;
typedef struct OrtSessionOptions OrtSessionOptions;
typedef struct OrtRunOptions OrtRunOptions;
typedef struct OrtValue OrtValue;
typedef struct OrtTypeInfo OrtTypeInfo;
typedef struct OrtTensorTypeAndShapeInfo OrtTensorTypeAndShapeInfo;
typedef struct OrtAllocator OrtAllocator;
typedef struct OrtMemoryInfo OrtMemoryInfo;
typedef struct OrtThreadingOptions OrtThreadingOptions;
typedef struct OrtKeyValuePairs OrtKeyValuePairs;
typedef struct OrtArenaCfg OrtArenaCfg;
typedef struct OrtEpDevice OrtEpDevice;
typedef struct OrtHardwareDevice OrtHardwareDevice;
typedef struct OrtIoBinding OrtIoBinding;

typedef void (*OrtLoggingFunction)(void *param, int severity, const char *category, const char *logid,
                                   const char *location, const char *message);

// OrtAllocatorType and OrtMemType: an allocator of a device itself, and its memory.
enum { CONCH_DEVICE_ALLOCATOR = 0, CONCH_DEVICE_MEMORY = 0 };

// OrtMemoryInfoDeviceType of a GPU.
enum { CONCH_GPU = 1 };

// A char on every system but Windows, where paths are UTF-16.
#ifdef _WIN32
typedef wchar_t OrtPathChar;
#else
typedef char OrtPathChar;
#endif

typedef struct OrtApi {
  OrtStatus *(*CreateStatus)(int code, const char *message);
  int (*GetErrorCode)(const OrtStatus *);
  const char *(*GetErrorMessage)(const OrtStatus *);
  OrtStatus *(*CreateEnv)(int severity, const char *logid, OrtEnv **);
  void *slots_4[2];
  OrtStatus *(*DisableTelemetryEvents)(const OrtEnv *);
  OrtStatus *(*CreateSession)(const OrtEnv *, const OrtPathChar *path, const OrtSessionOptions *, OrtSession **);
  void *slots_8[1];
  OrtStatus *(*Run)(OrtSession *, const OrtRunOptions *, const char *const *input_names,
                    const OrtValue *const *inputs, size_t input_count, const char *const *output_names,
                    size_t output_count, OrtValue **outputs);
  OrtStatus *(*CreateSessionOptions)(OrtSessionOptions **);
  void *slots_11[12];
  OrtStatus *(*SetSessionGraphOptimizationLevel)(OrtSessionOptions *, int level);
  void *slots_24[6];
  OrtStatus *(*SessionGetInputCount)(const OrtSession *, size_t *);
  OrtStatus *(*SessionGetOutputCount)(const OrtSession *, size_t *);
  OrtStatus *(*SessionGetOverridableInitializerCount)(const OrtSession *, size_t *);
  OrtStatus *(*SessionGetInputTypeInfo)(const OrtSession *, size_t, OrtTypeInfo **);
  OrtStatus *(*SessionGetOutputTypeInfo)(const OrtSession *, size_t, OrtTypeInfo **);
  OrtStatus *(*SessionGetOverridableInitializerTypeInfo)(const OrtSession *, size_t, OrtTypeInfo **);
  OrtStatus *(*SessionGetInputName)(const OrtSession *, size_t, OrtAllocator *, char **);
  OrtStatus *(*SessionGetOutputName)(const OrtSession *, size_t, OrtAllocator *, char **);
  OrtStatus *(*SessionGetOverridableInitializerName)(const OrtSession *, size_t, OrtAllocator *, char **);
  OrtStatus *(*CreateRunOptions)(OrtRunOptions **);
  void *slots_40[6];
  OrtStatus *(*RunOptionsSetTerminate)(OrtRunOptions *);
  OrtStatus *(*RunOptionsUnsetTerminate)(OrtRunOptions *);
  OrtStatus *(*CreateTensorAsOrtValue)(OrtAllocator *, const int64_t *shape, size_t rank, int type, OrtValue **);
  OrtStatus *(*CreateTensorWithDataAsOrtValue)(const OrtMemoryInfo *, void *data, size_t bytes, const int64_t *shape,
                                               size_t rank, int type, OrtValue **);
  void *slots_50[1];
  OrtStatus *(*GetTensorMutableData)(OrtValue *, void **);
  void *slots_52[1];
  OrtStatus *(*GetStringTensorDataLength)(const OrtValue *, size_t *);
  OrtStatus *(*GetStringTensorContent)(const OrtValue *, void *text, size_t bytes, size_t *offsets, size_t count);
  OrtStatus *(*CastTypeInfoToTensorInfo)(const OrtTypeInfo *, const OrtTensorTypeAndShapeInfo **);
  OrtStatus *(*GetOnnxTypeFromTypeInfo)(const OrtTypeInfo *, int *);
  void *slots_57[3];
  OrtStatus *(*GetTensorElementType)(const OrtTensorTypeAndShapeInfo *, int *);
  OrtStatus *(*GetDimensionsCount)(const OrtTensorTypeAndShapeInfo *, size_t *);
  OrtStatus *(*GetDimensions)(const OrtTensorTypeAndShapeInfo *, int64_t *, size_t);
  OrtStatus *(*GetSymbolicDimensions)(const OrtTensorTypeAndShapeInfo *, const char **, size_t);
  void *slots_64[4];
  OrtStatus *(*CreateMemoryInfo)(const char *name, int allocator, int device, int memory, OrtMemoryInfo **);
  OrtStatus *(*CreateCpuMemoryInfo)(int allocator, int memory, OrtMemoryInfo **);
  void *slots_70[5];
  OrtStatus *(*AllocatorAlloc)(OrtAllocator *, size_t, void **);
  OrtStatus *(*AllocatorFree)(OrtAllocator *, void *);
  void *slots_77[1];
  OrtStatus *(*GetAllocatorWithDefaultOptions)(OrtAllocator **);
  void *slots_79[13];
  void (*ReleaseEnv)(OrtEnv *);
  void (*ReleaseStatus)(OrtStatus *);
  void (*ReleaseMemoryInfo)(OrtMemoryInfo *);
  void (*ReleaseSession)(OrtSession *);
  void (*ReleaseValue)(OrtValue *);
  void (*ReleaseRunOptions)(OrtRunOptions *);
  void (*ReleaseTypeInfo)(OrtTypeInfo *);
  void *slots_99[1];
  void (*ReleaseSessionOptions)(OrtSessionOptions *);
  void *slots_101[19];
  OrtStatus *(*DisablePerSessionThreads)(OrtSessionOptions *);
  OrtStatus *(*CreateThreadingOptions)(OrtThreadingOptions **);
  void (*ReleaseThreadingOptions)(OrtThreadingOptions *);
  void *slots_123[2];
  OrtStatus *(*GetAvailableProviders)(char ***, int *count);
  OrtStatus *(*ReleaseAvailableProviders)(char **, int count);
  void *slots_127[3];
  OrtStatus *(*AddSessionConfigEntry)(OrtSessionOptions *, const char *key, const char *value);
  OrtStatus *(*CreateAllocator)(const OrtSession *, const OrtMemoryInfo *, OrtAllocator **);
  void (*ReleaseAllocator)(OrtAllocator *);
  OrtStatus *(*RunWithBinding)(OrtSession *, const OrtRunOptions *, const OrtIoBinding *);
  OrtStatus *(*CreateIoBinding)(OrtSession *, OrtIoBinding **);
  void (*ReleaseIoBinding)(OrtIoBinding *);
  OrtStatus *(*BindInput)(OrtIoBinding *, const char *name, const OrtValue *);
  OrtStatus *(*BindOutput)(OrtIoBinding *, const char *name, const OrtValue *);
  OrtStatus *(*BindOutputToDevice)(OrtIoBinding *, const char *name, const OrtMemoryInfo *);
  void *slots_139[1];
  OrtStatus *(*GetBoundOutputValues)(const OrtIoBinding *, OrtAllocator *, OrtValue ***, size_t *count);
  void *slots_141[3];
  OrtStatus *(*CreateAndRegisterAllocator)(OrtEnv *, const OrtMemoryInfo *, const OrtArenaCfg *);
  void *slots_145[2];
  OrtStatus *(*SetGlobalIntraOpNumThreads)(OrtThreadingOptions *, int);
  OrtStatus *(*SetGlobalInterOpNumThreads)(OrtThreadingOptions *, int);
  OrtStatus *(*SetGlobalSpinControl)(OrtThreadingOptions *, int allow_spinning);
  void *slots_150[1];
  OrtStatus *(*CreateEnvWithCustomLoggerAndGlobalThreadPools)(OrtLoggingFunction, void *param, int severity,
                                                              const char *logid, const OrtThreadingOptions *,
                                                              OrtEnv **);
  void *slots_152[5];
  void (*ReleaseArenaCfg)(OrtArenaCfg *);
  void *slots_158[6];
  OrtStatus *(*CreateArenaCfgV2)(const char *const *keys, const size_t *values, size_t count, OrtArenaCfg **);
  OrtStatus *(*AddRunConfigEntry)(OrtRunOptions *, const char *key, const char *value);
  void *slots_166[11];
  OrtStatus *(*UnregisterAllocator)(OrtEnv *, const OrtMemoryInfo *);
  void *slots_178[24];
  OrtStatus *(*SynchronizeBoundInputs)(OrtIoBinding *);
  void *slots_203[22];
  void (*MemoryInfoGetDeviceType)(const OrtMemoryInfo *, int *);
  void *slots_226[2];
  OrtStatus *(*RegisterCustomOpsLibrary_V2)(OrtSessionOptions *, const OrtPathChar *path);
  void *slots_229[23];
  OrtStatus *(*GetResizedStringTensorElementBuffer)(OrtValue *, size_t index, size_t bytes, char **);
  void *slots_253[40];
  OrtStatus *(*SessionOptionsSetLoadCancellationFlag)(OrtSessionOptions *, _Bool);
  void *slots_294[3];
  const char *(*GetKeyValue)(const OrtKeyValuePairs *, const char *key);
  void *slots_298[2];
  void (*ReleaseKeyValuePairs)(OrtKeyValuePairs *);
  OrtStatus *(*RegisterExecutionProviderLibrary)(OrtEnv *, const char *name, const OrtPathChar *path);
  void *slots_302[1];
  OrtStatus *(*GetEpDevices)(const OrtEnv *, const OrtEpDevice *const **, size_t *count);
  OrtStatus *(*SessionOptionsAppendExecutionProvider_V2)(OrtSessionOptions *, OrtEnv *, const OrtEpDevice *const *,
                                                         size_t count, const char *const *keys,
                                                         const char *const *values, size_t settings);
  void *slots_305[2];
  int (*HardwareDevice_Type)(const OrtHardwareDevice *);
  uint32_t (*HardwareDevice_VendorId)(const OrtHardwareDevice *);
  const char *(*HardwareDevice_Vendor)(const OrtHardwareDevice *);
  uint32_t (*HardwareDevice_DeviceId)(const OrtHardwareDevice *);
  const OrtKeyValuePairs *(*HardwareDevice_Metadata)(const OrtHardwareDevice *);
  const char *(*EpDevice_EpName)(const OrtEpDevice *);
  void *slots_313[1];
  const OrtKeyValuePairs *(*EpDevice_EpMetadata)(const OrtEpDevice *);
  void *slots_315[1];
  const OrtHardwareDevice *(*EpDevice_Device)(const OrtEpDevice *);
  void *slots_317[2];
  OrtStatus *(*AllocatorGetStats)(const OrtAllocator *, OrtKeyValuePairs **);
  void *slots_320[60];
  OrtStatus *(*SessionGetMemoryInfoForInputs)(const OrtSession *, const OrtMemoryInfo **, size_t count);
  OrtStatus *(*SessionGetMemoryInfoForOutputs)(const OrtSession *, const OrtMemoryInfo **, size_t count);
  void *slots_382[32];
  OrtStatus *(*GetTensorElementTypeAndShapeDataReference)(const OrtValue *, int *type, const int64_t **shape,
                                                          size_t *rank);
} OrtApi;

typedef struct OrtApiBase {
  const OrtApi *(*GetApi)(uint32_t version);
  const char *(*GetVersionString)(void);
} OrtApiBase;

#define SLOT(name, number) \
  _Static_assert(offsetof(OrtApi, name) == (number) * sizeof(void *), "slot of " #name)

SLOT(CreateStatus, 0);
SLOT(GetErrorCode, 1);
SLOT(GetErrorMessage, 2);
SLOT(CreateEnv, 3);
SLOT(DisableTelemetryEvents, 6);
SLOT(CreateSession, 7);
SLOT(Run, 9);
SLOT(CreateSessionOptions, 10);
SLOT(SetSessionGraphOptimizationLevel, 23);
SLOT(SessionGetInputCount, 30);
SLOT(SessionGetOutputCount, 31);
SLOT(SessionGetOverridableInitializerCount, 32);
SLOT(SessionGetInputTypeInfo, 33);
SLOT(SessionGetOutputTypeInfo, 34);
SLOT(SessionGetOverridableInitializerTypeInfo, 35);
SLOT(SessionGetInputName, 36);
SLOT(SessionGetOutputName, 37);
SLOT(SessionGetOverridableInitializerName, 38);
SLOT(CreateRunOptions, 39);
SLOT(RunOptionsSetTerminate, 46);
SLOT(RunOptionsUnsetTerminate, 47);
SLOT(CreateTensorAsOrtValue, 48);
SLOT(CreateTensorWithDataAsOrtValue, 49);
SLOT(GetTensorMutableData, 51);
SLOT(GetStringTensorDataLength, 53);
SLOT(GetStringTensorContent, 54);
SLOT(CastTypeInfoToTensorInfo, 55);
SLOT(GetOnnxTypeFromTypeInfo, 56);
SLOT(GetTensorElementType, 60);
SLOT(GetDimensionsCount, 61);
SLOT(GetDimensions, 62);
SLOT(GetSymbolicDimensions, 63);
SLOT(CreateMemoryInfo, 68);
SLOT(CreateCpuMemoryInfo, 69);
SLOT(AllocatorAlloc, 75);
SLOT(AllocatorFree, 76);
SLOT(GetAllocatorWithDefaultOptions, 78);
SLOT(ReleaseEnv, 92);
SLOT(ReleaseStatus, 93);
SLOT(ReleaseMemoryInfo, 94);
SLOT(ReleaseSession, 95);
SLOT(ReleaseValue, 96);
SLOT(ReleaseRunOptions, 97);
SLOT(ReleaseTypeInfo, 98);
SLOT(ReleaseSessionOptions, 100);
SLOT(DisablePerSessionThreads, 120);
SLOT(CreateThreadingOptions, 121);
SLOT(ReleaseThreadingOptions, 122);
SLOT(GetAvailableProviders, 125);
SLOT(ReleaseAvailableProviders, 126);
SLOT(AddSessionConfigEntry, 130);
SLOT(CreateAllocator, 131);
SLOT(ReleaseAllocator, 132);
SLOT(RunWithBinding, 133);
SLOT(CreateIoBinding, 134);
SLOT(ReleaseIoBinding, 135);
SLOT(BindInput, 136);
SLOT(BindOutput, 137);
SLOT(BindOutputToDevice, 138);
SLOT(GetBoundOutputValues, 140);
SLOT(CreateAndRegisterAllocator, 144);
SLOT(SetGlobalIntraOpNumThreads, 147);
SLOT(SetGlobalInterOpNumThreads, 148);
SLOT(SetGlobalSpinControl, 149);
SLOT(CreateEnvWithCustomLoggerAndGlobalThreadPools, 151);
SLOT(ReleaseArenaCfg, 157);
SLOT(CreateArenaCfgV2, 164);
SLOT(AddRunConfigEntry, 165);
SLOT(UnregisterAllocator, 177);
SLOT(SynchronizeBoundInputs, 202);
SLOT(MemoryInfoGetDeviceType, 225);
SLOT(RegisterCustomOpsLibrary_V2, 228);
SLOT(GetResizedStringTensorElementBuffer, 252);
SLOT(SessionOptionsSetLoadCancellationFlag, 293);
SLOT(GetKeyValue, 297);
SLOT(ReleaseKeyValuePairs, 300);
SLOT(RegisterExecutionProviderLibrary, 301);
SLOT(GetEpDevices, 303);
SLOT(SessionOptionsAppendExecutionProvider_V2, 304);
SLOT(HardwareDevice_Type, 307);
SLOT(HardwareDevice_VendorId, 308);
SLOT(HardwareDevice_Vendor, 309);
SLOT(HardwareDevice_DeviceId, 310);
SLOT(HardwareDevice_Metadata, 311);
SLOT(EpDevice_EpName, 312);
SLOT(EpDevice_EpMetadata, 314);
SLOT(EpDevice_Device, 316);
SLOT(AllocatorGetStats, 319);
SLOT(SessionGetMemoryInfoForInputs, 380);
SLOT(SessionGetMemoryInfoForOutputs, 381);
SLOT(GetTensorElementTypeAndShapeDataReference, 414);

#endif
