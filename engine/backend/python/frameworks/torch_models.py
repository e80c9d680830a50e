"""Writes models of PyTorch into a repository: `python3 torch_models.py REPOSITORY SILERO`, on a Python that has torch.

SILERO is the model of silero-vad; "" for none.
"""

import os
import shutil
import sys
from pathlib import Path

import torch


class Twice(torch.nn.Module):
    """Takes two inputs and gives two outputs of different types."""

    def forward(self, x, y):  # noqa: ANN001, ANN201
        """Double one, and add both."""
        return x * 2, (x + y).to(torch.int64)


class Upper(torch.nn.Module):
    """Takes texts."""

    def forward(self, words: list[str]) -> list[str]:
        """Write them in capitals."""
        out: list[str] = []
        for word in words:
            out.append(word.upper())
        return out


class Named(torch.nn.Module):
    """Takes all inputs by their names."""

    def forward(self, given: dict[str, torch.Tensor]) -> torch.Tensor:
        """Add them."""
        return given["a"] + given["b"]


class Dictionary(torch.nn.Module):
    """Gives its output by a name, which Triton does not take."""

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        """Double it."""
        return {"y": x * 2}


class Listed(torch.nn.Module):
    """Gives a list of tensors, which Triton does not take."""

    def forward(self, x: torch.Tensor) -> list[torch.Tensor]:
        """Double it."""
        return [x * 2]


class Scalar(torch.nn.Module):
    """Gives what Triton does not take."""

    def forward(self, x):  # noqa: ANN001, ANN201
        """Add the numbers up."""
        return x.sum()


class Running(torch.nn.Module):
    """Adds up what it is given from request to request."""

    def forward(self, x, total):  # noqa: ANN001, ANN201
        """Give the doubled sum for the client, and the sum for the next request."""
        return (x + total) * 2, x + total


class OneWindow(torch.nn.Module):
    """silero-vad keeps a state from call to call; this one resets it before each."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, x):  # noqa: ANN001, ANN201
        """Say whether somebody speaks."""
        self.model.reset_states()
        return self.model(x, 16000)


def save(repository: Path, module: torch.nn.Module, *names: str) -> None:
    """Write a module as the version 1 of models."""
    for name in names:
        (repository / name / "1").mkdir(parents=True, exist_ok=True)
        torch.jit.script(module).save(str(repository / name / "1" / "model.pt"))


def packages(repository: Path) -> None:
    """Write an exported program and an AOTInductor package, where this PyTorch, and the compiler, can make them."""
    if not hasattr(torch, "export"):
        return
    exported = torch.export.export(Twice().eval(), (torch.ones(2, 3), torch.ones(2, 3)))
    (repository / "exported" / "1").mkdir(parents=True)
    torch.export.save(exported, str(repository / "exported" / "1" / "model.pt2"))
    compiles = hasattr(getattr(torch, "_inductor", None), "aoti_compile_and_package")
    if compiles and shutil.which(os.environ.get("CXX", "g++")):
        (repository / "package" / "1").mkdir(parents=True)
        torch._inductor.aoti_compile_and_package(exported, package_path=str(repository / "package" / "1" / "model.pt2"))


def main(repository: Path, silero: str) -> None:
    """Write all of them."""
    if silero:
        save(repository, OneWindow(torch.jit.load(silero)), "script")
        return
    save(repository, Twice(), "index", "later", "arguments", "order", "batches", "kind", "few", "platform")
    save(repository, Running(), "running")
    save(repository, Upper(), "texts")
    save(repository, Named(), "named")
    save(repository, Dictionary(), "dictionary")
    save(repository, Listed(), "listed")
    save(repository, Scalar(), "scalar", "broken", "flags")
    (repository / "program" / "1").mkdir(parents=True)
    torch.save({"by": torch.tensor([3.0])}, repository / "program" / "1" / "model.pt")
    packages(repository)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
