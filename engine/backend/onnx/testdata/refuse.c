// A library of operators that refuses to be registered, with a number of its own (ORT_NOT_IMPLEMENTED, 9).
#include "onnxruntime_c_api.h"

OrtStatus *ORT_API_CALL RegisterCustomOps(OrtSessionOptions *options, const OrtApiBase *base) {
  (void)options;
  enum { VERSION = 16 };
  return base->GetApi(VERSION)->CreateStatus(ORT_NOT_IMPLEMENTED, "no operators today");
}
