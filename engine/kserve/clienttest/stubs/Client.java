// Asks a server through stubs that protoc makes of our .proto: java Client ADDRESS

import com.google.protobuf.ByteString;
import inference.GRPCInferenceServiceGrpc;
import inference.GrpcService.InferTensorContents;
import inference.GrpcService.ModelInferRequest;
import inference.GrpcService.ModelInferResponse;
import inference.GrpcService.ServerMetadataRequest;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

final class Client {
  private static final int VALUES = 16;

  private static ModelInferRequest.InferInputTensor input(String name, int first) {
    Iterable<Integer> values = IntStream.range(first, first + VALUES).boxed().collect(Collectors.toList());
    return ModelInferRequest.InferInputTensor.newBuilder()
        .setName(name)
        .setDatatype("INT32")
        .addShape(1)
        .addShape(VALUES)
        .setContents(InferTensorContents.newBuilder().addAllIntContents(values))
        .build();
  }

  private static String numbers(ByteString raw) {
    IntBuffer numbers = raw.asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN).asIntBuffer();
    return IntStream.range(0, numbers.limit()).mapToObj(i -> "" + numbers.get(i)).collect(Collectors.joining(",", "[", "]"));
  }

  public static void main(String[] arguments) {
    ManagedChannel channel = NettyChannelBuilder.forTarget(arguments[0]).usePlaintext().build();
    GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub stub = GRPCInferenceServiceGrpc.newBlockingStub(channel);
    String name = stub.serverMetadata(ServerMetadataRequest.getDefaultInstance()).getName();
    ModelInferResponse answer =
        stub.modelInfer(
            ModelInferRequest.newBuilder()
                .setModelName("add_sub")
                .setId("7")
                .addInputs(input("INPUT0", 100))
                .addInputs(input("INPUT1", 1))
                .build());
    String refusal = "null";
    try {
      stub.modelInfer(ModelInferRequest.newBuilder().setModelName("nosuch").build());
    } catch (StatusRuntimeException error) {
      refusal = String.format("{\"code\":%d,\"details\":\"%s\"}", error.getStatus().getCode().value(), error.getStatus().getDescription());
    }
    String outputs = answer.getOutputsList().stream().map(o -> '"' + o.getName() + '"').collect(Collectors.joining(",", "[", "]"));
    String sums = answer.getRawOutputContentsList().stream().map(Client::numbers).collect(Collectors.joining(",", "[", "]"));
    System.out.printf("{\"name\":\"%s\",\"id\":\"%s\",\"outputs\":%s,\"sums\":%s,\"refusal\":%s}%n", name, answer.getId(), outputs, sums, refusal);
    channel.shutdownNow();
  }
}
