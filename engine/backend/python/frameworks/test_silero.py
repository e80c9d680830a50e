"""The TorchScript model of the package silero-vad against its ONNX twin, both in one server."""

import hashlib
import shutil
from pathlib import Path

import models
import numpy as np
import pytest
import tritonclient.http as httpclient
from conftest import Start, torch_models
from serving import Server

DATA = Path(__file__).parents[4] / "build" / "cache" / "silero" / "silero_vad" / "data"
FILES = {
    "silero_vad.jit": "e1122837f4154c511485fe0b9c64455f7b929c96fbb8d79fbdb336383ebd3720",
    "silero_vad.onnx": "1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3",
}
RATE, WINDOW, CONTEXT = 16000, 512, 64


def sounds() -> np.ndarray:
    """Silence, noise, and a tone with overtones that comes and goes."""
    time = np.arange(WINDOW) / RATE
    voice = sum(np.sin(2 * np.pi * 140 * n * time) / n for n in range(1, 12)) * np.sin(np.pi * time / time[-1])
    noise = np.random.RandomState(3).standard_normal((6, WINDOW)) * 0.3
    return np.vstack([np.zeros(WINDOW), noise, voice, 0.3 * voice]).astype(np.float32)


def infer(server: Server, model: str, output: str, **given: np.ndarray) -> np.ndarray:
    """Ask a model."""
    inputs = []
    for name, value in given.items():
        inputs.append(
            httpclient.InferInput(name, list(value.shape), {"float32": "FP32"}.get(value.dtype.name, "INT64"))
        )
        inputs[-1].set_data_from_numpy(value)
    return server.http.infer(model, inputs).as_numpy(output)


def test_the_models_are_those_that_are_meant() -> None:
    for name, wanted in FILES.items():
        assert hashlib.sha256((DATA / name).read_bytes()).hexdigest() == wanted, name


def test_both_models_say_the_same(start: Start, torch_python: Path, tmp_path: Path) -> None:
    ends = f"input [ {models.tensor('x', 'FP32', '512')} ] output [ {models.tensor('speech', 'FP32', '1')} ]\n"
    torch_models(torch_python, tmp_path, DATA / "silero_vad.jit")
    for name, config in (
        ("script", f'backend: "pytorch" max_batch_size: 16\n{ends}'),
        ("raw", f'backend: "pytorch" max_batch_size: 16\n{ends}'),
        ("onnx", 'backend: "onnxruntime"\n'),
    ):
        models.config(tmp_path / name, config)
        (tmp_path / name / "1").mkdir(exist_ok=True)
    shutil.copyfile(DATA / "silero_vad.jit", tmp_path / "raw/1/model.pt")
    shutil.copyfile(DATA / "silero_vad.onnx", tmp_path / "onnx/1/model.onnx")
    server, x = start(tmp_path, python=torch_python), sounds()
    server.need("script", "onnx")
    script = infer(server, "script", "speech", x=x)
    padded = np.hstack([np.zeros((len(x), CONTEXT), np.float32), x])
    state = np.zeros((2, len(x), 128), np.float32)
    onnx = infer(server, "onnx", "output", input=padded, state=state, sr=np.array(RATE, np.int64).reshape(1))
    assert onnx.max() - onnx.min() > 0.001, "the sounds are told apart"
    np.testing.assert_allclose(script, onnx, atol=1e-4)
    assert "An input of type 'int' was detected in the model." in server.load("raw")  # its second argument is a number
    with pytest.raises(Exception, match="raw"):
        infer(server, "raw", "speech", x=x)
