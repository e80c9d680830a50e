"""tritonclient.http against conch serve."""

import json
import urllib.error
import urllib.request

import numpy as np
import pytest
import tritonclient.http as httpclient
from conftest import Server
from sample import FIRST, SECOND, add_sub_inputs, check_add_sub, image_input
from tritonclient.utils import InferenceServerException


@pytest.mark.parametrize("binary_in", [True, False])
@pytest.mark.parametrize("binary_out", [True, False])
def test_infer(http: httpclient.InferenceServerClient, binary_in: bool, binary_out: bool) -> None:
    outputs = [httpclient.InferRequestedOutput(f"OUTPUT{i}", binary_data=binary_out) for i in (0, 1)]
    result = http.infer("add_sub", add_sub_inputs(httpclient, binary_data=binary_in), outputs=outputs, request_id="7")
    check_add_sub(result)
    assert result.get_response()["id"] == "7"
    assert ("data" in result.get_output("OUTPUT0")) != binary_out


@pytest.mark.parametrize("algorithm", ["gzip", "deflate"])
def test_compression(http: httpclient.InferenceServerClient, algorithm: str) -> None:
    check_add_sub(
        http.infer(
            "add_sub",
            add_sub_inputs(httpclient),
            request_compression_algorithm=algorithm,
            response_compression_algorithm=algorithm,
        )
    )


def test_all_outputs_by_default(http: httpclient.InferenceServerClient) -> None:
    check_add_sub(http.infer("add_sub", add_sub_inputs(httpclient), model_version="1"))


def test_async(http: httpclient.InferenceServerClient) -> None:
    requests = [http.async_infer("add_sub", add_sub_inputs(httpclient)) for _ in range(16)]
    for request in requests:
        check_add_sub(request.get_result())


def test_classification(http: httpclient.InferenceServerClient) -> None:
    output = httpclient.InferRequestedOutput("DIGIT", class_count=3)
    answer = http.infer("read_digit", [image_input(httpclient)], outputs=[output]).as_numpy("DIGIT")
    assert answer.shape == (1, 3)
    values = [float(text.decode().split(":")[0]) for text in answer[0]]
    assert values == sorted(values, reverse=True)
    assert len(answer[0][0].decode().split(":")) == 3


def test_raw_request(server: Server) -> None:
    request = urllib.request.Request(
        f"http://{server.http}/v2/models/digits/infer",
        data=np.ones(64, dtype=np.float32).tobytes(),
        headers={"Inference-Header-Content-Length": "0"},
    )
    with urllib.request.urlopen(request) as reply:
        size = int(reply.headers["Inference-Header-Content-Length"])
        body = reply.read()
    assert json.loads(body[:size])["outputs"][0]["shape"] == [1, 10]
    assert len(body) - size == 40


def generate(server: Server, path: str, body: dict) -> tuple[str, str]:
    """The type and the text of an answer."""
    request = urllib.request.Request(f"http://{server.http}/v2/models/{path}", data=json.dumps(body).encode())
    with urllib.request.urlopen(request) as reply:
        return reply.headers["Content-Type"], reply.read().decode()


def test_generate(server: Server) -> None:
    body = {"INPUT0": list(range(16)), "INPUT1": [3] * 16, "id": "7"}
    kind, text = generate(server, "add_sub/generate", body)
    answer = json.loads(text)
    assert kind == "application/json"
    assert answer["OUTPUT0"] == [i + 3 for i in range(16)]
    assert answer["id"] == "7"
    kind, text = generate(server, "add_sub/versions/1/generate_stream", body)
    assert kind == "text/event-stream; charset=utf-8"
    assert text.startswith("data: ")
    assert text.endswith("}\n\n")
    assert json.loads(text.removeprefix("data: ")) == answer


def test_health_and_metadata(http: httpclient.InferenceServerClient) -> None:
    assert http.is_server_live()
    assert http.is_server_ready()
    assert http.is_model_ready("add_sub", "1")
    assert not http.is_model_ready("nosuch")
    assert http.get_server_metadata()["name"] == "triton"
    metadata = http.get_model_metadata("add_sub")
    assert metadata["inputs"][0] == {"name": "INPUT0", "datatype": "INT32", "shape": [-1, 16]}
    assert metadata["versions"] == ["1"]


def test_config(http: httpclient.InferenceServerClient) -> None:
    config = http.get_model_config("add_sub")
    assert config["max_batch_size"] == 8
    assert config["input"][0]["data_type"] == "TYPE_INT32"
    assert [group["count"] for group in config["instance_group"]] == [2]
    assert config["input"][0]["dims"] == [16]


