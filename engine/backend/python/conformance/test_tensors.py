"""Tensors of each type, shape and layout, there and back."""

import json
import re
import urllib.request

import numpy as np
import pytest
from answers import Says
from clients import Client
from serving import PATIENCE, TRITON
from tritonclient.utils import InferenceServerException

TYPES = {
    "BOOL": bool, "UINT8": np.uint8, "UINT16": np.uint16, "UINT32": np.uint32, "UINT64": np.uint64, "INT8": np.int8,
    "INT16": np.int16, "INT32": np.int32, "INT64": np.int64, "FP16": np.float16, "FP32": np.float32, "FP64": np.float64,
}  # fmt: skip


def sample(name: str) -> np.ndarray:
    if name == "BYTES":
        return np.array([[b"", b"a\x00b"], ["schön".encode(), b"x" * 300]], dtype=object)
    kind = np.dtype(TYPES[name])
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        return np.array([[limits.min, limits.max, 7]], kind)
    return np.array([[1, 0, 1]], kind) if kind.kind == "b" else np.array([[-0.0, np.inf, np.nan, 0.333]], kind)


@pytest.mark.parametrize("name", [*TYPES, "BYTES"])
def test_each_type(client: Client, says: Says, name: str) -> None:
    client.server.need("types")
    data = sample(name)
    got = client.infer("types", {name: data})
    assert got.types[f"OUT_{name}"] == name
    np.testing.assert_array_equal(got.outputs[f"OUT_{name}"], data)
    assert got.outputs[f"OUT_{name}"].dtype == data.dtype
    says(name, json.loads(got.outputs["SAW"][0]))


@pytest.mark.parametrize("name", [*TYPES, "BYTES"])
@pytest.mark.parametrize("shape", [(0, 3), (2, 0)])
def test_empty(client: Client, says: Says, name: str, shape: tuple) -> None:
    client.server.need("types")
    got = client.infer("types", {name: np.zeros(shape, object if name == "BYTES" else TYPES[name])})
    assert got.outputs[f"OUT_{name}"].shape == shape
    says(f"{name} {shape}", json.loads(got.outputs["SAW"][0]))


def test_all_types_at_once(client: Client) -> None:
    client.server.need("types")
    sent = {name: sample(name) for name in [*TYPES, "BYTES"]}
    got = client.infer("types", sent)
    for name, data in sent.items():
        np.testing.assert_array_equal(got.outputs[f"OUT_{name}"], data)


@pytest.mark.parametrize("rows", [1, 1_000, 100_000, 3_000_000])
def test_large(client: Client, rows: int) -> None:
    client.server.need("types")
    data = np.arange(rows * 4, dtype=np.float32).reshape(rows, 4)
    got = client.infer("types", {"FP32": data}, outputs=["OUT_FP32"])
    np.testing.assert_array_equal(got.outputs["OUT_FP32"], data)


def test_many_and_large_texts(client: Client) -> None:
    client.server.need("types")
    data = np.array([[b"%d" % n * (n % 50) for n in range(20_000)], [b"y" * (n % 300) for n in range(20_000)]], object)
    got = client.infer("types", {"BYTES": data}, outputs=["OUT_BYTES"])
    np.testing.assert_array_equal(got.outputs["OUT_BYTES"], data)


def test_large_and_small_in_turn(client: Client) -> None:
    client.server.need("types")
    for n, rows in enumerate([1, 500_000, 3, 1_000_000, 2, 100_000, 1]):
        data = np.full([rows, 2], n, np.int32)
        got = client.infer("types", {"INT32": data, "BYTES": np.full([n + 1, 2], b"%d" % n, object)})
        np.testing.assert_array_equal(got.outputs["OUT_INT32"], data)
        assert set(got.outputs["OUT_BYTES"].flatten()) == {b"%d" % n}


def test_layouts(client: Client) -> None:
    """Views that are transposed, reversed or strided arrive as what they show."""
    client.server.need("layouts")
    data = np.arange(12, dtype=np.float32).reshape(3, 4)
    got = client.infer("layouts", {"DATA": data}).outputs
    np.testing.assert_array_equal(got["TRANSPOSED"], data.T)
    np.testing.assert_array_equal(got["STRIDED"], data[::-1, ::2])
    np.testing.assert_array_equal(got["SAME"], data)
    assert got["NONE"].shape == (0,)


def test_fixed_width_bytes(client: Client, says: Says) -> None:
    client.server.need("layouts")
    got = client.infer("layouts", {"DATA": np.zeros([1, 2], np.float32)}).outputs
    says("texts", [repr(v) for v in got["FIXED"]])


