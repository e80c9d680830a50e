"""Installs each package in a clean root file system and starts what it brings. Needs root, and Debian's mmdebstrap.

python -m pytest build/package/try_packages.py, after `make package`. The Dockerfile's steps run in such a root too,
without Docker.
"""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from dockerfile_parse import DockerfileParser

TREE = Path(__file__).resolve().parents[2]
PACKAGES = TREE / "build/packages"
ROOTS = TREE / "build/cache/packages"
SUITE = "bookworm"
ARCH = {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]
START_S = 60
NOBODY = "65534:65534"
MODELS = ["add_sub", "digits", "digits_prepare", "read_digit"]

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="a clean root file system needs root: run it with sudo")


def run(*words: object) -> str:
    """Runs a program; its output is in the error where it fails."""
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    assert done.returncode == 0, f"{words} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="session")
def base() -> Path:
    """A Debian with nothing but its base, kept as an archive between runs."""
    archive = ROOTS / f"{SUITE}.tar"
    if not archive.exists():
        ROOTS.mkdir(parents=True, exist_ok=True)
        made = archive.with_suffix(".part.tar")
        run("mmdebstrap", "--variant=minbase", "--quiet", SUITE, made)
        made.rename(archive)
    return archive


@pytest.fixture
def root(base: Path, tmp_path: Path) -> Iterator[Path]:
    """A clean root file system with the examples that need no Python in /models."""
    folder = tmp_path / "root"
    folder.mkdir()
    run("tar", "xf", base, "-C", folder)
    folder.chmod(0o755)
    for model in MODELS:
        shutil.copytree(TREE / "examples/repository" / model, folder / "models" / model)
    shutil.copy("/etc/resolv.conf", folder / "etc/resolv.conf")
    for parent in [tmp_path, *tmp_path.parents]:  # another user has to reach it
        with contextlib.suppress(PermissionError):
            parent.chmod(parent.stat().st_mode | 0o011)
    run("mount", "-t", "proc", "proc", folder / "proc")
    run("mount", "--rbind", "--make-rslave", "/dev", folder / "dev")
    yield folder
    run("umount", "-R", folder / "dev")
    run("umount", folder / "proc")


def inside(root: Path, *words: str, user: str = NOBODY) -> list[str]:
    """What starts a program in a root file system, as a user without rights there."""
    return ["chroot", f"--userspec={user}", str(root), "/usr/bin/env", "-i", "PATH=/usr/bin:/bin", "HOME=/tmp", *words]


def free_ports() -> list[int]:
    """Three ports that nobody has. They are held together, since the same one could be found twice."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(3)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]


def get(port: int, path: str, body: dict | None = None) -> Any:
    """The JSON that a server answers; None where it answers nothing."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data=body and json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.loads(answer.read() or b"null")


@contextlib.contextmanager
def started(words: list[str], pass_fds: Sequence[int] = ()) -> Iterator[subprocess.Popen]:
    """A program that is ended at the end with all that it started, whatever happens."""
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    process = subprocess.Popen(words, start_new_session=True, pass_fds=pass_fds, **pipe)
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def until(what: str, ask: Callable[[], bool], process: subprocess.Popen) -> None:
    """Asks until there is an answer, and says why the program ended if it did."""
    deadline = time.monotonic() + START_S
    while True:
        try:
            if ask():
                return
        except (OSError, AssertionError):
            pass  # it is not there yet
        assert process.poll() is None, f"it ended with {process.returncode}: {process.stdout.read()}"
        assert time.monotonic() < deadline, f"waited {START_S} s for {what}"
        time.sleep(0.2)


ADD = {
    "inputs": [
        {"name": name, "datatype": "INT32", "shape": [1, 16], "data": [[n] * 16]}
        for name, n in [("INPUT0", 3), ("INPUT1", 4)]
    ]
}


def serves(root: Path, *program: str) -> None:
    """`conch serve` of a package checks a repository and answers a request, for a user without rights."""
    run(*inside(root, *program, "check", "/models"))
    http, grpc, metrics = free_ports()
    flags = ["--model-repository=/models", "--model-control-mode=explicit", "--load-model=add_sub"]
    ports = [f"--http-port={http}", f"--grpc-port={grpc}", f"--metrics-port={metrics}"]
    with started(inside(root, *program, "serve", *flags, *ports)) as process:
        until("the server", lambda: get(http, "/v2/health/ready") is None, process)
        answer = get(http, "/v2/models/add_sub/infer", ADD)
    assert answer["outputs"][0]["data"] == [7] * 16


