"""tritonclient.grpc against conch serve."""

import queue
import threading

import numpy as np
import pytest
import tritonclient.grpc as grpcclient
from conftest import Server
from sample import add_sub_inputs, check_add_sub, image_input
from tritonclient.grpc import service_pb2, service_pb2_grpc
from tritonclient.utils import InferenceServerException


def test_infer(grpc: grpcclient.InferenceServerClient) -> None:
    result = grpc.infer("add_sub", add_sub_inputs(grpcclient), request_id="7", model_version="1")
    check_add_sub(result)
    assert result.get_response().id == "7"


@pytest.mark.parametrize("algorithm", ["gzip", "deflate"])
def test_compression(grpc: grpcclient.InferenceServerClient, algorithm: str) -> None:
    check_add_sub(grpc.infer("add_sub", add_sub_inputs(grpcclient), compression_algorithm=algorithm))


def test_async(grpc: grpcclient.InferenceServerClient) -> None:
    answers = queue.Queue()
    for _ in range(16):
        grpc.async_infer(
            "add_sub", add_sub_inputs(grpcclient), callback=lambda result, error: answers.put((result, error))
        )
    for _ in range(16):
        result, error = answers.get(timeout=20)
        assert error is None
        check_add_sub(result)


def test_stream(grpc: grpcclient.InferenceServerClient) -> None:
    answers = queue.Queue()
    grpc.start_stream(callback=lambda result, error: answers.put((result, error)))
    for i in range(20):
        model = "nosuch" if i == 10 else "add_sub"
        grpc.async_stream_infer(model, add_sub_inputs(grpcclient), request_id=str(i))
    for i in range(20):
        result, error = answers.get(timeout=20)
        if i == 10:
            assert "Request for unknown model: 'nosuch' is not found" in error.message()
            continue
        assert error is None
        assert result.get_response().id == str(i)
        assert result.get_response().parameters["triton_final_response"].bool_param
        check_add_sub(result)
    grpc.stop_stream()


def test_typed_contents(server: Server) -> None:
    channel = grpcclient._client.grpc.insecure_channel(server.grpc)
    stub = service_pb2_grpc.GRPCInferenceServiceStub(channel)
    request = service_pb2.ModelInferRequest(model_name="add_sub")
    for name in ("INPUT0", "INPUT1"):
        tensor = request.inputs.add(name=name, datatype="INT32", shape=[1, 16])
        tensor.contents.int_contents.extend(range(16))
    reply = stub.ModelInfer(request)
    np.testing.assert_array_equal(
        np.frombuffer(reply.raw_output_contents[0], np.int32), 2 * np.arange(16, dtype=np.int32)
    )
    channel.close()


def test_ensemble_and_classification(grpc: grpcclient.InferenceServerClient) -> None:
    output = grpcclient.InferRequestedOutput("DIGIT", class_count=2)
    answer = grpc.infer("read_digit", [image_input(grpcclient)], outputs=[output]).as_numpy("DIGIT")
    assert answer.shape == (1, 2)
    assert len(answer[0][0].decode().split(":")) == 3


def test_health_and_metadata(grpc: grpcclient.InferenceServerClient) -> None:
    assert grpc.is_server_live()
    assert grpc.is_server_ready()
    assert grpc.is_model_ready("add_sub")
    assert not grpc.is_model_ready("nosuch")
    assert grpc.get_server_metadata().name == "triton"
    metadata = grpc.get_model_metadata("add_sub", as_json=True)
    assert metadata["inputs"][0] == {"name": "INPUT0", "datatype": "INT32", "shape": ["-1", "16"]}
    assert grpc.get_model_config("add_sub").config.max_batch_size == 8


def test_statistics_and_index(grpc: grpcclient.InferenceServerClient) -> None:
    grpc.infer("add_sub", add_sub_inputs(grpcclient))
    stats = grpc.get_inference_statistics("add_sub").model_stats[0]
    assert stats.inference_count >= 2
    assert stats.inference_stats.success.count == stats.inference_stats.queue.count
    index = {model.name: model.state for model in grpc.get_model_repository_index().models}
    assert index["add_sub"] == "READY"
    assert set(index) == {"add_sub", "digits", "digits_prepare", "read_digit", "say_digit"}


def test_unload_and_load(grpc: grpcclient.InferenceServerClient) -> None:
    grpc.unload_model("add_sub")
    assert not grpc.is_model_ready("add_sub")
    with pytest.raises(InferenceServerException, match="has no available versions"):
        grpc.infer("add_sub", add_sub_inputs(grpcclient))
    grpc.load_model("add_sub")
    check_add_sub(grpc.infer("add_sub", add_sub_inputs(grpcclient)))
    with pytest.raises(InferenceServerException) as refused:
        grpc.load_model("nosuch")
    assert refused.value.status() == "StatusCode.INTERNAL"


def test_refusals(grpc: grpcclient.InferenceServerClient) -> None:
    with pytest.raises(InferenceServerException) as refused:
        grpc.infer("add_sub", add_sub_inputs(grpcclient)[:1])
    assert refused.value.status() == "StatusCode.INVALID_ARGUMENT"
    assert "expected 2 inputs but got 1 inputs for model 'add_sub'" in refused.value.message()
    with pytest.raises(InferenceServerException) as refused:
        grpc.infer("nosuch", add_sub_inputs(grpcclient))
    assert refused.value.status() == "StatusCode.NOT_FOUND"


def test_many_clients(server: Server) -> None:
    failures = []

    def work() -> None:
        client = grpcclient.InferenceServerClient(server.grpc)
        try:
            for _ in range(25):
                check_add_sub(client.infer("add_sub", add_sub_inputs(grpcclient)))
        except Exception as error:  # told in the assertion below
            failures.append(error)
        finally:
            client.close()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
