"""What a client can change on conch serve: models from its own files, trace and log settings, restricted APIs."""

import json
import shutil
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import tritonclient.grpc as grpcclient
import tritonclient.http as httpclient
from conftest import EXAMPLES, Server, serving
from grpc import RpcError, insecure_channel
from sample import add_sub_inputs, check_add_sub
from tritonclient.grpc import service_pb2, service_pb2_grpc
from tritonclient.utils import InferenceServerException

CONFIG = json.dumps({"backend": "onnxruntime", "max_batch_size": 3})
MODEL = (EXAMPLES / "add_sub" / "1" / "model.onnx").read_bytes()


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose index no other test looks at."""
    with serving(tmp_path_factory.mktemp("apart")) as running:
        yield running


@pytest.mark.parametrize("module", [httpclient, grpcclient])
def test_load_from_files(module: ModuleType, apart: Server) -> None:
    client = module.InferenceServerClient(apart.http if module is httpclient else apart.grpc)
    client.load_model("add_sub", config=CONFIG, files={"file:7/model.onnx": MODEL})
    check_add_sub(client.infer("add_sub", add_sub_inputs(module), model_version="7"))
    assert not client.is_model_ready("add_sub", "1")
    client.load_model("sent", config=CONFIG, files={"file:1/model.onnx": MODEL})
    check_add_sub(client.infer("sent", add_sub_inputs(module)))
    client.unload_model("sent")
    for files in ({"file:../x": MODEL}, {"file:1/model.onnx": b"no model"}):
        with pytest.raises(InferenceServerException, match="failed"):
            client.load_model("add_sub", config=CONFIG, files=files)
    with pytest.raises(
        InferenceServerException, match="failed to load 'add_sub', failed to poll from model repository"
    ):
        client.load_model("add_sub", files={"file:1/model.onnx": MODEL})
    assert client.is_model_ready("add_sub", "7")
    client.load_model("add_sub")
    check_add_sub(client.infer("add_sub", add_sub_inputs(module), model_version="1"))
    client.close()


def test_trace_over_http(http: httpclient.InferenceServerClient) -> None:
    before = http.get_trace_settings()
    assert before["trace_level"] == ["OFF"]
    assert before["trace_rate"] == "1000"
    changed = http.update_trace_settings(
        "add_sub", {"trace_level": ["TIMESTAMPS"], "trace_rate": "1", "trace_count": "2"}
    )
    assert changed["trace_level"] == ["TIMESTAMPS"]
    for i in range(3):
        http.infer("add_sub", add_sub_inputs(httpclient), request_id=f"traced{i}")
    assert http.get_trace_settings("add_sub")["trace_count"] == "0"
    written = json.loads(Path(before["trace_file"] + ".0").read_text())
    assert [entry["request_id"] for entry in written if "request_id" in entry] == ["traced0", "traced1"]
    names = [entry["timestamps"][0]["name"] for entry in written if entry["id"] == 1 and "timestamps" in entry]
    assert names == [
        "HTTP_RECV_START",
        "HTTP_RECV_END",
        "REQUEST_START",
        "QUEUE_START",
        "COMPUTE_START",
        "COMPUTE_INPUT_END",
        "COMPUTE_OUTPUT_START",
        "COMPUTE_END",
        "INFER_RESPONSE_COMPLETE",
        "REQUEST_END",
        "HTTP_SEND_START",
        "HTTP_SEND_END",
    ]
    times = [entry["timestamps"][0]["ns"] for entry in written if entry["id"] == 1 and "timestamps" in entry]
    assert times == sorted(times)
    http.update_trace_settings("add_sub", {"trace_level": None, "trace_rate": None, "trace_count": None})
    assert http.get_trace_settings("add_sub") == before
    with pytest.raises(InferenceServerException, match="Unable to parse 'trace_rate', got: x"):
        http.update_trace_settings(settings={"trace_rate": "x"})


def test_trace_over_grpc(grpc: grpcclient.InferenceServerClient) -> None:
    changed = grpc.update_trace_settings("digits", {"trace_level": ["TENSORS"], "trace_rate": "7"}, as_json=True)
    assert changed["settings"]["trace_level"]["value"] == ["TENSORS"]
    assert changed["settings"]["trace_rate"]["value"] == ["7"]
    assert grpc.get_trace_settings(as_json=True)["settings"]["trace_level"]["value"] == ["OFF"]
    grpc.update_trace_settings("digits", {"trace_level": None, "trace_rate": None})
    with pytest.raises(InferenceServerException, match="Request for unknown model : nosuch"):
        grpc.get_trace_settings("nosuch")


def test_log_settings(http: httpclient.InferenceServerClient, grpc: grpcclient.InferenceServerClient) -> None:
    assert http.get_log_settings()["log_verbose_level"] == 0
    assert http.update_log_settings({"log_verbose_level": 1, "log_format": "ISO8601"})["log_format"] == "ISO8601"
    settings = grpc.get_log_settings(as_json=True)["settings"]
    assert settings["log_verbose_level"] == {"uint32_param": 1}
    grpc.update_log_settings({"log_verbose_level": 0, "log_format": "default"})
    assert http.get_log_settings()["log_format"] == "default"
    with pytest.raises(InferenceServerException, match="invalid argument for --log_format, got: foo"):
        http.update_log_settings({"log_format": "foo"})


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    flags = [
        "--http-restricted-api=model-repository,inference:adminkey=secret",
        "--grpc-restricted-protocol=inference:adminkey=secret",
        "--metrics-config=summary_latencies=true",
        "--metrics-config=histogram_latencies=true",
    ]
    with serving(tmp_path_factory.mktemp("guarded"), *flags) as running:
        yield running


def test_restricted(guarded: Server) -> None:
    key = {"adminkey": "secret"}
    with httpclient.InferenceServerClient(guarded.http) as http:
        with pytest.raises(InferenceServerException, match="This API is restricted, expecting header 'adminkey'"):
            http.load_model("add_sub")
        http.load_model("add_sub", headers=key)
        check_add_sub(http.infer("add_sub", add_sub_inputs(httpclient), headers=key))
        assert http.is_server_ready()
    with grpcclient.InferenceServerClient(guarded.grpc) as grpc:
        with pytest.raises(InferenceServerException) as refused:
            grpc.infer("add_sub", add_sub_inputs(grpcclient))
        assert refused.value.status() == "StatusCode.UNAVAILABLE"
    # The client library hands grpc its headers in a form that current grpcio does not take.
    with insecure_channel(guarded.grpc) as channel:
        stub = service_pb2_grpc.GRPCInferenceServiceStub(channel)
        message = service_pb2.ModelInferRequest(model_name="nosuch")
        with pytest.raises(RpcError, match="unknown model: 'nosuch'"):
            stub.ModelInfer(message, metadata=[("triton-grpc-protocol-adminkey", "secret")])


def test_summaries(guarded: Server) -> None:
    with httpclient.InferenceServerClient(guarded.http) as http:
        http.infer("digits", [digits_input()], headers={"adminkey": "secret"})
    page = urllib.request.urlopen(f"http://{guarded.metrics}/metrics", timeout=10).read().decode()
    assert 'nv_inference_request_summary_us_count{model="digits",version="1"} 1' in page
    assert 'nv_inference_compute_infer_summary_us{model="digits",version="1",quantile="0.99"}' in page
    assert 'nv_inference_first_response_histogram_ms_bucket{model="digits",version="1",le="100"} 1' in page


def test_namespaces(tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(EXAMPLES / "add_sub", other / "add_sub")
    flags = ["--model-namespacing", f"--model-repository={other}"]
    with serving(tmp_path, *flags) as running, httpclient.InferenceServerClient(running.http) as http:
        assert [row["name"] for row in http.get_model_repository_index()].count("add_sub") == 2
        with pytest.raises(InferenceServerException, match="There are 2 identifiers of model 'add_sub'"):
            http.infer("add_sub", add_sub_inputs(httpclient))
        assert http.infer("digits", [digits_input()]).as_numpy("probabilities").shape == (1, 10)
        http.unload_model("add_sub")
        with pytest.raises(InferenceServerException, match="'add_sub' is not found"):
            http.get_model_metadata("add_sub")


def digits_input() -> httpclient.InferInput:
    tensor = httpclient.InferInput("image", [1, 64], "FP32")
    tensor.set_data_from_numpy(np.ones((1, 64), dtype=np.float32))
    return tensor
