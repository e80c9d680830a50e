"""TensorFlow's saved models and graphs."""

import json
import os
from pathlib import Path
from shutil import rmtree

import models
import numpy as np
import pytest
from conftest import Start, known_before_a_load
from serving import Server

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import tensorflow as tf
import tritonclient.http as httpclient

TYPES = {"f": "FP32", "O": "BYTES", "i": "INT32"}


class Module(tf.Module):
    """Two signatures, and a variable."""

    def __init__(self) -> None:
        super().__init__()
        self.factor = tf.Variable(2.0)

    @tf.function(input_signature=[tf.TensorSpec([None, 3], name="x"), tf.TensorSpec([None, 3], name="y")])
    def mix(self, x: tf.Tensor, y: tf.Tensor) -> dict[str, tf.Tensor]:
        """Mix two vectors."""
        return {"sum": x + y * self.factor, "largest": tf.reduce_max(x, 1)}

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.string, name="text")])
    def upper(self, text: tf.Tensor) -> dict[str, tf.Tensor]:
        """Write text in capitals."""
        return {"upper": tf.strings.upper(text), "length": tf.strings.length(text)}

    @tf.function(input_signature=[tf.TensorSpec([3], name="x")])
    def fixed(self, x: tf.Tensor) -> dict[str, tf.Tensor]:
        """Take no batch."""
        return {"doubled": x * 2}


def graph(folder: Path) -> None:
    """Write a graph whose variable is set by an operation."""
    made = tf.Graph()
    with made.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 3], "x")
        weight = tf.compat.v1.get_variable("weight", initializer=tf.constant(3.0), use_resource=False)
        tf.multiply(x, weight, name="y")
        tf.compat.v1.global_variables_initializer()
    folder.mkdir(parents=True)
    (folder / "model.graphdef").write_bytes(made.as_graph_def().SerializeToString())
    (folder / "init_ops.json").write_text(json.dumps({"init_ops": ["init"]}))


ONE = "instance_group { count: 1 kind: KIND_CPU }\n"  # each instance imports TensorFlow
SAVED = 'platform: "tensorflow_savedmodel"\n' + ONE
CONFIGS = {
    "bare": SAVED,
    "backend": 'backend: "tensorflow"\nmax_batch_size: 8\ndynamic_batching { max_queue_delay_microseconds: 200000 }\n'
    + ONE,
    "upper": SAVED + models.parameter("TF_SIGNATURE_DEF", "upper"),
    "fixed": SAVED + models.parameter("TF_SIGNATURE_DEF", "fixed") + models.parameter("TF_NUM_INTRA_THREADS", "1"),
    "later": SAVED
    + f"max_batch_size: 4 output [ {models.tensor('upper', 'STRING', '2')}, {models.tensor('length', 'INT32', '2')} ]"
    + models.parameter("TF_SIGNATURE_DEF", "upper"),
    "wrong_type": SAVED + f"max_batch_size: 4 input [ {models.tensor('x', 'INT32', '3')} ]",
    "wrong_dims": SAVED + f"max_batch_size: 4 output [ {models.tensor('sum', 'FP32', '4')} ]",
    "wrong_name": SAVED + f"max_batch_size: 4 output [ {models.tensor('total', 'FP32', '3')} ]",
    "no_signature": SAVED + models.parameter("TF_SIGNATURE_DEF", "other"),
    "no_batch": SAVED + "max_batch_size: 2\n" + models.parameter("TF_SIGNATURE_DEF", "fixed"),
    "no_variables": SAVED,
    "cut": SAVED,
    "threads": SAVED + models.parameter("TF_NUM_INTER_THREADS", "many"),
}
GRAPH = (
    'platform: "tensorflow_graphdef"\nmax_batch_size: 4\n' + ONE + models.parameter("TF_INIT_OPS_FILE", "init_ops.json")
)


@pytest.fixture(scope="module")
def server(start: Start, tmp_path_factory: pytest.TempPathFactory) -> Server:
    """Serve the models."""
    root = tmp_path_factory.mktemp("tensorflow")
    module = Module()
    signatures = {"serving_default": module.mix, "upper": module.upper, "fixed": module.fixed}
    for name, text in CONFIGS.items():
        models.config(root / name, text)
        tf.saved_model.save(module, str(root / name / "1" / "model.savedmodel"), signatures=signatures)
    rmtree(root / "no_variables" / "1" / "model.savedmodel" / "variables")
    cut = root / "cut" / "1" / "model.savedmodel" / "saved_model.pb"
    cut.write_bytes(cut.read_bytes()[:4000])
    for name, given in (("graph", "x"), ("graph_wrong", "z")):
        tensors = f"input [ {models.tensor(given, 'FP32', '3')} ] output [ {models.tensor('y', 'FP32', '3')} ]"
        models.config(root / name, GRAPH + tensors)
        graph(root / name / "1")
    return start(root)


