"""What serves is also what `conch check` finds nothing wrong with."""

import os
import subprocess
from pathlib import Path


def test_nothing_is_wrong(repository: Path) -> None:
    """Neither errors nor warnings."""
    run = subprocess.run([os.environ["CONCH_BINARY"], "check", repository], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "warning" not in run.stdout, run.stdout