def test_statistics_count(http: httpclient.InferenceServerClient) -> None:
    def counters() -> tuple[int, int, int]:
        stats = http.get_inference_statistics("add_sub", "1")["model_stats"][0]
        return stats["inference_count"], stats["execution_count"], stats["inference_stats"]["success"]["count"]

    before = counters()
    http.infer("add_sub", add_sub_inputs(httpclient))
    after = counters()
    assert [b - a for a, b in zip(before, after, strict=True)] == [2, 1, 1]


def test_unload_and_load(http: httpclient.InferenceServerClient) -> None:
    http.unload_model("digits_prepare", unload_dependents=False)
    with pytest.raises(InferenceServerException):
        http.infer("digits_prepare", [])
    states = {row["name"]: row.get("state") for row in http.get_model_repository_index()}
    assert states["digits_prepare"] in ("UNLOADING", "UNAVAILABLE")
    assert states["add_sub"] == "READY"
    for model in ("digits_prepare", "read_digit"):
        http.load_model(model)
        assert http.is_model_ready(model)


def test_metrics(server: Server, http: httpclient.InferenceServerClient) -> None:
    http.infer("add_sub", add_sub_inputs(httpclient))
    with urllib.request.urlopen(f"http://{server.metrics}/metrics") as reply:
        page = reply.read().decode()
    assert 'nv_inference_request_success{model="add_sub",version="1"}' in page
    assert 'nv_inference_request_failure{model="add_sub",reason="BACKEND",version="1"} 0' in page


def wrong(name: str = "INPUT0", values: np.ndarray = FIRST, datatype: str = "INT32") -> httpclient.InferInput:
    tensor = httpclient.InferInput(name, list(values.shape), datatype)
    tensor.set_data_from_numpy(values)
    return tensor


@pytest.mark.parametrize(
    ("inputs", "status", "text"),
    [
        ([wrong()], "400", "expected 2 inputs but got 1 inputs for model 'add_sub'"),
        ([wrong("X"), wrong("INPUT1")], "400", "unexpected inference input 'X' for model 'add_sub'"),
        ([wrong(values=FIRST.astype(np.float32), datatype="FP32"), wrong("INPUT1")], "400", "data-type is 'FP32'"),
        ([wrong(values=FIRST[:, :8].copy()), wrong("INPUT1")], "400", "unexpected shape for input 'INPUT0'"),
        ([wrong(values=np.zeros((9, 16), np.int32)), wrong("INPUT1", np.zeros((9, 16), np.int32))], "400", "<= 8"),
    ],
    ids=["missing", "unknown", "type", "shape", "batch"],
)
def test_refused_inputs(
    http: httpclient.InferenceServerClient, inputs: list[httpclient.InferInput], status: str, text: str
) -> None:
    with pytest.raises(InferenceServerException) as refused:
        http.infer("add_sub", inputs)
    assert refused.value.status() == status
    assert text in refused.value.message()


def test_unknown_names(http: httpclient.InferenceServerClient) -> None:
    with pytest.raises(InferenceServerException, match="Request for unknown model: 'nosuch' is not found"):
        http.infer("nosuch", add_sub_inputs(httpclient))
    with pytest.raises(InferenceServerException, match="version 9 is not found"):
        http.get_model_metadata("add_sub", "9")
    with pytest.raises(InferenceServerException, match="unexpected inference output 'ZZ'"):
        http.infer("add_sub", add_sub_inputs(httpclient), outputs=[httpclient.InferRequestedOutput("ZZ")])
    with pytest.raises(InferenceServerException, match="failed to load 'nosuch'"):
        http.load_model("nosuch")


@pytest.mark.parametrize("body", [b"", b"{", b'{"inputs":[{}]}', b"\x00" * 100, b"[" * 100000])
def test_bad_bodies_do_no_harm(server: Server, http: httpclient.InferenceServerClient, body: bytes) -> None:
    request = urllib.request.Request(f"http://{server.http}/v2/models/add_sub/infer", data=body)
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)
    assert refused.value.code in (400, 500)
    assert json.load(refused.value)["error"]
    check_add_sub(http.infer("add_sub", add_sub_inputs(httpclient)))


def test_second_tensor_matters(http: httpclient.InferenceServerClient) -> None:
    assert (SECOND != 0).all()
    inputs = add_sub_inputs(httpclient)
    inputs[1].set_data_from_numpy(np.zeros_like(SECOND))
    np.testing.assert_array_equal(http.infer("add_sub", inputs).as_numpy("OUTPUT0"), FIRST)
