"""Business logic scripting: models that call models."""

import json
import re

import pytest
from answers import Says
from clients import Client
from serving import until

ONES = {"INPUT0": ["float32", [[1, 2, 3, 4]]], "INPUT1": ["float32", [[1, 1, 1, 1]]]}
CALLS = {
    "sum": {"model": "add_sub", "arrays": ONES, "outputs": ["OUTPUT0"]},
    "both outputs": {"model": "add_sub", "arrays": ONES, "outputs": ["OUTPUT1", "OUTPUT0"]},
    "all outputs": {"model": "add_sub", "arrays": ONES, "outputs": []},
    "an unknown output": {"model": "add_sub", "arrays": ONES, "outputs": ["NOPE"]},
    "an unknown model": {"model": "nope", "arrays": ONES, "outputs": ["OUTPUT0"]},
    "an unknown version": {"model": "add_sub", "arrays": ONES, "more": {"model_version": 9}},
    "the first version": {"model": "add_sub", "arrays": ONES, "outputs": ["OUTPUT0"], "more": {"model_version": 1}},
    "an input too few": {"model": "add_sub", "arrays": {"INPUT0": ONES["INPUT0"]}},
    "an unknown input": {"model": "add_sub", "arrays": {**ONES, "X": ["int32", [[1]]]}},
    "another type": {"model": "add_sub", "arrays": {**ONES, "INPUT0": ["int32", [[1, 2, 3, 4]]]}},
    "another shape": {"model": "add_sub", "arrays": {**ONES, "INPUT0": ["float32", [[1, 2]]]}},
    "too large a batch": {"model": "add_sub", "arrays": {k: ["float32", [v[1][0]] * 9] for k, v in ONES.items()}},
    "a model that raises": {"model": "errors", "ask": {"do": "raise"}},
    "a model that fails": {"model": "errors", "ask": {"do": "error NOT_FOUND"}},
    "a model without outputs": {"model": "errors", "ask": {"do": "no outputs"}},
    "a model with other outputs": {"model": "errors", "ask": {"do": "unknown output"}},
    "a decoupled model": {"model": "stream", "ask": {"do": "count", "times": 1}},
    "fields": {
        "model": "request", "ask": {}, "outputs": ["SAID"],
        "more": {"request_id": "an id", "correlation_id": 9, "flags": 1, "timeout": 7_000, "parameters": {"a": "b"}},
    },
    "without fields": {"model": "request", "ask": {}, "outputs": ["SAID"]},
    "memory of the CPU": {"model": "add_sub", "arrays": ONES, "outputs": ["OUTPUT0"], "memory": "CPU"},
    "memory of a GPU": {"model": "add_sub", "arrays": ONES, "outputs": ["OUTPUT0"], "memory": "GPU"},
    "a text as correlation id": {"model": "request", "ask": {}, "more": {"correlation_id": "nine"}},
}  # fmt: skip


def needs(client: Client) -> None:
    client.server.need("add_sub", "errors", "stream", "request", "bls", "bls_a", "bls_b", "bls_async", "coroutine")


@pytest.mark.parametrize("name", CALLS)
def test_exec(grpc: Client, says: Says, name: str) -> None:
    needs(grpc)
    told = grpc.ask("bls", do="call", **CALLS[name])
    if "input(s)" in str(told):  # these are in the order of Triton's hash table
        told["error"] = sorted(re.split(r"[,\[\]]", told["error"]))
    says(name, told)


STREAMS = {
    "three answers": {"model": "stream", "ask": {"do": "count", "times": 3}},
    "three answers and a bare final": {"model": "stream", "ask": {"do": "count", "times": 3, "bare": True}},
    "no answer": {"model": "stream", "ask": {"do": "count", "times": 0}},
    "from a thread": {"model": "stream", "ask": {"do": "thread", "times": 3}},
    "an error between": {"model": "stream", "ask": {"do": "fail"}},
    "an exception": {"model": "stream", "ask": {"do": "throw_at_once"}},
    "an ordinary model": {"model": "add_sub", "arrays": ONES, "outputs": ["OUTPUT0"]},
    "an ordinary model that fails": {"model": "errors", "ask": {"do": "raise"}},
    "an unknown model": {"model": "nope", "ask": {}},
    "an unknown output": {"model": "stream", "ask": {"do": "count", "times": 1}, "outputs": ["NOPE"]},
}


@pytest.mark.parametrize("name", STREAMS)
def test_exec_of_streams(grpc: Client, says: Says, name: str) -> None:
    needs(grpc)
    says(name, grpc.ask("bls", do="iterate", **STREAMS[name]))


def test_a_stream_that_is_not_read_to_its_end(grpc: Client) -> None:
    needs(grpc)
    sum_of_ones = CALLS["sum"]
    came = grpc.ask("bls", do="stop_early", **STREAMS["three answers"], then=sum_of_ones)
    assert came == [{"SAID": ["object", [1], ["0"]]}, {"OUTPUT0": ["float32", [1, 4], [2, 3, 4, 5]]}]


