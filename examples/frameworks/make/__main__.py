"""Makes examples/frameworks/repository: `make examples-frameworks`.

It is run by a Python that has TensorFlow and the packages of requirements.txt. CONCH_TORCH names one that has PyTorch.
"""

import shutil
from pathlib import Path

import digits
import reading
import t5

EXAMPLES = Path(__file__).resolve().parents[2]
MODELS = EXAMPLES / "frameworks" / "models"
REPOSITORY = EXAMPLES / "frameworks" / "repository"
VERSION = "1"


def main() -> None:
    """Copies configs and programs, and makes what they run."""
    half = REPOSITORY.with_name("repository.new")  # so that nothing half-made is ever served
    shutil.rmtree(half, ignore_errors=True)
    shutil.copytree(MODELS, half, ignore=shutil.ignore_patterns("__pycache__"))
    for model in half.iterdir():
        (model / VERSION).mkdir(exist_ok=True)
    digits.make(half, EXAMPLES / "repository" / "digits")
    t5.make(half)
    reading.make(half)
    shutil.rmtree(REPOSITORY, ignore_errors=True)
    half.rename(REPOSITORY)
    for model in sorted(REPOSITORY.iterdir()):
        size = sum(path.stat().st_size for path in model.rglob("*") if path.is_file())
        print(f"{model.name}: {size:,} bytes")


if __name__ == "__main__":
    main()
