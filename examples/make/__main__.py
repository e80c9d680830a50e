"""Re-makes every model of examples/repository: `make examples`."""

from pathlib import Path

import add_sub
import digits
import digits_prepare

REPOSITORY = Path(__file__).resolve().parent.parent / "repository"


def main() -> None:
    """Writes the models and prints what the README states of them."""
    add_sub.make(REPOSITORY)
    digits_prepare.make(REPOSITORY)
    for model, accuracy in digits.make(REPOSITORY).items():
        print(f"{model}: {accuracy:.1%} of the held-out digits are read right")
    for path in sorted(REPOSITORY.glob("*/*/model.onnx")):
        print(f"{path.relative_to(REPOSITORY)}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
