"""ONNX files of small networks, written without any package."""

import random
import struct
from array import array
from pathlib import Path

FLOAT = 1
INTS, INT, TENSORS = 7, 2, 4  # kinds of attributes


def varint(n: int) -> bytes:
    """Writes a number as protobuf does."""
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes([*out, n])


def part(number: int, value: int | str | bytes) -> bytes:
    """Writes a field of a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def weights(name: str, dims: list[int], source: random.Random) -> bytes:
    """Writes random weights, small enough that a deep network's values stay in their range."""
    count = 1
    for d in dims:
        count *= d
    fan = max(1, count // dims[0])
    data = array("f", (source.gauss(0, (2 / fan) ** 0.5) for _ in range(count)))
    return b"".join(part(1, d) for d in dims) + part(2, FLOAT) + part(8, name) + part(9, data.tobytes())


def ints(name: str, values: list[int]) -> bytes:
    """Writes an attribute."""
    return part(1, name) + b"".join(part(8, v) for v in values) + part(20, INTS)


def node(op: str, inputs: list[str], output: str, *attributes: bytes) -> bytes:
    """Writes a node of a graph."""
    listed = b"".join(part(1, name) for name in inputs)
    return listed + part(2, output) + part(4, op) + b"".join(part(5, a) for a in attributes)


def value(name: str, dims: list[int | str]) -> bytes:
    """Writes an input or output of a graph. A text stands for a dimension of any size."""
    shape = b"".join(part(1, part(2, d) if isinstance(d, str) else part(1, d)) for d in dims)
    return part(1, name) + part(2, part(1, part(1, FLOAT) + part(2, shape)))


def convolutions(side: int, channels: int, depth: int) -> bytes:
    """A network of convolutions over pictures of three colours, which ends with a number for each of ten classes."""
    source, nodes, initializers = random.Random(1), [], []
    given, before = 3, "X"
    for i in range(depth):
        initializers.append(weights(f"W{i}", [channels, given, 3, 3], source))
        nodes.append(node("Conv", [before, f"W{i}"], f"C{i}", ints("kernel_shape", [3, 3]), ints("pads", [1, 1, 1, 1])))
        nodes.append(node("Relu", [f"C{i}"], f"R{i}"))
        given, before = channels, f"R{i}"
    initializers.append(weights("D", [channels, 10], source))
    nodes += [node("GlobalAveragePool", [before], "P"), node("Flatten", ["P"], "F"), node("MatMul", ["F", "D"], "Y")]
    graph = b"".join(part(1, n) for n in nodes) + part(2, "convolutions") + b"".join(part(5, w) for w in initializers)
    graph += part(11, value("X", ["n", 3, side, side])) + part(12, value("Y", ["n", 10]))
    return part(1, 8) + part(7, graph) + part(8, part(2, 13))


def linear(size: int) -> bytes:
    """A matrix and a bias, which CUDA's provider adds with memory that grows with the batch."""
    source = random.Random(2)
    graph = part(1, node("Gemm", ["X", "W", "B"], "Y")) + part(2, "linear")
    graph += part(5, weights("W", [size, size], source)) + part(5, weights("B", [size], source))
    graph += part(11, value("X", ["n", size])) + part(12, value("Y", ["n", size]))
    return part(1, 8) + part(7, graph) + part(8, part(2, 13))


def pictures(side: int) -> bytes:
    """A network that answers pictures of three colours without negative numbers unchanged."""
    graph = part(1, node("Relu", ["X"], "Y")) + part(2, "pictures")
    graph += part(11, value("X", ["n", 3, side, side])) + part(12, value("Y", ["n", 3, side, side]))
    return part(1, 8) + part(7, graph) + part(8, part(2, 13))


def config(kind: str, batch: int, extra: str = "", instances: int = 1) -> str:
    """A config with instances of a kind."""
    where = f"kind: {kind} gpus: [ 0 ]" if kind == "KIND_GPU" else f"kind: {kind}"
    group = f"instance_group [ {{ count: {instances} {where} }} ]"
    return f'backend: "onnxruntime"\nmax_batch_size: {batch}\n{group}\n{extra}\n'


def accelerator(name: str, parameters: dict[str, str]) -> str:
    """The part of a config that asks for an accelerator."""
    lines = "".join(f' parameters {{ key: "{k}" value: "{v}" }}' for k, v in parameters.items())
    return f'optimization {{ execution_accelerators {{ gpu_execution_accelerator [ {{ name: "{name}"{lines} }} ] }} }}'


def write(repository: Path, name: str, model: bytes, text: str) -> None:
    """Writes a model into a repository."""
    folder = repository / name / "1"
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(model)
    (folder.parent / "config.pbtxt").write_text(text)


def program(kind: str, dims: list[int]) -> str:
    """The config of a program with an input X and an output Y of one shape."""
    both = f"data_type: TYPE_FP32 dims: {dims}"
    tensors = f'input [ {{ name: "X" {both} }} ]\noutput [ {{ name: "Y" {both} }} ]'
    return config(kind, 256, tensors).replace("onnxruntime", "python")


def write_program(repository: Path, name: str, source: Path, text: str) -> None:
    """Writes a Python model into a repository."""
    folder = repository / name / "1"
    folder.mkdir(parents=True)
    (folder / "model.py").write_bytes(source.read_bytes())
    (folder.parent / "config.pbtxt").write_text(text)


def floats(count: int, seed: int) -> bytes:
    """Random numbers as a tensor's bytes."""
    source = random.Random(seed)
    return struct.pack(f"<{count}f", *(source.random() for _ in range(count)))
