"""One run of all checks, from what the machine has to the table's end."""

import subprocess
import sys
import time
import traceback
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import device
import library
import order
import steps
from outcome import FAILED, NOT_RUN, OK, Clock, NotRunError, Table
from server import RefusedError, serving

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples/repository"
ALONE = "throughput of ONNX Runtime alone"

# The exit statuses. 77 is what automake and others take for a test that was not run.
EXITS = {OK: 0, FAILED: 1, NOT_RUN: 77}


class Check:
    """One run of all checks."""

    def __init__(self, conch: library.Conch, given: str, work: Path, clock: Clock) -> None:
        """Has an empty table."""
        self.conch, self.given, self.work, self.clock, self.table = conch, given, work, clock, Table()

    def row(self, name: str, check: Callable[[], str]) -> str:
        """Makes a check, and adds what came of it. Returns the outcome."""
        begun = time.monotonic()
        try:
            with self.clock.bound():
                said = check()
        except NotRunError as why:
            outcome, said = NOT_RUN, str(why)
        except (AssertionError, RefusedError, library.NotUsableError) as why:
            outcome, said = FAILED, str(why)
        except Exception:
            outcome, said = FAILED, traceback.format_exc()
        else:
            outcome, said = OK, f"{said} ({time.monotonic() - begun:.1f} s)"
        self.table.add(name, outcome, said)
        return outcome

    def skip(self, names: list[str], why: str) -> None:
        """Adds rows of checks that are not made."""
        for name in names:
            self.table.add(name, NOT_RUN, why)

    def devices(self) -> str:
        """Lists the GPUs, as nvidia-smi and as the program tell."""
        if not device.opened(device.MANAGEMENT):
            raise NotRunError(
                f"Conch reads GPUs by {device.MANAGEMENT} of NVIDIA's driver, which is not found: a container needs "
                "the capability utility (NVIDIA_DRIVER_CAPABILITIES=compute,utility)"
            )
        told = self.conch.told()["gpu"]
        rows = device.smi("index", "name", "uuid", "driver_version", "memory.total")
        if not any(name in told for _, name, *_ in rows):
            raise AssertionError(f"nvidia-smi has {[r[1] for r in rows]}; Conch says: {told}")
        return "; ".join(" ".join(r) + " MiB" for r in rows) + f". Conch: {told}"

    def library(self) -> str:
        """Installs the build of ONNX Runtime that is checked."""
        if not self.given:
            raise NotRunError("GPU_WHEEL names no wheel of onnxruntime-gpu, no folder with it, and none with its parts")
        self.wheel = library.wheel_in(Path(self.given).expanduser().resolve(), self.work)
        self.build = self.conch.install(self.wheel)
        if "CUDA" not in self.build["providers"]:
            raise library.NotUsableError(f"{self.wheel.name} has no CUDA provider")
        return f"ONNX Runtime {self.build['version']} of {self.wheel.name} has {', '.join(self.build['providers'])}"

    def needs(self) -> str:
        """Looks for CUDA, cuDNN and TensorRT."""
        if lacks := library.lacks(self.build):
            raise NotRunError("; ".join([*lacks.values(), *self.build["advice"]]))
        return "all are found"

    def all(self) -> None:
        """Runs all checks on one server."""
        models = steps.repository(self.work / "repository", EXAMPLES, "KIND_GPU")
        with serving(self.conch, models, "--strict-gpu") as server:
            again = partial(serving, self.conch, models, "--strict-gpu")
            place = steps.Place(server, "KIND_GPU", library.lacks(self.build), again, self.conch, models)
            for i, (name, step) in enumerate(order.STEPS.items()):
                outcome = self.row(name, partial(step, place))
                if name == order.START and outcome != OK:
                    self.skip(list(order.STEPS)[i + 1 :], "CUDA does not start here: see above")
                    break
        self.row(ALONE, self.beside)

    def beside(self) -> str:
        """Measures ONNX Runtime by itself."""
        folder, model = self.work / "wheel", self.work / "repository/network_fast/1/model.onnx"
        with zipfile.ZipFile(self.wheel) as z:
            z.extractall(folder)
        settings = [steps.THREADS, steps.SECONDS, steps.BATCH, steps.SIDE]
        command = [str(c) for c in (sys.executable, HERE / "direct.py", folder, model, *settings)]
        done = subprocess.run(command, env=self.conch.environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise NotRunError((done.stderr.strip().splitlines() or ["it ended without a word"])[-1][:200])
        return f"{done.stdout.strip()} pictures a second, the same sizes, in Python's threads"

    def refused(self) -> str:
        """On a machine without a GPU: what a model that asks for one is answered."""
        models = steps.repository(self.work / "repository", EXAMPLES, "KIND_GPU")
        with serving(self.conch, models, "--strict-gpu") as server:
            try:
                server.load("network_gpu")
            except RefusedError as refused:
                return f"is refused: {refused}"
        raise AssertionError("was loaded")

    def run(self) -> str:
        """Checks, and returns why what needs a GPU was not run; "" when it was."""
        gpus, why = device.count()
        print(f"gpu-check: {gpus or 'no'} NVIDIA GPU{'s' if gpus > 1 else ''}")
        folders = self.conch.find_cuda()
        print("CUDA and cuDNN are looked for in:", ", ".join(map(str, folders)) or "the system's folders alone")
        everything = [*order.STEPS, ALONE]
        if self.row("program", lambda: self.conch.run("--version").strip()) != OK:
            self.skip(everything, "there is no program")
            return why or "there is no program to check"
        if gpus:
            self.row("devices", self.devices)
        there = self.row("library", self.library) == OK
        if not gpus:
            self.row("a model that asks for a GPU", self.refused)
            self.skip(everything, "needs an NVIDIA GPU")
            return why
        if not there:
            self.skip(everything, "there is no build of ONNX Runtime to check: see above")
            return "there is no build of ONNX Runtime to check"
        self.row("libraries that it needs", self.needs)
        if missing := library.lacks(self.build).get("CUDA"):
            self.skip(everything, "CUDA does not start here: see above")
            return missing
        try:
            self.all()
        except Exception as fault:  # of the server itself
            self.table.add("the server of the checks", FAILED, str(fault) or traceback.format_exc())
        return self.clock.over() if self.clock.left() <= 0 else ""


def run(check: Check) -> int:
    """Checks, and returns the exit status."""
    why, table = check.run(), check.table
    if failed := table.count(FAILED):
        print(f"gpu-check: {failed} failed")
        return EXITS[FAILED]
    if why:
        print(f"gpu-check: not run: {why}")
        return EXITS[NOT_RUN]
    left = table.count(NOT_RUN)
    print(f"gpu-check: passed: {table.count(OK)} ok" + (f", {left} not run" if left else ""))
    return EXITS[OK]
