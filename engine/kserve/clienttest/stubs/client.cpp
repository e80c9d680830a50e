// Asks a server through stubs that protoc makes of our .proto: client ADDRESS
#include <cstdint>
#include <cstring>
#include <iostream>
#include <string>

#include <grpcpp/grpcpp.h>

#include "grpc_service.grpc.pb.h"

namespace {

constexpr int kValues = 16;

void AddInput(inference::ModelInferRequest* request, const std::string& name, int first) {
  auto* input = request->add_inputs();
  input->set_name(name);
  input->set_datatype("INT32");
  input->add_shape(1);
  input->add_shape(kValues);
  for (int i = 0; i < kValues; i++) input->mutable_contents()->add_int_contents(first + i);
}

// Prints the 16 numbers of a raw output as a list of JSON.
void PrintNumbers(const std::string& raw) {
  std::cout << '[';
  for (size_t at = 0; at + sizeof(int32_t) <= raw.size(); at += sizeof(int32_t)) {
    int32_t number;
    std::memcpy(&number, raw.data() + at, sizeof number);
    std::cout << (at ? "," : "") << number;
  }
  std::cout << ']';
}

}  // namespace

int main(int, char** argv) {
  auto stub = inference::GRPCInferenceService::NewStub(grpc::CreateChannel(argv[1], grpc::InsecureChannelCredentials()));

  grpc::ClientContext asked;
  inference::ServerMetadataResponse metadata;
  grpc::Status status = stub->ServerMetadata(&asked, inference::ServerMetadataRequest(), &metadata);

  inference::ModelInferRequest request;
  request.set_model_name("add_sub");
  request.set_id("7");
  AddInput(&request, "INPUT0", 100);
  AddInput(&request, "INPUT1", 1);
  grpc::ClientContext inferred;
  inference::ModelInferResponse answer;
  if (status.ok()) status = stub->ModelInfer(&inferred, request, &answer);
  if (!status.ok()) {
    std::cerr << status.error_code() << ": " << status.error_message() << '\n';
    return 1;
  }

  inference::ModelInferRequest wrong;
  wrong.set_model_name("nosuch");
  grpc::ClientContext refused;
  inference::ModelInferResponse none;
  const grpc::Status refusal = stub->ModelInfer(&refused, wrong, &none);

  std::cout << R"({"name":")" << metadata.name() << R"(","id":")" << answer.id() << R"(","outputs":[)";
  for (int i = 0; i < answer.outputs_size(); i++) std::cout << (i ? "," : "") << '"' << answer.outputs(i).name() << '"';
  std::cout << R"(],"sums":[)";
  for (int i = 0; i < answer.raw_output_contents_size(); i++) {
    std::cout << (i ? "," : "");
    PrintNumbers(answer.raw_output_contents(i));
  }
  std::cout << R"(],"refusal":{"code":)" << refusal.error_code() << R"(,"details":")" << refusal.error_message() << R"("}})" << '\n';
}
