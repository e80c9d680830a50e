"""The pytorch backend: TorchScript with its naming rules, modules in Python, and packages."""

import subprocess
import zipfile
from pathlib import Path

import models
import numpy as np
import pytest
import tritonclient.http as httpclient
from conftest import Start, torch_models
from serving import Server

X, Y = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((2, 3), np.float32)
SCALED = """
import torch


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.by = torch.nn.Parameter(torch.tensor([1.0]))

    def forward(self, x):
        return x * self.by
"""

ORDERED = """
import torch


class Ordered(torch.nn.Module):
    def forward(self, x, y):
        return x * 2, x - y
"""


# What torch.export.save and AOTInductor write: an entry that tells it, and the first PyTorch that reads it.
PACKAGES = {
    "exported": ("serialized_exported_program.json", "2.1"),
    "package": ("model/data/aotinductor/model/x.so", "2.6"),
}


def two(first: str, second: str, double: str, total: str, more: str = "") -> str:
    """Describe a model of the class Twice. The outputs are written in the order of their names."""
    outputs = sorted([models.tensor(double, "FP32", "3"), models.tensor(total, "INT64", "3")], reverse=double > total)
    inputs = f"input [ {models.tensor(first, 'FP32', '3')}, {models.tensor(second, 'FP32', '3')} ]\n"
    return f'backend: "pytorch" max_batch_size: 8\n{inputs}output [ {", ".join(outputs)} ]\n{more}'


def one(output: str = "1", more: str = "") -> str:
    """Describe a model with an input x and an output y."""
    entries = f"input [ {models.tensor('x', 'FP32', '3')} ] output [ {models.tensor('y', 'FP32', output)} ]\n"
    return f'backend: "pytorch"\n{entries}{more}'


DELAY = "dynamic_batching { preferred_batch_size: [ 8 ] max_queue_delay_microseconds: 200000 }"
CONFIGS = {
    "index": two("B__1", "A__0", "OUT__0", "OUT__1", "dynamic_batching { }"),
    "arguments": two("y", "x", "double", "sum"),
    "order": two("first", "second", "double", "sum"),
    "later": two("B__1", "A__0", "Z__0", "OUT__1"),
    "batches": two("x", "y", "double", "sum", DELAY),
    "texts": 'platform: "pytorch_libtorch"\n'
    f"input [ {models.tensor('IN__0', 'STRING', '-1')} ] output [ {models.tensor('OUT__0', 'STRING', '-1')} ]",
    "named": 'backend: "pytorch"\n'
    f"input [ {models.tensor('b', 'FP32', '2')}, {models.tensor('a', 'FP32', '2')} ]\n"
    f"output [ {models.tensor('sum', 'FP32', '2')} ]",
    "running": f"""backend: "pytorch"
input {models.tensor("IN__0", "FP32", "1")}
output {models.tensor("OUT__0", "FP32", "1")}
sequence_batching {{ state {{
    input_name: "SUM__1" output_name: "SUM__1" data_type: TYPE_FP32 dims: 1
    initial_state {{ name: "zero" data_type: TYPE_FP32 dims: 1 zero_data: true }}
}} }}""",
    "program": one("3", 'runtime: "model.py" max_batch_size: 8'),
    "ordered": two("y", "x", "double__1", "less__0", 'runtime: "model.py"')
    .replace("INT64", "FP32")
    .replace("[ 3 ]", "[ -1 ]"),
    "programless": one(more='runtime: "model.py"'),
    "scalar": one(),
    "dictionary": one("3"),
    "listed": one("3"),
    "few": one(),
    "platform": one().replace('backend: "pytorch"', 'platform: "pytorch_libtorch"'),
    "kind": two("x", "y", "double", "sum").replace("TYPE_INT64", "TYPE_FP32"),
    "broken": one(),
    "old": 'platform: "torch_aoti"\n' + one()[len('backend: "pytorch"\n') :],
    "flags": one(more=models.parameter("INFERENCE_MODE", "maybe")),
}


