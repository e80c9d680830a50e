"""The checks with packages of Python that a machine with a GPU may have: PyTorch, tritonclient, TensorRT."""

import subprocess
import time
from pathlib import Path

import models
from library import Conch
from outcome import NotRunError
from placed import floats_of
from steps import BATCH, PICTURE, SIDE, TOLERANCE, Place, agree, near

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CLIENT = ROOT / "engine/kserve/clienttest/test_cuda_shared_memory.py"


def needs(conch: Conch, program: str) -> None:
    """Says why Conch's Python does not run a program, which imports what a check needs."""
    command = [conch.python, "-c", program]
    done = subprocess.run(command, env=conch.environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NotRunError((done.stderr.strip().splitlines() or [f"{conch.python} ended without a word"])[-1])


def pytorch(p: Place) -> str:
    """A Python model that computes on its GPU with PyTorch."""
    needs(p.conch, "import numpy, torch; assert torch.cuda.is_available(), 'PyTorch finds no GPU'")
    models.write_program(p.folder, "doubled", HERE / "doubled.py", models.program(p.kind, [3, SIDE, SIDE]))
    p.server.load("doubled")
    shape, took = [BATCH, 3, SIDE, SIDE], []
    for seed in (1, 2, 3):
        data = models.floats(PICTURE * BATCH, seed)
        begun = time.monotonic()
        got = p.server.infer_binary("doubled", "X", "Y", shape, data)
        took.append(f"{1000 * (time.monotonic() - begun):.1f}")
        near(floats_of(got), [2 * x for x in floats_of(data)])
    return f"alike; {', '.join(took)} ms for {BATCH} pictures"


def tritonclient(p: Place) -> str:
    """The tests of CUDA shared memory with tritonclient's own helpers, over HTTP and gRPC, on memory of the GPU."""
    needs(p.conch, "import numpy, pytest, tritonclient.grpc, tritonclient.http")
    environment = {**p.conch.environment, "CONCH_BINARY": str(p.conch.binary)}
    if p.kind == "KIND_GPU":
        found = p.conch.find_library("libcudart.so*")
        if found is None:
            raise NotRunError("CUDA's runtime library, libcudart.so, is not found")
        environment["CONCH_CUDART"] = str(found)
    command = [p.conch.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(CLIENT)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError((done.stdout + done.stderr).strip()[-1500:])
    return done.stdout.strip().splitlines()[-1]


def plan(p: Place, source: str = "network_cpu", name: str = "X", sizes: tuple[int, ...] = (3, SIDE, SIDE)) -> str:
    """A plan of a model by TensorRT's own builder in FP32, served, beside the model on the CPU."""
    needs(p.conch, "import numpy, tensorrt")
    least, best, most = ("x".join(map(str, [rows, *sizes])) for rows in (1, 4, 8))
    begun = time.monotonic()
    made, ranges = f"{source}_plan", f"{name}:{least},{best},{most}"
    order = ["--to", "tensorrt", "--precision", "fp32", "--range", ranges, "--as", made, "--random", "2"]
    p.conch.run("convert", str(p.folder / source), *order, "--no-history", "--yes")
    built = time.monotonic() - begun
    return f"built in {built:.1f} s; {agree(p, source, made, name, [4, *sizes], 10 * TOLERANCE)}"
