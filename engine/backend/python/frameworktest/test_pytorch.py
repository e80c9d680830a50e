"""The pytorch backend: TorchScript with its naming rules, and modules in Python."""

import concurrent.futures
from pathlib import Path

import numpy as np
import pytest
from client import Refused
from conftest import Serve

torch = pytest.importorskip("torch", reason="this interpreter has no PyTorch")


class Twice(torch.nn.Module):
    def forward(self, x, y):
        return x * 2, (x + y).to(torch.int64)


class Upper(torch.nn.Module):
    def forward(self, words: list[str]) -> list[str]:
        out: list[str] = []
        for word in words:
            out.append(word.upper())
        return out


class Named(torch.nn.Module):
    def forward(self, given: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        return {"sum": given["a"] + given["b"]}


class Scalar(torch.nn.Module):
    def forward(self, x):
        return x.sum()


SCALED = """
import torch


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.by = torch.nn.Parameter(torch.tensor([1.0]))

    def forward(self, x):
        return x * self.by
"""


def tensor(field: str, name: str, kind: str, dims: str) -> str:
    return f'{field} {{ name: "{name}" data_type: TYPE_{kind} dims: [ {dims} ] }}\n'


def save(repository: Path, name: str, module: torch.nn.Module, config: str) -> None:
    folder = repository / name
    (folder / "1").mkdir(parents=True)
    torch.jit.script(module).save(str(folder / "1" / "model.pt"))
    (folder / "config.pbtxt").write_text(config)


def two(*names: str, more: str = "") -> str:
    a, b, first, second = names
    return (
        'backend: "pytorch" max_batch_size: 8\n'
        + tensor("input", a, "FP32", "3")
        + tensor("input", b, "FP32", "3")
        + tensor("output", first, "FP32" if not first.endswith("1") else "INT64", "3")
        + tensor("output", second, "INT64" if not second.endswith("0") else "FP32", "3")
        + more
    )


X, Y = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((2, 3), np.float32)


def test_names_by_index(repository: Path, serve: Serve) -> None:
    save(repository, "m", Twice(), two("B__1", "A__0", "OUT__1", "OUT__0", more="dynamic_batching { }"))
    client = serve()
    found = client.infer("m", B__1=Y, A__0=X)
    assert np.array_equal(found["OUT__0"], X * 2)
    assert np.array_equal(found["OUT__1"], X + Y)
    assert list(client.infer("m", outputs=["OUT__1"], B__1=Y, A__0=X)) == ["OUT__1"]


def test_names_of_arguments(repository: Path, serve: Serve) -> None:
    save(repository, "m", Twice(), two("y", "x", "double", "sum"))
    found = serve().infer("m", y=Y, x=X)
    assert np.array_equal(found["double"], X * 2)
    assert np.array_equal(found["sum"], X + Y)


def test_names_by_order(repository: Path, serve: Serve) -> None:
    save(repository, "m", Twice(), two("first", "second", "double", "sum"))
    found = serve().infer("m", first=X, second=Y)
    assert np.array_equal(found["double"], X * 2)


def test_one_call_for_a_batch_of_requests(repository: Path, serve: Serve) -> None:
    more = "dynamic_batching { preferred_batch_size: [ 8 ] max_queue_delay_microseconds: 200000 }"
    save(repository, "m", Twice(), two("x", "y", "double", "sum", more=more))
    client = serve()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        rows = [np.full((2, 3), n, np.float32) for n in range(4)]
        answers = list(pool.map(lambda row: client.infer("m", x=row, y=Y), rows))
    for row, answer in zip(rows, answers, strict=True):
        assert np.array_equal(answer["double"], row * 2)


def test_strings(repository: Path, serve: Serve) -> None:
    config = 'platform: "pytorch_libtorch"\n' + tensor("input", "IN__0", "STRING", "-1")
    save(repository, "m", Upper(), config + tensor("output", "OUT__0", "STRING", "-1"))
    assert serve().infer("m", IN__0=["ab", "é c"])["OUT__0"].tolist() == ["AB", "é C"]


def test_dictionaries(repository: Path, serve: Serve) -> None:
    config = 'backend: "pytorch"\n' + tensor("input", "b", "FP32", "2") + tensor("input", "a", "FP32", "2")
    save(repository, "m", Named(), config + tensor("output", "sum", "FP32", "2"))
    ones = np.ones(2, np.float32)
    assert serve().infer("m", b=ones, a=ones)["sum"].tolist() == [2, 2]


def test_a_module_in_python(repository: Path, serve: Serve) -> None:
    folder = repository / "m"
    (folder / "1").mkdir(parents=True)
    (folder / "1" / "model.py").write_text(SCALED)
    torch.save({"by": torch.tensor([3.0])}, folder / "1" / "model.pt")
    config = 'backend: "pytorch" runtime: "model.py" max_batch_size: 8\n' + tensor("input", "x", "FP32", "3")
    (folder / "config.pbtxt").write_text(config + tensor("output", "y", "FP32", "3"))
    assert np.array_equal(serve().infer("m", x=X)["y"], X * 3)


def test_errors(repository: Path, serve: Serve) -> None:
    one = 'backend: "pytorch"\n' + tensor("input", "x", "FP32", "3") + tensor("output", "y", "FP32", "1")
    save(repository, "scalar", Scalar(), one)
    save(repository, "few", Twice(), one)
    save(repository, "kind", Twice(), two("x", "y", "double", "sum").replace("TYPE_INT64", "TYPE_FP32"))
    save(repository, "broken", Scalar(), one)
    (repository / "broken" / "1" / "model.pt").write_bytes(b"no archive")
    save(repository, "flags", Scalar(), one + 'parameters { key: "INFERENCE_MODE" value { string_value: "maybe" } }')
    client = serve()
    with pytest.raises(Refused, match=r"^output 'y' is a scalar which is not supported"):
        client.infer("scalar", x=np.ones(3, np.float32))
    with pytest.raises(Refused, match="expects datatype TYPE_FP32 for output 'sum', model provides TYPE_INT64"):
        client.infer("kind", x=X, y=Y)
    assert "unable to load model 'few', configuration expects 1 inputs, model provides 2" in client.reason("few")
    assert "failed to load model 'broken'" in client.reason("broken")
    assert "failed to convert INFERENCE_MODE 'maybe' to boolean value" in client.reason("flags")
