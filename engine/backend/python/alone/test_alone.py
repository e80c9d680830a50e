"""triton_python_backend_utils can be installed alone, from the tree and without a network, and has types.

CONCH_PYTHON names the interpreter that gets it; without it, it is the one that runs this test.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PYTHON = Path(os.environ.get("CONCH_PYTHON") or sys.executable).absolute()
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PIP_", "UV_"))}


def run(*command: object, cwd: Path = HERE) -> str:
    """Run a command, which must succeed, and return what it prints."""
    done = subprocess.run([str(part) for part in command], cwd=cwd, env=CLEAN, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(params=["", "-e"])
def environment(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Give the Python of an environment that has NumPy, and the package from the tree."""
    run(PYTHON, "-m", "venv", "--without-pip", tmp_path)
    python = tmp_path / "bin" / "python"
    numpy = run(PYTHON, "-c", "import numpy, os; print(os.path.dirname(os.path.dirname(numpy.__file__)))")
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    (site / "numpy.pth").write_text(numpy)
    options = [*([request.param] if request.param else []), HERE.parent / "lib"]
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--quiet", *options)
    return python


def test_unit_test_of_a_user(environment: Path, request: pytest.FixtureRequest) -> None:
    said = run(environment, HERE / "unit.py")
    where = HERE.parent / "lib" if "-e" in request.node.name else environment.parents[1]
    assert f"from {where}" in said
    assert "requests" in said, "what the model logs goes to stderr"


@pytest.mark.parametrize("environment", [""], indirect=True)
def test_types(environment: Path, tmp_path: Path) -> None:
    """Mypy finds nothing in a model that is right, and the mistakes of one that is not."""
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable", environment, "--cache-dir", tmp_path]
    assert "Success" in run(*mypy, HERE / "model.py")
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        "import triton_python_backend_utils as pb_utils\n"
        "pb_utils.Tensor(1, [2])\n"
        "pb_utils.InferenceResponse(output_tensors=3)\n"
        "pb_utils.no_such_name\n"
    )
    done = subprocess.run([str(part) for part in [*mypy, wrong]], env=CLEAN, capture_output=True, text=True)
    for line in (2, 3, 4):
        assert f"wrong.py:{line}: error" in done.stdout, done.stdout + done.stderr