@pytest.fixture(scope="module")
def server(start: Start, torch_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Server:
    """Serve the models with the Python that wrote them."""
    root = tmp_path_factory.mktemp("pytorch")
    torch_models(torch_python, root)
    for name, text in CONFIGS.items():
        models.config(root / name, text)
    (root / "program" / "1" / "model.py").write_text(SCALED)
    (root / "ordered" / "1").mkdir(parents=True)
    (root / "ordered" / "1" / "model.py").write_text(ORDERED)
    (root / "broken" / "1" / "model.pt").write_bytes(b"no archive")
    for name in ("old", "programless"):
        (root / name / "1").mkdir(parents=True)
    (root / "old" / "1" / "model.pt2").write_bytes(b"no archive")
    for name in PACKAGES:
        shapes = f"{models.tensor('INPUT__0', 'FP32', '2, 3')}, {models.tensor('INPUT__1', 'FP32', '2, 3')}"
        outputs = f"{models.tensor('OUTPUT__0', 'FP32', '2, 3')}, {models.tensor('OUTPUT__1', 'INT64', '2, 3')}"
        models.config(root / name, f'platform: "torch_aoti"\ninput [ {shapes} ]\noutput [ {outputs} ]\n')
    return start(root, python=torch_python)


def inputs(**given: np.ndarray) -> list[httpclient.InferInput]:
    """Make the inputs of a request. Arrays of objects are texts."""
    found = []
    for name, value in given.items():
        kind = "BYTES" if value.dtype == np.object_ else "FP32"
        found.append(httpclient.InferInput(name, list(value.shape), kind))
        found[-1].set_data_from_numpy(value)
    return found


def ask(server: Server, model: str, outputs: list[str] | None = None, **given: np.ndarray) -> dict[str, np.ndarray]:
    """Ask a model, and give its outputs."""
    server.need(model)
    wanted = [httpclient.InferRequestedOutput(name) for name in outputs] if outputs else None
    found = server.http.infer(model, inputs(**given), outputs=wanted)
    return {one["name"]: found.as_numpy(one["name"]) for one in found.get_response()["outputs"]}


def test_names_by_index(server: Server) -> None:
    found = ask(server, "index", B__1=Y, A__0=X)
    assert np.array_equal(found["OUT__0"], X * 2)
    assert np.array_equal(found["OUT__1"], X + Y)
    assert list(ask(server, "index", ["OUT__1"], B__1=Y, A__0=X)) == ["OUT__1"]


def test_outputs_have_the_order_of_their_names(server: Server) -> None:
    assert CONFIGS["later"].index("Z__0") < CONFIGS["later"].index("OUT__1")
    assert list(ask(server, "later", B__1=Y, A__0=X)) == ["OUT__1", "Z__0"]


def test_states_of_a_sequence(server: Server) -> None:
    server.need("running")
    for sequence in (7, 8):
        for i, total in enumerate((1, 3, 6)):
            place = {"sequence_id": sequence, "sequence_start": i == 0, "sequence_end": i == 2}
            found = server.http.infer("running", inputs(IN__0=np.array([i + 1], np.float32)), **place)
            assert found.as_numpy("OUT__0").tolist() == [total * 2]
            assert found.as_numpy("SUM__1") is None, "the config lists no such output"


def test_names_of_arguments(server: Server) -> None:
    found = ask(server, "arguments", y=Y, x=X)
    assert np.array_equal(found["double"], X * 2)
    assert np.array_equal(found["sum"], X + Y)


def test_names_by_order(server: Server) -> None:
    assert np.array_equal(ask(server, "order", first=X, second=Y)["double"], X * 2)


def test_one_call_for_a_batch_of_requests(server: Server) -> None:
    server.need("batches")
    rows = [np.full((2, 3), n, np.float32) for n in range(4)]
    waiting = [server.http.async_infer("batches", inputs(x=row, y=Y)) for row in rows]
    for row, answer in zip(rows, waiting, strict=True):
        assert np.array_equal(answer.get_result().as_numpy("double"), row * 2)
    assert server.grpc.get_inference_statistics("batches").model_stats[0].execution_count == 1


def test_strings(server: Server) -> None:
    texts = np.array(["ab", "é c"], np.object_)
    assert [text.decode() for text in ask(server, "texts", IN__0=texts)["OUT__0"]] == ["AB", "é C"]  # as in TorchScript


def test_dictionaries(server: Server) -> None:
    ones = np.ones(2, np.float32)
    assert ask(server, "named", b=ones, a=ones)["sum"].tolist() == [2, 2]


def test_a_module_in_python(server: Server) -> None:
    assert np.array_equal(ask(server, "program", x=X)["y"], X * 3)


def test_a_module_in_python_takes_its_arguments_in_the_order_of_the_config(server: Server) -> None:
    """As in Triton, names count for nothing there."""
    found = ask(server, "ordered", y=X, x=Y)
    assert np.array_equal(found["double__1"], X * 2)
    assert np.array_equal(found["less__0"], X - Y)


def test_an_error_of_a_module_in_python_says_its_line(server: Server) -> None:
    with pytest.raises(Exception, match=r"RuntimeError: The size of tensor a[^\0]*ordered/1/model\.py\(7\): forward"):
        ask(server, "ordered", y=X, x=np.ones((2, 2), np.float32))


@pytest.mark.parametrize("model", PACKAGES)
def test_packages(server: Server, torch_python: Path, model: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What torch.export and AOTInductor make is served. A PyTorch that is too old for it says which one reads it."""
    entry, since = PACKAGES[model]
    code = "import torch; print(torch.__version__)"
    version = subprocess.run([torch_python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    new = [int(n) for n in version.split(".")[:2]] >= [int(n) for n in since.split(".")]
    file = server.repository / model / "1" / "model.pt2"
    if file.exists():
        found = ask(server, model, INPUT__0=X, INPUT__1=Y)
        assert np.array_equal(found["OUTPUT__0"], X * 2)
        assert np.array_equal(found["OUTPUT__1"], X + Y)
        tested = "a real one was served"
    else:
        file.parent.mkdir(parents=True)
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(entry, b"")
        refused = f"failed to load '{file}'" if new else f"does not read '{file}': install PyTorch {since} or newer"
        assert refused in server.load(model)
        tested = "an empty one was refused: here is no compiler" if new else "it was refused: too old"
    with capsys.disabled():
        print(f"\nmodel.pt2 ({model}) with PyTorch {version}: {tested}")


def test_outputs_that_triton_does_not_take(server: Server) -> None:
    """Requests fail as rule PT9 says, also where Python could read the answer."""
    for model, said in (
        ("dictionary", r"Tensor, List\[str\] or Tuple containing one of these two types\."),
        ("listed", r"Tensor or List\[str\], received List\[Tensor\]"),
    ):
        with pytest.raises(Exception, match=f"PyTorch execute failure: output must be of type {said}"):
            ask(server, model, x=np.ones(3, np.float32))


def test_errors(server: Server) -> None:
    with pytest.raises(Exception, match="output 'y' is a scalar which is not supported"):
        ask(server, "scalar", x=np.ones(3, np.float32))
    with pytest.raises(Exception, match="expects datatype TYPE_FP32 for output 'sum', model provides TYPE_INT64"):
        ask(server, "kind", x=X, y=Y)
    for name in ("few", "platform"):
        assert f"unable to load model '{name}', configuration expects 1 inputs, model provides 2" in server.load(name)
    assert "failed to load model 'broken'" in server.load("broken")
    assert "/programless/1/['model.py', 'model.pt'];" in server.load("programless")
    assert "/old/1/model.pt2' is no archive of PyTorch" in server.load("old")
    assert "'maybe' to bool" in server.load("flags")
