"""Every ONNX file of silero-vad as a model whose state the server keeps, against onnxruntime with the state by hand."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import onnxruntime
import pytest
import tritonclient.grpc as grpcclient

RATE = 16000
CHUNK, CONTEXT = 512, 64
CLOSE = {"rtol": 1e-5, "atol": 1e-5}
Sessions = Callable[[str], onnxruntime.InferenceSession]
STEPWISE = {
    "silero_vad": True,
    "silero_vad_16k_op15": True,
    "silero_vad_op18_ifless": True,
    "silero_vad_half": False,
    "silero_vad_openvino_16k": False,
}


def recording(seed: int, chunks: int) -> np.ndarray:
    """Make something between a voice and noise, with silence in the middle: [chunks, context + chunk]."""
    random = np.random.default_rng(seed)
    time = np.arange(chunks * CHUNK) / RATE
    pitch = 110 + 15 * seed + 30 * np.sin(2 * np.pi * 3 * time)
    voice = sum(np.sin(2 * np.pi * n * pitch * time) / n for n in range(1, 9))
    sound = 0.2 * voice * (0.5 + 0.5 * np.sin(2 * np.pi * 4 * time)) + 0.01 * random.standard_normal(time.size)
    sound[time.size // 3 : time.size // 2] = 0
    padded = np.concatenate([np.zeros(CONTEXT), sound]).astype(np.float32)
    return np.stack([padded[i * CHUNK : i * CHUNK + CONTEXT + CHUNK] for i in range(chunks)])


def tensor(name: str, values: np.ndarray) -> grpcclient.InferInput:
    """Make an input."""
    kind = {"float32": "FP32", "int64": "INT64"}[str(values.dtype)]
    made = grpcclient.InferInput(name, list(values.shape), kind)
    made.set_data_from_numpy(values)
    return made


def expected(session: onnxruntime.InferenceSession, sound: np.ndarray, rated: bool) -> list[np.ndarray]:
    """Run the recording through, handing the state on."""
    state = np.zeros((2, 1, 128), np.float32)
    answers = []
    for chunk in sound:
        inputs = {"input": chunk[None], "state": state}
        if rated:
            inputs["sr"] = np.array(RATE, np.int64)
        answer, state = session.run(["output", "stateN"], inputs)
        answers.append(answer)
    return answers


def asked(model: str, sound: np.ndarray, sequence: int, rated: bool) -> Iterator[dict]:
    """List the requests of a sequence."""
    for i, chunk in enumerate(sound):
        inputs = [tensor("input", chunk[None])]
        if rated:
            inputs.append(tensor("sr", np.array([RATE], np.int64)))
        yield {
            "model_name": model,
            "inputs": inputs,
            "sequence_id": sequence,
            "sequence_start": i == 0,
            "sequence_end": i == len(sound) - 1,
        }


@pytest.mark.parametrize("model", STEPWISE)
def test_each_speaker_has_a_state(model: str, client: grpcclient.InferenceServerClient, session: Sessions) -> None:
    """Two speakers take turns; neither hears the other. A third comes when they have gone."""
    rated = STEPWISE[model]
    open_model = session(model)
    for seeds in ([1, 2], [3]):
        sounds = [recording(seed, 30) for seed in seeds]
        wanted = [expected(open_model, sound, rated) for sound in sounds]
        rows = [asked(model, sound, seed, rated) for seed, sound in zip(seeds, sounds, strict=True)]
        for step, requests in enumerate(zip(*rows, strict=True)):
            for speaker, request in enumerate(requests):
                got = client.infer(**request)
                np.testing.assert_allclose(got.as_numpy("output"), wanted[speaker][step], **CLOSE)
                assert got.as_numpy("stateN") is None
        assert max(w.max() for w in wanted[0]) > 0.1, "the recording says nothing"


def test_two_states(client: grpcclient.InferenceServerClient, session: Sessions) -> None:
    """Many chunks in a request, of any number."""
    sound = recording(4, 40)
    open_model = session("silero_vad_16k_sequence")
    h, c = np.zeros((1, 1, 128), np.float32), np.zeros((1, 1, 128), np.float32)
    for begin, end in [(0, 1), (1, 20), (20, 40)]:
        wanted, h, c = open_model.run(["speech_probs", "hn", "cn"], {"input": sound[begin:end], "h": h, "c": c})
        got = client.infer(
            "silero_vad_16k_sequence",
            [tensor("input", sound[begin:end])],
            sequence_id=9,
            sequence_start=begin == 0,
            sequence_end=end == 40,
        )
        np.testing.assert_allclose(got.as_numpy("speech_probs"), wanted, **CLOSE)


@pytest.mark.parametrize("model", ["silero_vad_16k_op15", "silero_vad_half"])
def test_all_at_once(model: str, address: str, session: Sessions) -> None:
    """Six clients speak at the same time to two instances."""
    rated = STEPWISE[model]

    def speak(seed: int) -> list[np.ndarray]:
        with grpcclient.InferenceServerClient(address) as own:
            return [own.infer(**r).as_numpy("output") for r in asked(model, recording(seed, 20), 100 + seed, rated)]

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(speak, range(6)))
    for seed, got in enumerate(answers):
        np.testing.assert_allclose(got, expected(session(model), recording(seed, 20), rated), **CLOSE)
