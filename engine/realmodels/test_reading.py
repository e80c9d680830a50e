"""The models of rapidocr-onnxruntime on pictures of any size, and an ensemble that reads: text comes out of it."""

from collections.abc import Callable

import graphs
import numpy as np
import onnxruntime
import pytest
import tritonclient.grpc as grpcclient
from conftest import recognition
from PIL import Image, ImageDraw, ImageFont

CLOSE = {"rtol": 1e-5, "atol": 1e-5}
Sessions = Callable[[str], onnxruntime.InferenceSession]
LINES = ["Conch 2026", "MODEL REPOSITORY", "max_batch_size: 8", "Hello"]


def picture(text: str, size: int) -> np.ndarray:
    """Write a line of text: [height, width, 3]."""
    font = ImageFont.load_default(size)
    left, top, right, bottom = font.getbbox(text)
    image = Image.new("RGB", (int(right - left) + size, int(bottom - top) + size // 2), "white")
    ImageDraw.Draw(image).text((size // 2 - left, size // 4 - top), text, "black", font)
    return np.asarray(image, np.uint8)


def tensor(name: str, values: np.ndarray) -> grpcclient.InferInput:
    """Make an input."""
    made = grpcclient.InferInput(name, list(values.shape), {"float32": "FP32", "uint8": "UINT8"}[str(values.dtype)])
    made.set_data_from_numpy(values)
    return made


def ready(values: np.ndarray) -> np.ndarray:
    """Bring a picture into the form that the detection takes."""
    return ((values.astype(np.float32) / 255 - 0.5) / 0.5).transpose(2, 0, 1)[None]


@pytest.mark.parametrize(("height", "width"), [(32, 32), (64, 320), (256, 96), (480, 640)])
def test_detection(height: int, width: int, client: grpcclient.InferenceServerClient, session: Sessions) -> None:
    """Pictures of any size, several in a request."""
    page = Image.new("RGB", (width, height), "white")
    page.paste(Image.fromarray(picture("Hello", 24)), (4, 4))
    batch = np.repeat(ready(np.asarray(page)), 2, axis=0)
    got = client.infer("ocr_detect", [tensor("x", batch)]).as_numpy("sigmoid_0.tmp_0")
    wanted = session("ocr_detect").run(None, {"x": batch})[0]
    assert got.shape == (2, 1, height, width)
    np.testing.assert_allclose(got, wanted, **CLOSE)
    assert height < 64 or got.max() > 0.5, "no text was found"


def test_direction(client: grpcclient.InferenceServerClient, session: Sessions) -> None:
    """The class of a line has its label."""
    line = np.asarray(Image.fromarray(picture("Hello Conch", 40)).resize((192, 48)))
    batch = np.concatenate([ready(line), ready(line[::-1, ::-1])])
    got = client.infer("ocr_direction", [tensor("x", batch)]).as_numpy("save_infer_model/scale_0.tmp_1")
    wanted = session("ocr_direction").run(None, {"x": batch})[0]
    np.testing.assert_allclose(got, wanted, **CLOSE)
    output = grpcclient.InferRequestedOutput("save_infer_model/scale_0.tmp_1", class_count=1)
    classes = client.infer("ocr_direction", [tensor("x", batch)], outputs=[output])
    labels = [row[0].decode().split(":")[2] for row in classes.as_numpy("save_infer_model/scale_0.tmp_1")]
    assert labels == ["0", "180"]


@pytest.mark.parametrize("text", LINES)
def test_reading(text: str, client: grpcclient.InferenceServerClient, session: Sessions) -> None:
    """What was written is read, and each step's numbers are those of onnxruntime."""
    image = picture(text, 36)
    line = session("ocr_prepare").run(None, {"PICTURE": image})[0]
    chances = session("ocr_recognize").run(None, {"x": line})[0]
    got = client.infer("ocr_recognize", [tensor("x", line)]).as_numpy("softmax_11.tmp_0")
    np.testing.assert_allclose(got, chances, **CLOSE)
    answer = client.infer("ocr_read", [tensor("PICTURE", image)])
    read = answer.as_numpy("TEXT").item().decode()
    assert read == collapse(chances[0])
    assert read.replace(" ", "") == text.replace(" ", "")
    assert answer.as_numpy("SURE").item() > 0.8


def collapse(chances: np.ndarray) -> str:
    """Read the chances as text in plain Python."""
    alphabet = graphs.characters(str(recognition()))
    best = chances.argmax(axis=1)
    before = np.concatenate([[0], best[:-1]])
    return "".join(alphabet[i] for i, last in zip(best, before, strict=True) if i != last)
