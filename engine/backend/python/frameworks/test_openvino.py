"""Models of OpenVINO: completion, batching, parameters and errors, on models made here."""

from pathlib import Path

import models
import numpy as np
import openvino as ov
import pytest
import tritonclient.grpc as grpcclient
import tritonclient.http as httpclient
from conftest import Start, known_before_a_load
from openvino import opset13 as ops
from serving import Server

OPEN, ONE, MATRIX = [-1, 3], [1, 3], [2, 2]
BATCH = "max_batch_size: 4\n"
BOTH = (
    f"input [ {models.tensor('x', 'FP32', '3')}, {models.tensor('y', 'FP32', '3')} ]\n"
    f"output [ {models.tensor('sum', 'FP32', '3')} ]\n"
)


def save(folder: Path, dims: list[int], file: str = "model.xml", layout: str = "") -> None:
    """Write a model that adds its inputs, with a layout of its tensors."""
    x, y = (ops.parameter(ov.PartialShape(dims), np.float32, name=name) for name in "xy")
    for name, one in (("x", x), ("y", y)):
        one.output(0).set_names({name})
    total = ops.add(x, y)
    total.output(0).set_names({"sum"})
    result = ops.result(total)
    if layout:
        for one in (x, y, result):
            one.set_layout(ov.Layout(layout))
    (folder / "1").mkdir(parents=True, exist_ok=True)
    ov.save_model(ov.Model([result], [x, y], "adding"), folder / "1" / file, compress_to_fp16=False)


LAYOUTS = {"bare": "NC", "listed": "N...", "other": "CH"}
CONFIGS = {
    "bare": (ONE, ""),
    "listed": (OPEN, BOTH),
    "other": (ONE, ""),
    "fixed": (MATRIX, ""),
    "one": (ONE, BATCH + BOTH + "dynamic_batching { max_queue_delay_microseconds: 200000 }"),
    "doubles": (OPEN, BATCH + BOTH.replace("FP32", "FP64")),
    "padded": (
        OPEN,
        BATCH
        + BOTH
        + models.parameter("SKIP_OV_DYNAMIC_BATCHSIZE", "YES")
        + models.parameter("ENABLE_BATCH_PADDING", "YES"),
    ),
    "full": (OPEN, BATCH + BOTH + models.parameter("SKIP_OV_DYNAMIC_BATCHSIZE", "YES")),
    "reshaped": (ONE, BOTH.replace("[ 3 ]", "[ 2, 5 ]") + models.parameter("RESHAPE_IO_LAYERS", "yes")),
    "tuned": (
        OPEN,
        BATCH
        + BOTH
        + models.parameter("PERFORMANCE_HINT", "THROUGHPUT")
        + models.parameter("INFERENCE_NUM_THREADS", "1")
        + models.parameter("COMPILATION_NUM_THREADS", "1")
        + models.parameter("NUM_STREAMS", "AUTO")
        + models.parameter("TARGET_DEVICE", "CPU"),
    ),
}
REFUSED = {
    "few": (
        BATCH + BOTH.replace(f", {models.tensor('y', 'FP32', '3')}", ""),
        "unable to load model 'few', configuration expects 1 inputs, model provides 2",
    ),
    "called": (BATCH + BOTH.replace('"y"', '"z"'), "unexpected inference input 'z', allowed inputs are: x, y"),
    "texts": (
        BATCH + BOTH.replace("FP32", "STRING"),
        "unsupported datatype TYPE_STRING for input 'x' for model 'texts'",
    ),
    "dims": (
        BATCH + BOTH.replace("[ 3 ]", "[ 4 ]"),
        "model 'dims', tensor 'x': the model expects 2 dimensions (shape [-1,3]) but the model configuration specifies "
        "2 dimensions (an initial batch dimension because max_batch_size > 0 followed by the explicit tensor shape, "
        "making complete shape [4,4])",
    ),
    "open": (
        BATCH + BOTH.replace(models.tensor("sum", "FP32", "3"), models.tensor("sum", "FP32", "-1")),
        "model 'open', tensor 'sum': the model expects 2 dimensions (shape [4,3]) but the model configuration "
        "specifies 2 dimensions (an initial batch dimension because max_batch_size > 0 followed by the explicit tensor "
        "shape, making complete shape [4,-1])",
    ),
    "filled": (
        "",
        "model 'filled', tensor 'x': the model expects 2 dimensions (shape [-1,3]) but the model configuration "
        "specifies 2 dimensions (shape [-1,-1])",
    ),
    "threads": (
        BATCH + BOTH + models.parameter("INFERENCE_NUM_THREADS", "many"),
        "expected the parameter 'INFERENCE_NUM_THREADS' to be a non-negative number, got many",
    ),
    "device": (BATCH + BOTH + models.parameter("TARGET_DEVICE", "NPU"), "OpenVINO has no device 'NPU' on this machine"),
}


