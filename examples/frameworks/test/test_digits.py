"""The twins of `digits` against `digits`, and the cascade against both of its models."""

import runpy
import sys
from types import ModuleType

import numpy as np
import pytest
from conftest import FRAMEWORKS, infer
from serving import Server

CLOSE = {"rtol": 1e-4, "atol": 1e-6}
IMAGES = np.random.default_rng(5).integers(0, 17, (32, 64)).astype(np.float32)


@pytest.fixture(scope="module")
def means() -> np.ndarray:
    """Give the pictures that digits_small compares with: it is sure of them."""
    with pytest.MonkeyPatch.context() as patch:
        utils = ModuleType("triton_python_backend_utils")
        utils.InferenceRequest = utils.InferenceResponse = object
        patch.setitem(sys.modules, utils.__name__, utils)
        return runpy.run_path(str(FRAMEWORKS / "models" / "digits_small" / "1" / "model.py"))["PICTURES"]


def test_saved_model(server: Server) -> None:
    wanted = infer(server, "digits", image=IMAGES)["probabilities"]
    got = infer(server, "digits_savedmodel", image=IMAGES)["probabilities"]
    np.testing.assert_allclose(got, wanted, **CLOSE)


def test_torchscript(torch_server: Server) -> None:
    wanted = infer(torch_server, "digits", image=IMAGES)["probabilities"]
    got = infer(torch_server, "digits_torchscript", INPUT__0=IMAGES)["OUTPUT__0"]
    np.testing.assert_allclose(got, wanted, **CLOSE)


def test_small_model_knows_its_pictures(server: Server, means: np.ndarray) -> None:
    found = infer(server, "digits_small", image=means)["probabilities"]
    assert found.argmax(axis=1).tolist() == list(range(10))
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-5)


def test_cascade_asks_the_large_model_about_unsure_pictures_only(server: Server, means: np.ndarray) -> None:
    images = np.concatenate([means, (means[:5] + means[5:]) / 2])
    small = infer(server, "digits_small", image=images)["probabilities"]
    large = infer(server, "digits", image=images)["probabilities"]
    asked = small.max(axis=1) < 0.9
    assert asked.any()
    assert not asked.all()
    before = rows(server, "digits")
    got = infer(server, "digits_cascade", image=images)
    assert got["asked_digits"][:, 0].tolist() == asked.tolist()
    np.testing.assert_array_equal(got["probabilities"], np.where(asked[:, None], large, small))
    assert rows(server, "digits") - before == asked.sum()


def test_cascade_without_its_large_model(server: Server, means: np.ndarray) -> None:
    """What the small model is sure of is answered still; the rest fails with the reason."""
    infer(server, "digits_cascade", image=means)
    server.need("digits")
    server.unload("digits")
    sure = means[infer(server, "digits_small", image=means)["probabilities"].max(axis=1) >= 0.9]
    assert len(sure) > 0
    assert not infer(server, "digits_cascade", image=sure)["asked_digits"].any()
    with pytest.raises(Exception, match="digits"):
        infer(server, "digits_cascade", image=(means[:5] + means[5:]) / 2)


def rows(server: Server, model: str) -> int:
    """Count the rows that a model has answered."""
    stats = server.grpc.get_inference_statistics(model).model_stats
    return sum(one.inference_count for one in stats)
