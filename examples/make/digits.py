"""Makes `digits`: a classifier for scikit-learn's handwritten digits, 64 block counts to 10 probabilities.

It learns from three quarters of the digits, as they are and as drawings that went through `digits_prepare`, so
that it also reads what a mouse draws. The last quarter is never seen and measures it.
"""

from pathlib import Path

import numpy as np
import onnxruntime
from scipy import ndimage
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

from graph import FLOAT, Graph

SEED = 7
DRAWINGS_OF_EACH = 6
HIDDEN = (96, 64)


def make(repository: Path) -> dict[str, float]:
    """Writes version 1 of the model and gives the accuracies on the held-out digits."""
    data = load_digits()
    train_x, test_x, train_y, test_y = train_test_split(
        data.data.astype(np.float32), data.target, test_size=0.25, stratify=data.target, random_state=SEED
    )
    prepare = session(repository, "digits_prepare")
    classifier = learn(train_x, train_y, prepare)
    save(classifier, repository)
    return measure(repository, prepare, test_x, test_y)


def session(repository: Path, model: str) -> onnxruntime.InferenceSession:
    """Opens a model of the repository."""
    return onnxruntime.InferenceSession(repository / model / "1" / "model.onnx")


def learn(x: np.ndarray, y: np.ndarray, prepare: onnxruntime.InferenceSession) -> MLPClassifier:
    """Fits the network on the digits and on drawings of them."""
    rng = np.random.default_rng(SEED)
    pictures = [draw(item.reshape(8, 8), rng) for item in np.repeat(x, DRAWINGS_OF_EACH, axis=0)]
    (drawn,) = prepare.run(None, {"image": np.stack(pictures)})
    classifier = MLPClassifier(HIDDEN, max_iter=200, alpha=1e-3, tol=1e-3, random_state=SEED)
    classifier.fit(
        np.concatenate([x, drawn]) / 16,
        np.concatenate([y, np.repeat(y, DRAWINGS_OF_EACH)]),
    )
    return classifier


def draw(counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Turns 8 x 8 counts into a 28 x 28 picture as a hand would vary it: size, place, slant, width of the pen."""
    side = int(rng.integers(14, 25))
    big = ndimage.zoom(counts / 16, side / 8, order=1, mode="nearest", grid_mode=True)
    big = ndimage.rotate(big, rng.uniform(-12, 12), reshape=False, order=1)
    pen = rng.uniform(0.25, 0.6)
    big = np.clip((big - pen) * 4 + 0.5, 0, 1)
    picture = np.zeros((28, 28))
    top, left = rng.integers(0, 29 - side, size=2)
    picture[top : top + side, left : left + side] = big
    return (picture * 255).astype(np.uint8)


def save(classifier: MLPClassifier, repository: Path) -> None:
    """Writes the network as Gemm and Relu layers with a Softmax behind."""
    g = Graph("digits")
    g.input("image", FLOAT, ["batch", 64])
    value = g.op("Div", ["image", g.constant("sixteen", np.float32([16]))], "scaled")
    layers = list(zip(classifier.coefs_, classifier.intercepts_, strict=True))
    for i, (weights, bias) in enumerate(layers):
        w = g.constant(f"weights_{i}", weights.astype(np.float32))
        b = g.constant(f"bias_{i}", bias.astype(np.float32))
        value = g.op("Gemm", [value, w, b], f"layer_{i}")
        if i < len(layers) - 1:
            value = g.op("Relu", [value], f"relu_{i}")
    g.op("Softmax", [value], "probabilities", axis=1)
    g.output("probabilities", FLOAT, ["batch", 10])
    g.save(repository / "digits" / "1" / "model.onnx", "Classifier for scikit-learn's handwritten digits.")


def measure(repository: Path, prepare: onnxruntime.InferenceSession, x: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Accuracy on held-out digits: straight, and as drawings through `digits_prepare`, as `read_digit` does."""
    classify = session(repository, "digits")

    def accuracy(items: np.ndarray) -> float:
        (probabilities,) = classify.run(None, {"image": items})
        return float((probabilities.argmax(axis=1) == y).mean())

    rng = np.random.default_rng(SEED + 1)
    pictures = np.stack([draw(item.reshape(8, 8), rng) for item in x])
    (drawn,) = prepare.run(None, {"image": pictures})
    return {"digits": accuracy(x), "read_digit": accuracy(drawn)}
