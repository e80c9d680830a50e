"""`conch new backend` writes a backend that passes its tests, and these tests find mistakes.

CONCH_BINARY names the program, CONCH_PYTHON the interpreter that runs the backend.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BINARY = os.environ.get("CONCH_BINARY", "")
MISTAKES = {
    "test_requests_at_once": ("part = slice(at, at + size) if self.batches", "part = slice(0, size) if self.batches"),
    "test_wrong_requests_fail_alone": ('return f"input', 'raise ValueError(f"input'),
    "test_without_its_file": ("unable to find '{file}'", "there is no file"),
    "test_several_instances": (
        "self.factor = read(config)",
        "self.factor = 3 + (args['model_instance_name'][-1] == '1')",
    ),
    "test_damaged_file": ("return float(", "return __import__('os')._exit(1) if True else float("),
}


def new(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    """Run `conch new backend`."""
    command = [BINARY, "new", "backend", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def checked(folder: Path) -> str:
    """Run the tests of the backend, and give what pytest says."""
    command = [
        sys.executable,
        "-B",
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        folder,
        folder / "tests",
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder).stdout


def test_the_backend_passes_its_tests(tmp_path: Path) -> None:
    made = new(tmp_path, "bits")
    assert made.returncode == 0, made.stderr
    assert "--backend-directory . --model-repository bits/models" in made.stdout
    assert "my_backend" not in "".join(f.read_text() + str(f) for f in (tmp_path / "bits").rglob("*") if f.is_file())
    assert "8 passed" in checked(tmp_path / "bits")


@pytest.mark.parametrize("test", MISTAKES)
def test_the_suite_finds_mistakes(tmp_path: Path, test: str) -> None:
    assert new(tmp_path, "bits", "--folder", "backends").returncode == 0
    program = tmp_path / "backends" / "bits" / "model.py"
    right, wrong = MISTAKES[test]
    text = program.read_text()
    assert right in text
    text = text.replace(right, wrong)
    if "raise ValueError" in wrong:
        text = text.replace('that are too large"', 'that are too large")')
    program.write_text(text)
    assert f"::{test}" in checked(program.parent)


def test_what_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "bits").mkdir()
    refused = new(tmp_path, "bits")
    assert refused.returncode == 1
    assert "bits is there already: choose another name, or another folder with --folder" in refused.stderr
    assert not list((tmp_path / "bits").iterdir())
    for name, why in (
        ("python", "'python' is a backend of Triton"),
        ("../x", "'../x' cannot be the name of a backend"),
    ):
        assert why in new(tmp_path, name).stderr
