// A library of operators as people write them for ONNX Runtime: one operator, Twice of the domain "conch.test", that doubles
// a tensor of floats. With FAILS, it fails with that text, and with FULL it cannot be made, for want of memory on a GPU, while there is
// a file with that name. The tests compile it with the header that comes with the Go binding.
#include "onnxruntime_c_api.h"

#include <unistd.h>

static const OrtApi *api;

static void *create_kernel(const OrtCustomOp *op, const OrtApi *given, const OrtKernelInfo *info) {
  (void)info;
  (void)given;
  return (void *)op; // a kernel without a state of its own
}

#ifdef FULL
static OrtStatusPtr create_where_room(const OrtCustomOp *op, const OrtApi *given, const OrtKernelInfo *info, void **kernel) {
  if (access(FULL, F_OK) == 0)
    return given->CreateStatus(ORT_FAIL, "CUDA failure 2: out of memory ; GPU=0 ; hostname=h ; file=f ; line=1 ; expr=cudaMalloc((void**)&p, size);");
  *kernel = create_kernel(op, given, info);
  return NULL;
}
#endif

static void destroy_kernel(void *kernel) { (void)kernel; }

static OrtStatusPtr compute(void *kernel, OrtKernelContext *context) {
  (void)kernel;
#ifdef FAILS
  return api->CreateStatus(ORT_FAIL, FAILS);
#endif
  const OrtValue *in = NULL;
  OrtValue *out = NULL;
  OrtTensorTypeAndShapeInfo *info = NULL;
  int64_t dims[8];
  size_t rank = 0, count = 0;
  float *from = NULL, *to = NULL;
  OrtStatusPtr failed = api->KernelContext_GetInput(context, 0, &in);
  if (!failed) failed = api->GetTensorTypeAndShape(in, &info);
  if (!failed) failed = api->GetDimensionsCount(info, &rank);
  if (!failed) failed = api->GetDimensions(info, dims, rank < 8 ? rank : 8);
  if (!failed) failed = api->GetTensorShapeElementCount(info, &count);
  if (!failed) failed = api->KernelContext_GetOutput(context, 0, dims, rank, &out);
  if (!failed) failed = api->GetTensorMutableData((OrtValue *)in, (void **)&from);
  if (!failed) failed = api->GetTensorMutableData(out, (void **)&to);
  for (size_t i = 0; !failed && i < count; i++) to[i] = 2 * from[i];
  if (info) api->ReleaseTensorTypeAndShapeInfo(info);
  return failed;
}

static const char *name(const OrtCustomOp *op) { (void)op; return "Twice"; }
static const char *provider(const OrtCustomOp *op) { (void)op; return "CPUExecutionProvider"; }
static size_t one(const OrtCustomOp *op) { (void)op; return 1; }
static ONNXTensorElementDataType type(const OrtCustomOp *op, size_t index) {
  (void)op;
  (void)index;
  return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
}
static OrtCustomOpInputOutputCharacteristic required(const OrtCustomOp *op, size_t index) {
  (void)op;
  (void)index;
  return INPUT_OUTPUT_REQUIRED;
}
static OrtMemType memory(const OrtCustomOp *op, size_t index) {
  (void)op;
  (void)index;
  return OrtMemTypeDefault;
}

OrtStatus *ORT_API_CALL RegisterCustomOps(OrtSessionOptions *options, const OrtApiBase *base) {
  enum { VERSION = 16 };
  static OrtCustomOp twice;
  api = base->GetApi(VERSION);
  twice.version = VERSION;
  twice.CreateKernel = create_kernel;
#ifdef FULL
  twice.CreateKernelV2 = create_where_room;
#endif
  twice.KernelDestroy = destroy_kernel;
  twice.KernelComputeV2 = compute;
  twice.GetName = name;
  twice.GetExecutionProviderType = provider;
  twice.GetInputTypeCount = twice.GetOutputTypeCount = one;
  twice.GetInputType = twice.GetOutputType = type;
  twice.GetInputCharacteristic = twice.GetOutputCharacteristic = required;
  twice.GetInputMemoryType = memory;
  OrtCustomOpDomain *domain = NULL;
  OrtStatus *failed = api->CreateCustomOpDomain("conch.test", &domain);
  if (!failed) failed = api->CustomOpDomain_Add(domain, &twice);
  if (!failed) failed = api->AddCustomOpDomain(options, domain);
  return failed;
}
