"""A process that loses its use of a GPU: the workbench starts its engine again, and says so."""

import contextlib
import http.client
import shutil
import subprocess
import time
from pathlib import Path
from urllib.parse import urlsplit

import models
from library import Conch
from outcome import NotRunError
from region import Region
from server import RefusedError, Server
from steps import CHANNELS, DEPTH, PICTURE, SIDE, Place, near
from workbench import PATIENCE, Workbench, opened

HERE = Path(__file__).resolve().parent
SAYS = "CUDA does nothing more in this process"
LEFT_OUT = "GPUs are lost; models run on the others"
SHAPE = [1, 3, SIDE, SIDE]


def breaker(conch: Conch, folder: Path) -> Path:
    """The library of breaks.c: compiled and left beside the program, or found there, where there is no compiler."""
    library, brought = folder / "breaks.so", conch.brought / "gpucheck-breaks.so"
    failed = compiled(library)
    if not failed:
        with contextlib.suppress(OSError):
            shutil.copyfile(library, brought)
    elif brought.exists():
        shutil.copyfile(brought, library)
    else:
        raise NotRunError(f"{failed}, and there is no {brought}")
    return library


def compiled(library: Path) -> str:
    """Compiles breaks.c; says why that cannot be done here."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler:
        return f"there is no C compiler (cc, gcc, clang) for {HERE / 'breaks.c'}"
    flags = ["-shared", "-fPIC", "-pthread", "-Wl,-z,nodelete"]
    command = [compiler, *flags, "-o", library, HERE / "breaks.c", "-ldl"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return f"{compiler} does not compile breaks.c: {done.stderr.strip()[-300:]}"
    return ""


def break_gpu(library: Path) -> None:
    """Has the process that opened the library lose the GPU."""
    did = library.with_name(f"{library.name}.did")
    library.with_name(f"{library.name}.go").touch()
    end = time.monotonic() + PATIENCE
    while not did.exists():
        if time.monotonic() > end:
            raise AssertionError(f"the engine has not opened {library}")
        time.sleep(0.05)
    told = did.read_text()
    if told.startswith("cuModuleLoadData"):
        raise NotRunError(f"the driver of this machine does not compile the kernel that breaks it: {told}")
    if told != "0":
        raise AssertionError(f"the GPU goes on: {told}")


def restarted(workbench: Workbench) -> dict:
    """Waits for the next engine."""
    end = time.monotonic() + PATIENCE
    while True:
        engine = workbench.engine()
        if engine.get("restarts", 0) == 1 and engine["state"] == "STATE_READY":
            return engine
        if time.monotonic() > end:
            raise AssertionError(f"the engine was not started again: {engine}")
        time.sleep(0.1)


def server_of(engine: dict) -> Server:
    """The engine of a workbench as a server."""
    return Server(urlsplit(f"//{engine['httpAddress']}").port, 0, None, None)


def use(server: Server, data: bytes) -> None:
    """Uses the GPU until that fails: with a model on it, or with its memory where the model is on the processor."""
    try:
        server.infer("network", "X", SHAPE, data)
        Region(server, 1 << 20).infer("network", SHAPE, data, 0)
    except (RefusedError, OSError, http.client.HTTPException):
        return
    raise AssertionError("a GPU that the process has lost was used")


def lost(p: Place) -> str:
    """A fault of the GPU while the workbench serves a model there."""
    repository = p.folder.parent / "lost"
    repository.mkdir()
    library = breaker(p.conch, repository.parent)
    operators = f'model_operations {{ op_library_filename: [ "{library}" ] }}'
    exact = models.accelerator("cuda", {"use_tf32": "0"}) if p.kind == "KIND_GPU" else ""
    text = models.config(p.kind, 8, f"{exact}\n{operators}")
    models.write(repository, "network", models.convolutions(SIDE, CHANNELS, DEPTH), text)
    data = models.floats(PICTURE, 17)
    with opened(p.conch, repository, "--trust") as workbench:
        workbench.ready("network")
        server = server_of(workbench.engine())
        want = server.infer("network", "X", SHAPE, data)
        break_gpu(library)
        use(server, data)
        engine = restarted(workbench)
        workbench.ready("network")
        near(server_of(engine).infer("network", "X", SHAPE, data), want)
        return told(workbench.log())


def told(log: list[str]) -> str:
    """What people were told."""
    if not any(SAYS in line for line in log):
        raise AssertionError(f"the log does not say that {SAYS}")
    left_out = any(LEFT_OUT in line for line in log)
    after = "without the GPU, which its driver has lost too" if left_out else "on the GPU, which its driver still has"
    return f"the engine said why and ended; the next one answers as before, {after}"
