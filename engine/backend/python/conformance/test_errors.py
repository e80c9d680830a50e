"""What clients are told when execute goes wrong, and of answers that are odd."""

import ast
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from answers import Says
from clients import Client, text
from serving import REPOSITORY, serving, until
from tritonclient.utils import InferenceServerException

SOURCE = (REPOSITORY / "errors" / "1" / "model.py").read_text()
CODES = ["none", "UNKNOWN", "INTERNAL", "NOT_FOUND", "INVALID_ARG", "UNAVAILABLE", "UNSUPPORTED"]
CODES += ["ALREADY_EXISTS", "CANCELLED"]


def ways() -> list[str]:
    """Read the ways to go wrong out of the model."""
    table = next(n.value for n in ast.parse(SOURCE).body if isinstance(n, ast.Assign) and n.targets[0].id == "ODD")
    return [k.value for k in table.keys if isinstance(k, ast.Constant)] + [f"error {c}" for c in CODES]


LAST = ("exit", "interrupt", "nothing")  # the process may end, or the real server wait for ever


@pytest.mark.parametrize("way", [w for w in ways() if w not in LAST])
def test_each(client: Client, says: Says, way: str) -> None:
    client.server.need("errors")
    try:
        got = client.infer("errors", {"ASK": text(f'{{"do": "{way}"}}')})
        told = {
            n: [got.types[n], [repr(v) for v in a.flatten().tolist()], list(a.shape)] for n, a in got.outputs.items()
        }
    except InferenceServerException as e:
        told = f"{e.status()}: {e.message()}"
    says(f"{client.protocol} {way}", told)
    assert client.ask("errors", do="fine") == "fine"


@pytest.mark.parametrize("way", LAST)
def test_each_that_may_end_the_process(tmp_path: Path, says: Says, way: str) -> None:
    """The request, and the one after it."""
    with serving(tmp_path) as server:
        client = Client(server, "grpc")
        server.need("errors")
        says(way, client.ask("errors", do=way, client_timeout=8), of=server)
        says(f"after {way}", client.ask("errors", do="fine", client_timeout=8), of=server)


def test_only_wanted_outputs_go_out(client: Client) -> None:
    client.server.need("errors")
    ask = text('{"do": "unknown output"}')
    assert list(client.infer("errors", {"ASK": ask}, outputs=["SAID"]).outputs) == ["SAID"]
    assert list(client.infer("errors", {"ASK": ask}, outputs=["OTHER"]).outputs) == []


def test_one_of_a_batch_fails(grpc: Client, says: Says) -> None:
    grpc.server.need("batch_errors")
    with ThreadPoolExecutor(4) as pool:
        came = list(pool.map(lambda n: of_batch(grpc, n), [1, -2, 3, -4]))
    says("answers", came)


def test_all_of_a_batch_fail(grpc: Client, says: Says) -> None:
    grpc.server.need("batch_errors")
    with ThreadPoolExecutor(4) as pool:
        came = list(pool.map(lambda n: of_batch(grpc, n), [1, -2, 3, -100]))
    says("answers", came)


def of_batch(client: Client, number: int) -> object:
    try:
        got = client.infer("batch_errors", {"N": np.array([[number]], np.int32)})
    except InferenceServerException as e:
        return f"{e.status()}: {e.message()}"
    return got.outputs["COUNT"].tolist()


def test_statistics_count_what_failed(grpc: Client, says: Says) -> None:
    """An error of a response counts as a success in Triton; an exception does not."""
    grpc.server.need("errors")

    def counted() -> tuple[int, int]:
        stats = grpc.server.grpc.get_inference_statistics("errors").model_stats[0].inference_stats
        return stats.success.count, stats.fail.count

    before = counted()
    for way in ["fine", "raise", "error INVALID_ARG", "short"]:
        grpc.ask("errors", do=way)
    until(lambda: sum(counted()) - sum(before) == 4, "all requests are counted")
    says("success and failure", [a - b for a, b in zip(counted(), before, strict=True)])


@pytest.mark.parametrize("way", ["none", "send"])
def test_requests_that_are_left_open(grpc: Client, says: Says, way: str) -> None:
    """The real server never ends them."""
    grpc.server.need("silent")
    try:
        got = grpc.infer("silent", {"ASK": text(f'{{"do": "{way}"}}')}, client_timeout=3)
        told = [repr(v) for v in got.outputs["SAID"]]
    except InferenceServerException as e:
        told = f"{e.status()}: {e.message()}"
    says(way, told)


def test_the_lines_of_a_traceback_are_the_models(grpc: Client) -> None:
    grpc.server.need("errors")
    told = grpc.ask("errors", do="raise")
    line = SOURCE.splitlines().index("    raise error") + 1
    path = Path(grpc.server.repository) / "errors" / "1" / "model.py"
    assert f"{path}({line}): raises" in told
