"""Writes digits_torchscript: torchscript.py WEIGHTS.npz MODEL.pt. It needs PyTorch."""

import sys

import numpy as np
import torch


def network(file: str) -> torch.nn.Module:
    """Builds the network of `digits`; counts of ink go from 0 to 16."""
    found = np.load(file)
    count = sum(name.startswith("bias_") for name in found.files)
    layers: list[torch.nn.Module] = []
    for number in range(count):
        weights = torch.tensor(found[f"weights_{number}"].T.tolist())
        layer = torch.nn.Linear(weights.shape[1], weights.shape[0])
        # Counts are divided by 16 before the first layer. To divide its weights says the same.
        layer.weight = torch.nn.Parameter(weights / (16 if number == 0 else 1))
        layer.bias = torch.nn.Parameter(torch.tensor(found[f"bias_{number}"].tolist()))
        layers += [layer, torch.nn.ReLU() if number < count - 1 else torch.nn.Softmax(dim=1)]
    return torch.nn.Sequential(*layers).eval()


if __name__ == "__main__":
    torch.jit.script(network(sys.argv[1])).save(sys.argv[2])
