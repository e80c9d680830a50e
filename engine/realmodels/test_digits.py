"""The example models, one by one and as the ensemble that they make, against onnxruntime."""

from collections.abc import Callable

import numpy as np
import onnxruntime
import tritonclient.grpc as grpcclient

CLOSE = {"rtol": 1e-5, "atol": 1e-5}
Sessions = Callable[[str], onnxruntime.InferenceSession]


def drawings(count: int) -> np.ndarray:
    """Make grey pictures with something bright on them: UINT8 [count, 28, 28]."""
    random = np.random.default_rng(count)
    pictures = random.integers(0, 40, (count, 28, 28))
    for picture in pictures:
        top, left = random.integers(2, 12, 2)
        picture[top : top + 14, left : left + 4] = 255
        picture[top + 5 : top + 8, left : left + 12] = 200
    return pictures.astype(np.uint8)


def infer(
    client: grpcclient.InferenceServerClient, model: str, given: tuple[str, np.ndarray], wanted: str
) -> np.ndarray:
    """Ask for one output."""
    name, values = given
    kind = {"uint8": "UINT8", "float32": "FP32"}[str(values.dtype)]
    tensor = grpcclient.InferInput(name, list(values.shape), kind)
    tensor.set_data_from_numpy(values)
    return client.infer(model, [tensor]).as_numpy(wanted)


def test_steps_and_ensemble(client: grpcclient.InferenceServerClient, session: Sessions) -> None:
    """Every batch size gives what onnxruntime gives, step by step and through the ensemble."""
    prepare, classify = session("digits_prepare"), session("digits")
    for count in (1, 2, 7, 32):
        pictures = drawings(count)
        (prepared,) = prepare.run(["prepared"], {"image": pictures})
        (scores,) = classify.run(["probabilities"], {"image": prepared})
        np.testing.assert_allclose(infer(client, "digits_prepare", ("image", pictures), "prepared"), prepared, **CLOSE)
        np.testing.assert_allclose(infer(client, "digits", ("image", prepared), "probabilities"), scores, **CLOSE)
        np.testing.assert_allclose(infer(client, "read_digit", ("IMAGE", pictures), "DIGIT"), scores, **CLOSE)
