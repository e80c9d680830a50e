"""Runs what needs an NVIDIA GPU, and prints a table: `make gpu-check`.

It needs the program, Python and nothing from the network. GPU_WHEEL names a wheel of onnxruntime-gpu, a folder with it,
or a folder with its parts, which `python3 build/gpucheck split WHEEL FOLDER` makes. CUDA and cuDNN are found in the
packages that PyTorch brings.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import traceback
import zipfile
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import device
import library
import order
import steps
from server import RefusedError, serving

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent

# The exit statuses. 77 is what automake and others take for a test that was not run.
PASSED, FAILED, NOT_RUN = 0, 1, 77


@dataclass
class Table:
    """What came of each check."""

    rows: list[tuple[str, str, str]] = field(default_factory=list)

    def add(self, name: str, outcome: str, said: str) -> None:
        """Adds a row, and prints it at once."""
        self.rows.append((name, outcome, said))
        print(f"  {name:<34} {outcome:<8} {said}", flush=True)

    def failed(self) -> int:
        """The number of checks that failed."""
        return sum(outcome == "FAILED" for _, outcome, _ in self.rows)


def build_of(conch: library.Conch, given: str, work: Path, table: Table) -> tuple[dict | None, Path | None]:
    """The build of ONNX Runtime that is checked, and its wheel."""
    if not given:
        table.add("library", "not run", "GPU_WHEEL names no wheel of onnxruntime-gpu")
        return None, None
    wheel = library.wheel_in(Path(given).expanduser().resolve(), work)
    build = conch.install(wheel)
    providers = ", ".join(build["providers"])
    table.add("library", "ok", f"ONNX Runtime {build['version']} of {wheel.name} has {providers}")
    if "CUDA" not in build["providers"]:
        raise library.NotUsableError(f"{wheel.name} has no CUDA provider")
    if lacks := library.lacks(build):
        table.add("libraries that it needs", "missing", "; ".join(lacks.values()))
    else:
        table.add("libraries that it needs", "ok", "all are found")
    return build, wheel


def beside(wheel: Path, work: Path, table: Table, environment: dict) -> None:
    """Measures ONNX Runtime by itself."""
    name, folder = "throughput of ONNX Runtime alone", work / "wheel"
    with zipfile.ZipFile(wheel) as z:
        z.extractall(folder)
    model = work / "repository/network_fast/1/model.onnx"
    settings = [steps.THREADS, steps.SECONDS, steps.BATCH, steps.SIDE]
    command = [sys.executable, HERE / "direct.py", folder, model, *settings]
    done = subprocess.run([str(c) for c in command], env=environment, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        table.add(name, "ok", f"{done.stdout.strip()} pictures a second, the same sizes, in Python's threads")
    else:
        table.add(name, "not run", (done.stderr.strip().splitlines() or ["it ended without a word"])[-1][:200])


def devices(table: Table) -> None:
    """Lists the GPUs."""
    try:
        rows = device.smi("index", "name", "uuid", "driver_version", "memory.total")
    except device.UnknownError as why:
        table.add("devices", "not run", str(why))
    else:
        table.add("devices", "ok", "; ".join(" ".join(r) + " MiB" for r in rows))


def check(conch: library.Conch, build: dict, wheel: Path, work: Path, table: Table) -> None:
    """Runs all checks on one server."""
    models = steps.repository(work / "repository", ROOT / "examples/repository", "KIND_GPU")
    with serving(conch, models, "--strict-gpu") as server:
        again = partial(serving, conch, models, "--strict-gpu")
        place = steps.Place(server, "KIND_GPU", library.lacks(build), again, conch, models)
        for name, step in order.STEPS.items():
            try:
                table.add(name, "ok", step(place))
            except steps.NotRunError as why:
                table.add(name, "not run", str(why))
            except (AssertionError, RefusedError, library.NotUsableError) as why:
                table.add(name, "FAILED", str(why))
            except Exception:
                table.add(name, "FAILED", traceback.format_exc())
    beside(wheel, work, table, conch.environment)


def without(conch: library.Conch, work: Path, table: Table) -> None:
    """On a machine without a GPU: what a model that asks for one is answered, and what would run."""
    models = steps.repository(work / "repository", ROOT / "examples/repository", "KIND_GPU")
    with serving(conch, models, "--strict-gpu") as server:
        try:
            server.load("network_gpu")
        except RefusedError as refused:
            table.add("a model that asks for a GPU", "ok", f"is refused: {refused}")
        else:
            table.add("a model that asks for a GPU", "FAILED", "was loaded")
    for name in (*order.STEPS, "throughput of ONNX Runtime alone"):
        table.add(name, "not run", "needs an NVIDIA GPU")


def run(binary: Path, given: str, work: Path) -> int:
    """Checks, and returns the exit status."""
    table = Table()
    conch = library.Conch(binary, work)
    gpus = device.count()
    print(f"gpu-check: {gpus or 'no'} NVIDIA GPU{'s' if gpus > 1 else ''}")
    folders = conch.find_cuda()
    print("CUDA and cuDNN are looked for in:", ", ".join(map(str, folders)) or "the system's folders alone")
    try:
        if gpus:
            devices(table)
        build, wheel = build_of(conch, given, work, table)
        if not gpus:
            without(conch, work, table)
        elif build and wheel:
            check(conch, build, wheel, work, table)
        else:
            raise library.NotUsableError(
                "set GPU_WHEEL to a wheel of onnxruntime-gpu, a folder with it, or one with its parts"
            )
    except library.NotUsableError as why:
        table.add("library", "FAILED", str(why))
    failed = table.failed()
    if failed:
        print(f"gpu-check: {failed} failed")
        return FAILED
    if gpus:
        print("gpu-check: passed")
        return PASSED
    print("gpu-check: not run: no NVIDIA GPU")
    return NOT_RUN


def main() -> int:
    """Reads the command line."""
    if sys.argv[1:2] == ["split"] and len(sys.argv) == 4:
        for made in library.split(Path(sys.argv[2]), Path(sys.argv[3])):
            print(made)
        return 0
    parser = argparse.ArgumentParser(prog="gpucheck", description=__doc__)
    parser.add_argument("--binary", type=Path, default=ROOT / "build/bin/conch-headless", help="the program")
    parser.add_argument("--wheel", default=os.environ.get("GPU_WHEEL", ""), help="in place of GPU_WHEEL")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="conch-gpu-") as work:
        return run(given.binary.resolve(), given.wheel, Path(work))


if __name__ == "__main__":
    sys.exit(main())
