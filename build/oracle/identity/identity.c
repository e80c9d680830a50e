// A Triton backend that loads anything and answers every request with nothing: what a model needs in order to load.
#include <stdint.h>

typedef struct TRITONBACKEND_Request TRITONBACKEND_Request;
typedef struct TRITONBACKEND_Response TRITONBACKEND_Response;
typedef struct TRITONBACKEND_ModelInstance TRITONBACKEND_ModelInstance;
typedef struct TRITONSERVER_Error TRITONSERVER_Error;

extern TRITONSERVER_Error* TRITONBACKEND_ResponseNew(TRITONBACKEND_Response**, TRITONBACKEND_Request*);
extern TRITONSERVER_Error* TRITONBACKEND_ResponseSend(TRITONBACKEND_Response*, uint32_t, TRITONSERVER_Error*);
extern TRITONSERVER_Error* TRITONBACKEND_RequestRelease(TRITONBACKEND_Request*, uint32_t);

enum { RESPONSE_FINAL = 1, REQUEST_RELEASE_ALL = 1 };

TRITONSERVER_Error*
TRITONBACKEND_ModelInstanceExecute(TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request** requests, const uint32_t count) {
  (void)instance;
  for (uint32_t i = 0; i < count; i++) {
    TRITONBACKEND_Response* response;
    if (!TRITONBACKEND_ResponseNew(&response, requests[i])) TRITONBACKEND_ResponseSend(response, RESPONSE_FINAL, 0);
    TRITONBACKEND_RequestRelease(requests[i], REQUEST_RELEASE_ALL);
  }
  return 0;
}