def sent(inputs: dict[str, np.ndarray]) -> list[httpclient.InferInput]:
    """Lay inputs out."""
    given = []
    for name, values in inputs.items():
        given.append(httpclient.InferInput(name, values.shape, TYPES[values.dtype.kind]))
        given[-1].set_data_from_numpy(values)
    return given


def infer(server: Server, model: str, **inputs: np.ndarray) -> dict[str, np.ndarray]:
    """Send a request; give the outputs."""
    server.need(model)
    answer = server.http.infer(model, sent(inputs))
    return {output["name"]: answer.as_numpy(output["name"]) for output in answer.get_response()["outputs"]}


X, Y = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((2, 3), np.float32)


def test_completion(server: Server) -> None:
    server.need("bare")
    config = server.http.get_model_config("bare")
    assert config["max_batch_size"] == 4
    assert "dynamic_batching" in config
    assert [(i["name"], i["data_type"], i["dims"]) for i in config["input"]] == [
        ("x", "TYPE_FP32", [3]),
        ("y", "TYPE_FP32", [3]),
    ]
    largest, total = config["output"]
    assert (largest["name"], largest["dims"], largest["reshape"]) == ("largest", [1], {"shape": []})
    assert (total["name"], total["dims"]) == ("sum", [3])
    assert len(config["instance_group"]) == 1


@pytest.mark.parametrize("model", ["bare", "backend", "upper", "fixed"])
def test_what_checks_know_without_a_load(server: Server, model: str) -> None:
    """`conch config` reads from the file what the backend completes with TensorFlow."""
    known_before_a_load(server, model)


def test_answers(server: Server) -> None:
    got = infer(server, "bare", x=X, y=Y)
    np.testing.assert_array_equal(got["sum"], X + 2 * Y)
    np.testing.assert_array_equal(got["largest"].reshape(-1), [2, 5])


def test_outputs_have_the_order_of_their_names(server: Server) -> None:
    assert list(infer(server, "later", text=np.array([["ab", "c"]], np.object_))) == ["length", "upper"]


def test_batches(server: Server) -> None:
    """Requests that wait together are one run, and each gets its rows."""
    server.need("backend")
    waiting = [server.http.async_infer("backend", sent({"x": X[:1] + n, "y": Y[:1]})) for n in range(8)]
    for n, request in enumerate(waiting):
        np.testing.assert_array_equal(request.get_result().as_numpy("sum"), X[:1] + n + 2)
    counted = server.http.get_inference_statistics("backend")["model_stats"][0]
    assert counted["inference_count"] == 8
    assert counted["execution_count"] < 8


def test_text(server: Server) -> None:
    got = infer(server, "upper", text=np.array([["abc", "grün"]], np.object_))
    assert got["upper"].tolist() == [[b"ABC", "GR\u00fcN".encode()]]
    assert got["length"].tolist() == [[3, 5]]


def test_without_batches(server: Server) -> None:
    np.testing.assert_array_equal(infer(server, "fixed", x=X[1])["doubled"], X[1] * 2)
    assert server.http.get_model_config("fixed")["max_batch_size"] == 0


def test_graph(server: Server) -> None:
    np.testing.assert_array_equal(infer(server, "graph", x=X)["y"], X * 3)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("wrong_type", "configuration expects datatype TYPE_INT32 for input 'x', model provides TYPE_FP32"),
        ("wrong_dims", "tensor 'sum': the model expects 2 dimensions (shape [-1,3])"),
        ("wrong_name", "unexpected inference output 'total', allowed outputs are: largest, sum;"),
        ("no_signature", "expected 'other' signature"),
        ("no_batch", "configuration specified max-batch 2 but model signature does not support batching"),
        ("threads", "parameter 'TF_NUM_INTER_THREADS' must be non-negative number"),
        ("graph_wrong", "unexpected inference input 'z', allowed inputs are: x, x:0;"),
        ("no_variables", "Internal: unable to load model 'no_variables': The passed save_path is not a valid"),
        ("cut", "failed to load model: Error parsing message"),
    ],
)
def test_models_that_cannot_load(server: Server, model: str, words: str) -> None:
    said = server.load(model)
    assert words in said
    assert "At:" not in said
