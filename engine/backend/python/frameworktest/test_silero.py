"""The TorchScript model of the package silero-vad against its ONNX twin, both in one server."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from client import Refused
from conftest import Serve

torch = pytest.importorskip("torch", reason="this interpreter has no PyTorch")

DATA = Path(__file__).parents[4] / "build" / "cache" / "silero" / "silero_vad" / "data"
RATE, WINDOW, CONTEXT = 16000, 512, 64


class OneWindow(torch.nn.Module):
    """The model keeps a state from call to call; this one resets it before each."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, x):
        self.model.reset_states()
        return self.model(x, 16000)


def sounds() -> np.ndarray:
    """Silence, noise, and a tone with overtones that comes and goes."""
    time = np.arange(WINDOW) / RATE
    voice = sum(np.sin(2 * np.pi * 140 * n * time) / n for n in range(1, 12)) * np.sin(np.pi * time / time[-1])
    noise = np.random.RandomState(3).standard_normal((6, WINDOW)) * 0.3
    return np.vstack([np.zeros(WINDOW), noise, voice, 0.3 * voice]).astype(np.float32)


def tensor(field: str, name: str, dims: str) -> str:
    return f'{field} {{ name: "{name}" data_type: TYPE_FP32 dims: [ {dims} ] }}\n'


def test_both_models_say_the_same(repository: Path, serve: Serve) -> None:
    config = 'backend: "pytorch" max_batch_size: 16\n' + tensor("input", "x", "512") + tensor("output", "speech", "1")
    for name in ("script", "raw", "onnx"):
        (repository / name / "1").mkdir(parents=True)
        (repository / name / "config.pbtxt").write_text(config if name != "onnx" else 'backend: "onnxruntime"\n')
    torch.jit.script(OneWindow(torch.jit.load(str(DATA / "silero_vad.jit")))).save(
        str(repository / "script/1/model.pt")
    )
    shutil.copyfile(DATA / "silero_vad.jit", repository / "raw/1/model.pt")
    shutil.copyfile(DATA / "silero_vad.onnx", repository / "onnx/1/model.onnx")
    client, x = serve(), sounds()
    script = client.infer("script", x=x)["speech"]
    padded = np.hstack([np.zeros((len(x), CONTEXT), np.float32), x])
    state = np.zeros((2, len(x), 128), np.float32)
    onnx = client.infer("onnx", outputs=["output"], input=padded, state=state, sr=np.array([RATE], np.int64))["output"]
    assert onnx.max() - onnx.min() > 0.001, "the sounds are told apart"
    np.testing.assert_allclose(script, onnx, atol=1e-4)
    said = client.reason("raw")  # its second argument is a number
    assert "An input of type 'int' was detected in the model." in said
    with pytest.raises(Refused):
        client.infer("raw", x=x)