@pytest.fixture(scope="module")
def server(start: Start, tmp_path_factory: pytest.TempPathFactory) -> Server:
    """Serve the models."""
    root = tmp_path_factory.mktemp("openvino")
    for name, (dims, config) in CONFIGS.items():
        save(root / name, dims, layout=LAYOUTS.get(name, ""))
        models.config(root / name, 'backend: "openvino"\n' + config)
    for name, (config, _) in REFUSED.items():
        save(root / name, OPEN)
        models.config(root / name, 'backend: "openvino"\n' + config)
    save(root / "unbatched", MATRIX)
    models.config(root / "unbatched", 'backend: "openvino"\nmax_batch_size: 3\n')
    models.config(root / "empty", 'backend: "openvino"\n' + BATCH + BOTH)
    (root / "empty" / "1").mkdir()
    save(root / "broken", OPEN)
    models.config(root / "broken", 'backend: "openvino"\n' + BATCH + BOTH)
    (root / "broken" / "1" / "model.xml").write_text("<net")
    return start(root)


def add(server: Server, model: str, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Ask a model for the sum."""
    inputs = []
    for name, value in (("x", x), ("y", y)):
        kind = {"float32": "FP32", "float64": "FP64"}[value.dtype.name]
        inputs.append(grpcclient.InferInput(name, value.shape, kind))
        inputs[-1].set_data_from_numpy(value)
    return server.grpc.infer(model, inputs, client_timeout=60).as_numpy("sum")


X = np.arange(6, dtype=np.float32).reshape(2, 3)
Y = np.full((2, 3), 10, np.float32)


@pytest.mark.parametrize("model", ["bare", "listed", "one", "doubles", "padded", "tuned"])
def test_sums(server: Server, model: str) -> None:
    server.need(model)
    kind = np.float64 if model == "doubles" else np.float32
    found = add(server, model, X.astype(kind), Y.astype(kind))
    assert found.dtype == kind
    assert np.array_equal(found, X + Y)


def test_answers_of_one_request_are_not_those_of_the_next(server: Server) -> None:
    server.need("bare")
    first = add(server, "bare", X, Y)
    add(server, "bare", X * 7, Y)
    assert np.array_equal(first, X + Y)


def test_requests_of_a_batch_are_joined(server: Server) -> None:
    server.need("one")
    before = server.grpc.get_inference_statistics("one").model_stats[0].execution_count
    waiting = []
    for n in range(2):
        waiting.append(server.http.async_infer("one", http_inputs(n)))
    for n, one in enumerate(waiting):
        assert np.array_equal(one.get_result().as_numpy("sum"), np.full((2, 3), 2 * n))
    assert server.grpc.get_inference_statistics("one").model_stats[0].execution_count == before + 1


def http_inputs(n: int) -> list[object]:
    """Lay out a request of two equal inputs."""
    inputs = [httpclient.InferInput(name, [2, 3], "FP32") for name in "xy"]
    for one in inputs:
        one.set_data_from_numpy(np.full((2, 3), n, np.float32))
    return inputs


@pytest.mark.parametrize("model", ["bare", "listed", "other", "fixed"])
def test_what_checks_know_without_a_load(server: Server, model: str) -> None:
    """`conch config` reads from the file what the backend completes with OpenVINO."""
    known_before_a_load(server, model)


@pytest.mark.parametrize("model", ["bare", "listed"])
def test_completion_by_layouts_with_a_batch(server: Server, model: str) -> None:
    server.need(model)
    config = server.grpc.get_model_config(model, as_json=True)["config"]
    assert config["max_batch_size"] == 4
    assert "dynamic_batching" in config
    assert [(one["name"], one["data_type"], one["dims"]) for one in config["input"]] == [
        ("x", "TYPE_FP32", ["3"]),
        ("y", "TYPE_FP32", ["3"]),
    ]
    assert [one["name"] for one in config["output"]] == ["sum"]


@pytest.mark.parametrize(("model", "dims"), [("fixed", ["2", "2"]), ("other", ["1", "3"])])
def test_completion_without_batches(server: Server, model: str, dims: list[str]) -> None:
    server.need(model)
    config = server.grpc.get_model_config(model, as_json=True)["config"]
    assert config.get("max_batch_size", 0) == 0
    assert "dynamic_batching" not in config
    assert config["input"][0]["dims"] == dims


def test_a_given_batch_size_is_set_where_the_file_fixes_another(server: Server) -> None:
    known_before_a_load(server, "unbatched")
    config = server.grpc.get_model_config("unbatched", as_json=True)["config"]
    assert (config["max_batch_size"], config["input"][0]["dims"]) == (3, ["2"])
    x = np.ones((3, 2), np.float32)
    assert np.array_equal(add(server, "unbatched", x, x), x * 2)


def test_a_batch_that_is_not_full_is_refused(server: Server) -> None:
    server.need("full")
    with pytest.raises(Exception, match="takes batches of 4 only, and this one has 2"):
        add(server, "full", X, Y)
    assert np.array_equal(add(server, "full", np.vstack([X, X]), np.vstack([Y, Y])), np.vstack([X + Y] * 2))


def test_layers_get_the_dims_of_the_config(server: Server) -> None:
    server.need("reshaped")
    x = np.ones((2, 5), np.float32)
    assert np.array_equal(add(server, "reshaped", x, x), x * 2)


@pytest.mark.parametrize("model", REFUSED)
def test_configs_that_do_not_fit(server: Server, model: str) -> None:
    reason = server.load(model)
    assert REFUSED[model][1] in reason
    assert "TritonModelException" not in reason


def test_files_that_cannot_be_read(server: Server) -> None:
    assert "/empty/1/model.xml' for model 'empty'" in server.load("empty")
    assert "openvino error in reading model : " in server.load("broken")