@pytest.mark.parametrize("rows", [2, 200_000])
def test_an_array_that_is_kept(grpc: Client, rows: int) -> None:
    """A model may keep an input beyond its execute, whatever comes next."""
    grpc.server.need("layouts")
    before = np.full([rows, 4], -1, np.float32)
    grpc.infer("layouts", {"DATA": before}, outputs=["SAME"])
    for n in range(8):
        data = np.full([rows, 4], n, np.float32)
        got = grpc.infer("layouts", {"DATA": data}, outputs=["KEPT", "SAME"]).outputs
        np.testing.assert_array_equal(got["KEPT"], before)
        np.testing.assert_array_equal(got["SAME"], data)
        before = data


def test_batches(client: Client) -> None:
    client.server.need("add_sub")
    for rows in [1, 3, 8]:
        a = np.arange(rows * 4, dtype=np.float32).reshape(rows, 4)
        got = client.infer("add_sub", {"INPUT0": a, "INPUT1": np.full_like(a, 2)}).outputs
        np.testing.assert_array_equal(got["OUTPUT0"], a + 2)
        np.testing.assert_array_equal(got["OUTPUT1"], a - 2)


def test_outputs_that_are_not_wanted(client: Client) -> None:
    client.server.need("add_sub")
    one = np.ones([1, 4], np.float32)
    assert list(client.infer("add_sub", {"INPUT0": one, "INPUT1": one}, outputs=["OUTPUT1"]).outputs) == ["OUTPUT1"]


@pytest.mark.parametrize("rows", [0, 9])
def test_wrong_batches(client: Client, says: Says, rows: int) -> None:
    client.server.need("add_sub")
    one = np.ones([rows, 4], np.float32)
    said = client.fails("add_sub", {"INPUT0": one, "INPUT1": one})
    says(
        f"{client.protocol} {rows}", re.sub(r"'INPUT[01]'", "one of the inputs", said)
    )  # the order is Triton's hash table's


def test_wrong_requests(client: Client, says: Says) -> None:
    client.server.need("add_sub")
    one = np.ones([1, 4], np.float32)
    wrong = {
        "an input too few": {"INPUT0": one},
        "an input too many": {"INPUT0": one, "INPUT1": one, "INPUT2": one},
        "another type": {"INPUT0": one.astype(np.int32), "INPUT1": one},
        "another shape": {"INPUT0": np.ones([1, 5], np.float32), "INPUT1": one},
    }
    for name, arrays in wrong.items():
        says(f"{client.protocol} {name}", sorted(re.split(r"[,\[\]]", client.fails("add_sub", arrays))))
    with pytest.raises(InferenceServerException) as e:
        client.infer("add_sub", {"INPUT0": one, "INPUT1": one}, outputs=["NOPE"])
    says(f"{client.protocol} an unknown output", f"{e.value.status()}: {e.value.message()}")


BITS = [0x3F80, 0xBF00, 0x7F7F]  # 1, -0.5, the largest


def bf16(grpc: Client, look: str) -> tuple[list[int], object]:
    """Send numbers of BF16 as bits, and give what came back: the bits, and what the model saw."""
    grpc.server.need("bf16")
    data = np.array(BITS, np.uint16).tobytes()
    sent = {"name": "X", "datatype": "BF16", "shape": [3], "parameters": {"binary_data_size": len(data)}}
    outputs = [{"name": name, "parameters": {"binary_data": True}} for name in ("X", "SAID")]
    head = json.dumps({"inputs": [sent], "outputs": outputs, "parameters": {"look": look}}).encode()
    url = f"http://{grpc.server.http_address}/v2/models/bf16/infer"
    request = urllib.request.Request(url, head + data, {"Inference-Header-Content-Length": str(len(head))})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        size, body = int(answer.headers["Inference-Header-Content-Length"]), answer.read()
    assert [(o["name"], o["datatype"]) for o in json.loads(body[:size])["outputs"]] == [
        ("X", "BF16"),
        ("SAID", "BYTES"),
    ]
    return np.frombuffer(body[size : size + len(data)], np.uint16).tolist(), json.loads(body[size + len(data) + 4 :])


@pytest.mark.parametrize("look", ["shape", "as_numpy", "to_dlpack"])
def test_bf16(grpc: Client, says: Says, look: str) -> None:
    says(look, bf16(grpc, look))


@pytest.mark.skipif(bool(TRITON), reason="from_dlpack ends the real server's process on a machine without CUDA")
def test_bf16_by_dlpack(grpc: Client) -> None:
    assert bf16(grpc, "there_and_back") == (BITS, "made")
