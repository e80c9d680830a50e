"""Makes the tiny T5, whose weights are those of the tests of the backend, and puts its letters beside the programs."""

import shutil
import sys
from pathlib import Path

WEIGHTS = Path(__file__).resolve().parents[3] / "engine" / "backend" / "python" / "frameworks"
USERS = ("t5_detokenize", "t5_text_bls")


def make(repository: Path) -> None:
    """Writes the checkpoint, and copies the letters to all programs that use them."""
    sys.path.insert(0, str(WEIGHTS))
    import tiny_t5

    tiny_t5.faster_transformer(repository / "t5" / "1" / "t5", gated=False, parts=1)
    for model in USERS:
        shutil.copy(repository / "t5_tokenize" / "1" / "letters.py", repository / model / "1")
