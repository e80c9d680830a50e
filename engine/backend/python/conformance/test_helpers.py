"""Every name of triton_python_backend_utils, used in a model."""

import json
from pathlib import Path

import pytest
from answers import Says
from clients import Client
from serving import TRITON, serving, until

GROUPS = ["tensor", "request", "response", "constants", "bytes", "config", "module", "arguments", "made", "objects"]


@pytest.mark.parametrize("group", GROUPS)
def test_group(grpc: Client, says: Says, group: str) -> None:
    grpc.server.need("helpers")
    for probe in grpc.ask("helpers", group=group):
        said = grpc.ask("helpers", group=group, probe=probe)
        says(f"{group}: {probe}", said)


@pytest.mark.skipif(bool(TRITON), reason="from_dlpack ends the real server's process on a machine without CUDA")
def test_exchange(grpc: Client) -> None:
    """DLPack, both ways."""
    grpc.server.need("helpers")
    told = {
        probe: grpc.ask("helpers", group="exchange", probe=probe) for probe in grpc.ask("helpers", group="exchange")
    }
    assert told == {
        "from numpy": ["D", ["float32", [3], ["0.0", "1.0", "2.0"]]],
        "from capsule": ["D", ["int64", [3], ["0", "1", "2"]]],
        "from wrong": told["from wrong"],
        "from transposed": told["from transposed"],
        "read-only": ["int16", [2], ["1", "2"]],
        "taken and given": ["float32", [3], ["0.0", "1.0", "2.0"]],
        "taken and changed": ["float32", [3], ["1.0", "2.0", "3.0"]],
        "to_dlpack": True,
        "numpy from dlpack": ["int16", [2, 3], ["0", "1", "2", "3", "4", "5"]],
        "dlpack device": [1, 0],
        "dlpack of bytes": told["dlpack of bytes"],
    }
    assert "Provided tensor is not supported." in told["from wrong"], told
    assert "DLPack tensor is not contiguous." in told["from transposed"], told
    assert "TritonModelException" in told["dlpack of bytes"]


def test_arguments(client: Client, says: Says) -> None:
    """What initialize gets, and where the model's files and modules are."""
    client.server.need("arguments")
    told = client.ask("arguments")
    told["args"]["model_config"] = sorted(json.loads(told["args"]["model_config"]))
    for name, value in told.items():
        says(name, value)


MISUSE = [
    *["set a counter", "decrement a counter", "observe a gauge", "value of a histogram", "increment a histogram"],
    *["set a histogram", "histogram without buckets", "buckets of a counter", "buckets in disorder", "text"],
    *[
        "number as a label",
        "same family",
        "same name, other kind",
        "odd name",
        "no kind",
        "same labels",
        "without labels",
    ],
]


def test_metrics(tmp_path: Path, says: Says) -> None:
    """A server of its own: the real one may crash some time after wrong use."""
    with serving(tmp_path) as server:
        client = Client(server, "grpc")
        server.need("metrics")
        page = lambda: sorted(line for line in server.metrics() if "conformance_" in line)  # noqa: E731
        says("before", page(), of=server)
        says("values", client.ask("metrics", do="use"), of=server)
        says("after", page(), of=server)
        for way in MISUSE:
            says(way, client.ask("metrics", do="misuse", more={"way": way}), of=server)


ODD = ["number by name", "tuple of buckets", "list of labels"]


def test_odd_metrics(tmp_path: Path, says: Says) -> None:
    """Numbers that JSON does not have, and more that is refused."""
    with serving(tmp_path) as server:
        client = Client(server, "grpc")
        server.need("metrics")
        says("values", client.ask("metrics", do="odd"), of=server)
        says("page", sorted(line for line in server.metrics() if "{odd=" in line), of=server)
        for way in ODD:
            says(way, client.ask("metrics", do="misuse", more={"way": way}), of=server)


@pytest.mark.skipif(bool(TRITON), reason="the real server keeps such metrics, and may crash when the page is read then")
def test_metrics_that_python_holds_no_more(grpc: Client) -> None:
    grpc.server.need("metrics")
    assert any(line.startswith("conformance_level{") for line in grpc.server.metrics())
    assert grpc.ask("metrics", do="drop") == "dropped"
    until(lambda: not any(line.startswith("conformance_level{") for line in grpc.server.metrics()), "the gauge is gone")
    grpc.server.unload("metrics")
    until(lambda: not any("conformance_" in line for line in grpc.server.metrics()), "all are gone")


LEVELS = {"info": "I", "warning": "W", "error": "E", "verbose": "V", "default": "I", "as a warning": "W"}


def test_logger(grpc: Client, says: Says) -> None:
    grpc.server.need("logger")
    says("misuse", grpc.ask("logger", word="a-word"))
    until(lambda: "a-word to stderr" in grpc.server.logged(), "what is printed is in the log")
    for text, level in LEVELS.items():
        until(lambda text=text: f"a-word {text}" in grpc.server.logged(), f"{text} is in the log")
        line = next(line for line in grpc.server.logged().splitlines() if f"a-word {text}" in line)
        says(f"level of {text}", line.strip()[0] if line.strip()[0] in "IWEV" else line)
        assert level in "IWEV"
    for text in [
        "two",
        "lines",
        "a-word printed",
        "a-word to stderr",
        "logged in initialize",
        "logged in auto_complete_config",
    ]:
        until(lambda text=text: text in grpc.server.logged(), f"{text} is in the log")
    grpc.server.unload("logger")
    until(lambda: "logged in finalize" in grpc.server.logged(), "finalize has logged")