def papers(folder: Path) -> None:
    """The manual page is one, and the licences are there."""
    pages = list(folder.rglob("conch.1.gz"))
    assert len(pages) == 1
    text = run("gzip", "-dc", pages[0])
    groff = ["groff", "-Kutf8", "-man", "-Tutf8", "-ww", "-P-cbou"]
    warned = subprocess.run(groff, input=text, capture_output=True, text=True, check=True)
    assert warned.stderr == ""
    assert "--model-repository" in warned.stdout


@pytest.mark.parametrize("name", ["conch-headless", "conch"])
def test_archive(root: Path, name: str) -> None:
    """An archive that is unpacked anywhere runs there; the one with the window needs its libraries for that."""
    (archive,) = PACKAGES.glob(f"{name}-[0-9]*-linux-{ARCH}.tar.gz")
    (root / "opt").mkdir(exist_ok=True)
    run("tar", "xf", archive, "-C", root / "opt")
    (folder,) = (root / "opt").iterdir()
    papers(folder)
    for paper in ["LICENSE", "NOTICES", "libonnxruntime.so.1"]:
        assert (folder / paper).stat().st_size > 0
    if name == "conch-headless":
        serves(root, f"/opt/{folder.name}/{name}")
        return
    program = (folder / "conch").read_bytes()
    assert program[:4] == b"\x7fELF"
    assert "Name=Conch" in (folder / "conch.desktop").read_text()


def test_deb(root: Path) -> None:
    """The .deb installs with what it depends on, serves, opens its window, and leaves nothing when it is removed."""
    (deb,) = PACKAGES.glob("conch_*.deb")
    shutil.copy(deb, root / "tmp/conch.deb")
    apt = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "-y", "--no-install-recommends"]
    run("chroot", root, *apt, "update")
    run("chroot", root, *apt, "install", "/tmp/conch.deb")
    papers(root / "usr/share/man")
    serves(root, "conch")
    with screen() as display:
        window = inside(root, f"DISPLAY={display}", "dbus-run-session", "--", "conch", "--trust", "/models")
        run("chroot", root, *apt, "install", "dbus", "fonts-dejavu-core")
        with started(window) as process:
            until("the window", lambda: "Conch" in run("xwininfo", "-display", display, "-root", "-tree"), process)
    run("chroot", root, *apt, "remove", "conch")
    left = run("find", root / "usr", "-iname", "*conch*").split()
    assert left == []


@contextlib.contextmanager
def screen() -> Iterator[str]:
    """A screen without a display; programs in another root reach it by its abstract socket."""
    read, write = os.pipe()
    words = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x800x24", "-nolisten", "tcp"]
    with started(words, pass_fds=[write]):
        os.close(write)
        with os.fdopen(read) as told:
            yield ":" + told.readline().strip()


def test_dockerfile(root: Path, tmp_path: Path) -> None:
    """The Dockerfile is linted, its steps run, and what it starts is healthy, by its own check."""
    (archive,) = PACKAGES.glob(f"conch-headless-[0-9]*-linux-{ARCH}.tar.gz")
    run("tar", "xf", archive, "-C", tmp_path, "--one-top-level=context", "--strip-components=1")
    context = tmp_path / "context"
    run(Path(sys.executable).with_name("hadolint"), context / "Dockerfile")
    steps = DockerfileParser(str(context / "Dockerfile")).structure
    user, commands = "0:0", {}
    for step in steps:
        kind, value = step["instruction"], step["value"]
        if kind == "FROM":
            assert value == f"debian:{SUITE}-slim"
        elif kind == "COPY":
            *files, to = value.split()
            (root / to.lstrip("/")).mkdir(parents=True, exist_ok=True)
            for file in files:
                shutil.copy(context / file, root / to.lstrip("/"))
        elif kind == "RUN":
            run("chroot", root, "sh", "-c", value)
        elif kind == "USER":
            user = run("chroot", root, "id", "-u", value).strip() + ":" + run("chroot", root, "id", "-g", value).strip()
        elif kind in ("ENTRYPOINT", "CMD"):
            commands[kind] = json.loads(value)
        elif kind == "HEALTHCHECK":
            commands[kind] = json.loads(value[value.index("CMD ") + 4 :])
    assert not user.startswith("0:")
    http, grpc, metrics = free_ports()  # the machine's own may be taken
    ports = [f"--http-port={http}", f"--grpc-port={grpc}", f"--metrics-port={metrics}"]
    healthy = inside(root, *[word.replace("/8000", f"/{http}") for word in commands["HEALTHCHECK"]], user=user)
    with started(inside(root, *commands["ENTRYPOINT"], *commands["CMD"], *ports, user=user)) as process:
        until("the server", lambda: get(http, "/v2/health/live") is None, process)
        run(*healthy)
    sick = subprocess.run(healthy, capture_output=True)
    assert sick.returncode != 0