def test_async_exec_of_streams(grpc: Client, says: Says) -> None:
    needs(grpc)
    says("five at a time", grpc.ask("bls_async", model="stream", times=5))
    says("unknown", grpc.ask("bls_async", model="nope", times=1))
    says("read in threads", grpc.ask("bls_async", model="stream", times=3, loop="threads"))
    together = {"do": "together", "times": 4}  # each call begins while the others wait for their first answer
    says("four that need each other", grpc.ask("bls_async", model="stream", times=4, inner=together))
    says("async for", grpc.ask("bls_async", model="stream", times=1, loop="async for"))


def test_coroutines(client: Client, says: Says) -> None:
    needs(client)
    assert client.ask("coroutine", add=[1, 2, 3.5]) == [2, 4, 7]
    says(client.protocol, client.ask("coroutine", **{"raise": True}))


def test_coroutines_share_a_loop(client: Client) -> None:
    """A lock and a task of one request serve the next ones."""
    needs(client)
    assert [client.ask("coroutine", keep=True) for _ in range(3)] == [True, True, True]


def test_calls_from_threads(grpc: Client) -> None:
    needs(grpc)
    came = grpc.ask("bls", do="threads", times=16, **CALLS["sum"])
    assert came == [{"OUTPUT0": ["float32", [1, 4], [2, 3, 4, 5]]}] * 16


def test_calls_of_calls(grpc: Client) -> None:
    needs(grpc)
    assert grpc.ask("bls", do="nested", models=["bls_a", "bls_b"]) == ["bls", "bls_a", "bls_b"]


def test_a_call_of_an_ensemble(grpc: Client) -> None:
    needs(grpc)
    grpc.server.need("pipeline")
    came = grpc.ask("bls", do="call", model="pipeline", arrays={"IN": ONES["INPUT0"]}, outputs=["OUT"])
    assert came == {"OUT": ["float32", [1, 4], [4, 8, 12, 16]]}


def test_a_call_of_an_ensemble_with_a_step_that_refuses(grpc: Client, says: Says) -> None:
    needs(grpc)
    grpc.server.need("loose")
    arrays = {"IN": ["float32", [[1, 2]]]}
    says("the step", grpc.ask("bls", do="call", model="loose", arrays=arrays, outputs=["OUT"]))
    arrays = {"IN": ["float32", [[1, 2, 3, 4]] * 9]}
    says("the ensemble", grpc.ask("bls", do="call", model="loose", arrays=arrays, outputs=["OUT"]))


def test_is_model_ready(grpc: Client) -> None:
    needs(grpc)
    asked = [["add_sub"], ["add_sub", "1"], ["add_sub", "2"], ["nope"], ["bls"]]
    assert grpc.ask("bls", do="ready", models=asked) == [True, True, False, False, True]


def test_load_and_unload(grpc: Client, says: Says) -> None:
    needs(grpc)

    def ready() -> bool:
        return grpc.ask("bls", do="ready", models=[["loaded_by_model"]]) == [True]

    assert not ready()
    assert grpc.ask("bls", do="control", load=True, model="loaded_by_model") == "done"
    assert ready()
    assert grpc.ask("bls", do="control", load=False, model="loaded_by_model") == "done"
    until(lambda: not ready(), "the model is unloaded")
    says("load of an unknown model", grpc.ask("bls", do="control", load=True, model="nope"))
    says("unload of an unknown model", grpc.ask("bls", do="control", load=False, model="nope"))


def test_load_with_a_config_and_files(grpc: Client, says: Says) -> None:
    needs(grpc)
    config = '{"name": "made", "backend": "python", "max_batch_size": 4}'
    says("config without files", grpc.ask("bls", do="control", load=True, model="made", config=config))
    source = (grpc.server.repository / "add_sub" / "1" / "model.py").read_text()

    files = {"file:1/model.py": source}
    says("config and files", grpc.ask("bls", do="control", load=True, model="made", config=MADE, files=files))
    call = {"model": "made", "arrays": ONES, "outputs": ["OUTPUT0"]}
    assert grpc.ask("bls", do="call", **call) == {"OUTPUT0": ["float32", [1, 4], [2, 3, 4, 5]]}
    assert grpc.ask("bls", do="control", load=False, model="made") == "done"
    says("config that is not JSON", grpc.ask("bls", do="control", load=True, model="made", config="{", files=files))


def tensor(name: str) -> dict:
    return {"name": name, "data_type": "TYPE_FP32", "dims": [4]}


MADE = json.dumps(
    {
        "backend": "python",
        "max_batch_size": 8,
        "input": [tensor("INPUT0"), tensor("INPUT1")],
        "output": [tensor("OUTPUT0"), tensor("OUTPUT1")],
    }
)


def test_timeout_of_a_call(grpc: Client, says: Says) -> None:
    """A call that waits in the queue of a model for longer than its timeout is refused, where the queue allows it."""
    grpc.server.need("bls", "slow")
    call = {"model": "slow", "arrays": {"ASK": ["S1", [["x"]]]}, "more": {"timeout": 100_000}}
    came = grpc.ask("bls", do="threads", times=5, **call)
    says("five at a time", sorted({str(answer) for answer in came}))  # the real server takes the next one early
