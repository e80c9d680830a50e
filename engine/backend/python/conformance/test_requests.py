"""What a request carries beside tensors, sequences, and requests that go round."""

import json
import threading
import uuid

import numpy as np
import pytest
from answers import Says
from clients import Client, Stream, inputs, text
from serving import until
from tritonclient.utils import InferenceServerException

ASK = {"ASK": text("{}")}


def fields(client: Client, **more: object) -> dict:
    client.server.need("request")
    return json.loads(client.infer("request", ASK, **more).outputs["SAID"][0])


def test_plain(client: Client, says: Says) -> None:
    says(client.protocol, fields(client))


def test_fields(client: Client, says: Says) -> None:
    told = fields(client, request_id="an id", sequence_id=7, sequence_start=True, priority=2, timeout=9_000_000)
    says(client.protocol, told)


def test_correlation_id_as_text(client: Client, says: Says) -> None:
    try:
        told = fields(client, sequence_id="seven", sequence_start=True, sequence_end=True)
    except InferenceServerException as e:
        told = e.message()
    says(client.protocol, told)


def test_wanted_outputs(client: Client, says: Says) -> None:
    says(client.protocol, fields(client, outputs=["SAID"]))


@pytest.mark.parametrize(
    "parameters", [{"a": 1}, {"a": "x", "b": True, "c": -5}, {"d": 1.5}, {"e": 'schön "quoted"'}, {"f": 2**40}]
)
def test_parameters(client: Client, says: Says, parameters: dict) -> None:
    try:
        told = json.loads(fields(client, parameters=parameters)["parameters"])
    except InferenceServerException as e:
        told = e.message()
    says(f"{client.protocol} {json.dumps(parameters, ensure_ascii=False)}", told)


@pytest.mark.parametrize("model,key", [("sequence", 42), ("sequence_text", "a name")])
def test_sequence(client: Client, says: Says, model: str, key: object) -> None:
    """Sums of a sequence, and its controls."""
    client.server.need(model)
    for n in range(3):
        more = {"sequence_id": key, "sequence_start": n == 0, "sequence_end": n == 2}
        try:
            got = client.infer(model, {"N": np.array([[n + 1]], np.int32)}, **more).outputs
        except InferenceServerException as e:
            says(f"{model} {client.protocol} {n}", e.message())
            continue
        says(f"{model} {client.protocol} {n}", [got["SUM"].tolist(), json.loads(got["SAID"][0, 0])])


def test_two_sequences_at_a_time(client: Client) -> None:
    client.server.need("sequence")
    sums = {1001: 0, 1002: 0}
    for n in range(4):
        for key in sums:
            more = {"sequence_id": key, "sequence_start": n == 0, "sequence_end": n == 3}
            sums[key] += n * key
            got = client.infer("sequence", {"N": np.array([[n * key]], np.int32)}, **more).outputs
            assert got["SUM"].item() == sums[key]


def test_sequence_without_an_id(client: Client, says: Says) -> None:
    client.server.need("sequence")
    says(client.protocol, client.fails("sequence", {"N": np.array([[1]], np.int32)}))


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_rounds(grpc: Client, rounds: int) -> None:
    """A request that is rescheduled comes back until its last round, with an answer in each."""
    grpc.server.need("iterative")
    with Stream(grpc.server) as stream:
        stream.send("iterative", {"ROUNDS": np.array([[rounds]], np.int32)}, request_id=uuid.uuid4().hex)
        came = stream.all()
    assert [m.outputs["ROUND"].item() for m in came if m.outputs] == list(range(1, rounds + 1))
    assert not any(m.error for m in came)


def test_rounds_of_several_requests(grpc: Client) -> None:
    grpc.server.need("iterative")
    came: dict[str, list[int]] = {}

    def one(rounds: int) -> None:
        with Stream(grpc.server) as stream:
            stream.send("iterative", {"ROUNDS": np.array([[rounds]], np.int32)}, request_id=f"{uuid.uuid4().hex}")
            came[str(rounds)] = [m.outputs["ROUND"].item() for m in stream.all() if m.outputs]

    threads = [threading.Thread(target=one, args=(n,)) for n in range(1, 7)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert came == {str(n): list(range(1, n + 1)) for n in range(1, 7)}


def test_is_cancelled(grpc: Client) -> None:
    """A model sees that its client has gone."""
    grpc.server.need("wait")
    seen = threading.Event()
    before = grpc.server.logged().count("the wait begins")
    sent = inputs(grpc.kind, {"ASK": text('{"do": "wait"}')})
    call = grpc.server.grpc.async_infer("wait", sent, callback=lambda result, error: seen.set())
    until(lambda: grpc.server.logged().count("the wait begins") > before, "the model runs")
    call.cancel()
    assert seen.wait(30)
    assert grpc.ask("wait", do="tell") == "cancelled"
