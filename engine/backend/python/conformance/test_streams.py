"""Decoupled models, and senders of models that are not."""

import json
import queue
from contextlib import suppress

import pytest
from answers import Says
from clients import Client, Stream, Streamed, text


def ask(stream: Stream, model: str = "stream", **what: object) -> list[Streamed]:
    stream.send(model, {"ASK": text(json.dumps(what))}, request_id="one")
    return stream.all()


def told(came: list[Streamed]) -> list:
    """Make messages comparable."""
    return [m.error or [json.loads(m.outputs["SAID"][0]) if m.outputs else None, m.final] for m in came]


@pytest.mark.parametrize("do", ["count", "thread"])
@pytest.mark.parametrize("times", [0, 1, 3])
@pytest.mark.parametrize("bare", [False, True])
def test_answers(grpc: Client, says: Says, do: str, times: int, bare: bool) -> None:
    grpc.server.need("stream")
    with Stream(grpc.server) as stream:
        came = ask(stream, do=do, times=times, bare=bare)
    assert all(m.id == "one" for m in came)
    says(f"{do} {times} {'bare' if bare else 'with the last'}", told(came))


def test_many_answers(grpc: Client) -> None:
    grpc.server.need("stream")
    with Stream(grpc.server) as stream:
        came = ask(stream, do="count", times=2000)
    assert [json.loads(m.outputs["SAID"][0]) for m in came] == list(range(2000))


def test_streams_side_by_side(grpc: Client) -> None:
    grpc.server.need("stream")
    with Stream(grpc.server) as stream:
        for n in range(10):
            stream.send("stream", {"ASK": text(json.dumps({"do": "thread", "times": 20}))}, request_id=str(n))
        came: dict[str, list] = {str(n): [] for n in range(10)}
        while not all(c and c[-1].final for c in came.values()):
            message = stream.next()
            came[message.id].append(message)
    for messages in came.values():
        assert [json.loads(m.outputs["SAID"][0]) for m in messages] == list(range(20))


def test_an_error_between_answers(grpc: Client, says: Says) -> None:
    grpc.server.need("stream")
    with Stream(grpc.server) as stream:
        came = ask(stream, do="fail")
        with suppress(queue.Empty):  # where an error does not end the request
            came.append(stream.came.get(timeout=3))
    says("messages", told(came))


@pytest.mark.parametrize("do", ["throw", "throw_at_once", "give"])
def test_execute_of_a_decoupled_model_goes_wrong(grpc: Client, says: Says, do: str) -> None:
    grpc.server.need("stream")
    with Stream(grpc.server) as stream:
        says(do, told(ask(stream, do=do)))


def test_decoupled_coroutines(grpc: Client) -> None:
    """Requests wait for each other: the instance takes the next one while they run."""
    grpc.server.need("stream_async")
    with Stream(grpc.server) as stream:
        for n in range(3):
            stream.send("stream_async", {"ASK": text(json.dumps({"together": 3}))}, request_id=str(n))
        came = [stream.next() for _ in range(3)]
    assert sorted(m.id for m in came) == ["0", "1", "2"]
    assert [json.loads(m.outputs["SAID"][0]) for m in came if m.outputs] == ["all are here"] * 3


def test_a_decoupled_coroutine_that_raises(grpc: Client, says: Says) -> None:
    grpc.server.need("stream_async")
    with Stream(grpc.server) as stream:
        stream.send("stream_async", {"ASK": text('{"raise": true}')})
        try:
            said = told([stream.came.get(timeout=3)])
        except queue.Empty:
            said = "nothing came in 3 seconds"
    says("the client got", said)


def test_wrong_use_of_the_sender(grpc: Client, says: Says) -> None:
    grpc.server.need("stream")
    with Stream(grpc.server) as stream:
        says("messages", told(ask(stream, do="wrong")))
        says("raised", json.loads(ask(stream, do="tell")[0].outputs["SAID"][0]))


def test_a_decoupled_model_without_a_stream(client: Client, says: Says) -> None:
    client.server.need("stream")
    says(client.protocol, client.ask("stream", do="count", times=1))


def test_a_stream_that_is_cancelled(grpc: Client) -> None:
    grpc.server.need("stream")
    with Stream(grpc.server) as stream:
        stream.send("stream", {"ASK": text('{"do": "wait"}')})
        assert json.loads(stream.next().outputs["SAID"][0]) == "started"
    with Stream(grpc.server) as stream:
        assert told(ask(stream, do="tell")) == [["cancelled", True]]


def test_ordinary_models_in_a_stream(grpc: Client, says: Says) -> None:
    grpc.server.need("senders", "errors")
    with Stream(grpc.server) as stream:
        says("answer", told(ask(stream, "senders", do="plain")))
        says("error", told(ask(stream, "errors", do="raise")))
        says("sent", told(ask(stream, "senders", do="once")))


SENDERS = ["plain", "once", "error", "twice", "twice_without_final", "bare", "both"]


@pytest.mark.parametrize("do", SENDERS)
def test_senders_of_ordinary_models(grpc: Client, says: Says, do: str) -> None:
    grpc.server.need("senders")
    says(f"{do}: the client got", grpc.ask("senders", do=do))
    says(f"{do}: the model saw", grpc.ask("senders", do="kept_texts"))
