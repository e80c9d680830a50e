"""Makes the twins of `digits` in other frameworks, from the weights in its ONNX file."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import tensorflow as tf
from onnx import numpy_helper

LABELLED = ("digits_torchscript", "digits_savedmodel", "digits_small", "digits_cascade")


def make(repository: Path, original: Path) -> None:
    """Writes the twins beside a copy of the original."""
    shutil.copytree(original, repository / "digits")
    for model in LABELLED:
        shutil.copy(original / "labels.txt", repository / model)
    found = weights(original / "1" / "model.onnx")
    saved_model(found, repository / "digits_savedmodel" / "1" / "model.savedmodel")
    torchscript(found, repository / "digits_torchscript" / "1")


def weights(path: Path) -> dict[str, np.ndarray]:
    """Reads the weights: weights_0, bias_0, weights_1 and so on."""
    return {one.name: numpy_helper.to_array(one) for one in onnx.load(path).graph.initializer}


def torchscript(found: dict[str, np.ndarray], version: Path) -> None:
    """Lets a Python that has PyTorch write model.pt."""
    file = version / "weights.npz"
    np.savez(file, **found)
    program = Path(__file__).with_name("torchscript.py")
    subprocess.run([os.environ.get("CONCH_TORCH", sys.executable), program, file, version / "model.pt"], check=True)
    file.unlink()


def saved_model(found: dict[str, np.ndarray], folder: Path) -> None:
    """Writes a saved model whose signature has the names of the ONNX model."""
    module = tf.Module()
    module.weights = {name: tf.Variable(value) for name, value in found.items()}
    count = sum(name.startswith("bias_") for name in found)

    @tf.function(input_signature=[tf.TensorSpec([None, 64], tf.float32, name="image")])
    def classify(image: tf.Tensor) -> dict[str, tf.Tensor]:
        value = image / 16
        for layer in range(count):
            value = value @ module.weights[f"weights_{layer}"] + module.weights[f"bias_{layer}"]
            value = tf.nn.relu(value) if layer < count - 1 else value
        return {"probabilities": tf.nn.softmax(value)}

    tf.saved_model.save(module, str(folder), signatures=classify)
