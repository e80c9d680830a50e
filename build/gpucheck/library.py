"""The builds of ONNX Runtime for GPUs, and the libraries that they need."""

import hashlib
import json
import os
import site
import subprocess
import sys
import zipfile
from pathlib import Path

PART = 60 << 20  # bytes of a part of a wheel


class NotUsableError(Exception):
    """Says what is wrong with what was given, and what to do."""


def split(wheel: Path, folder: Path) -> list[Path]:
    """Cuts a wheel into parts, with its hash beside them."""
    folder.mkdir(parents=True, exist_ok=True)
    made, digest = [], hashlib.sha256()
    with wheel.open("rb") as source:
        while data := source.read(PART):
            digest.update(data)
            made.append(folder / f"{wheel.name}.part-{len(made):02}")
            made[-1].write_bytes(data)
    (folder / f"{wheel.name}.sha256").write_text(f"{digest.hexdigest()}  {wheel.name}\n")
    return made


def join(folder: Path, target: Path) -> Path:
    """Joins the parts of a wheel, and checks the whole."""
    parts = sorted(folder.glob("*.whl.part-*"))
    names = {p.name.split(".part-")[0] for p in parts}
    if len(names) != 1:
        raise NotUsableError(f"{folder} has parts of {len(names)} wheels: it must have those of one")
    name = names.pop()
    numbers = [int(p.name.split(".part-")[1]) for p in parts]
    if numbers != list(range(len(parts))):
        raise NotUsableError(f"of {name}, parts are missing in {folder}: it has {numbers}")
    wheel, digest = target / name, hashlib.sha256()
    with wheel.open("wb") as out:
        for p in parts:
            data = p.read_bytes()
            digest.update(data)
            out.write(data)
    told = folder / f"{name}.sha256"
    if told.exists() and told.read_text().split()[0] != digest.hexdigest():
        raise NotUsableError(f"the parts of {name} in {folder} are not those of {told.name}: copy them again")
    return wheel


def wheel_in(given: Path, target: Path) -> Path:
    """The wheel at a path: itself, the one in a folder, or that of the parts in a folder."""
    if given.is_file():
        wheel = given
    elif found := sorted(given.glob("*.whl")):
        wheel = found[-1]
    elif any(given.glob("*.whl.part-*")):
        wheel = join(given, target)
    else:
        raise NotUsableError(f"{given} has neither a wheel nor parts of one")
    if not zipfile.is_zipfile(wheel):
        raise NotUsableError(f"{wheel} is not a wheel, or it is cut off: copy it again")
    return wheel


def lacks(build: dict) -> dict[str, str]:
    """What the providers of a build lack, in words, by the provider."""
    found: dict[str, list[str]] = {}
    for part in build["missing"]:
        found.setdefault(part["provider"], []).append(part["text"])
    return {provider: "; ".join(texts) for provider, texts in found.items()}


def package_folders() -> list[Path]:
    """The folders of Python packages on this machine."""
    folders = [*site.getsitepackages(), site.getusersitepackages(), *filter(None, sys.path)]
    for pattern in ("usr/lib/python3*/*-packages", "*/local/lib/python3*/*-packages", "opt/*/lib/python3*/*-packages"):
        folders += map(str, Path("/").glob(pattern))
    return [Path(f) for f in dict.fromkeys(folders) if Path(f).is_dir()]


def cuda_folders(packages: list[Path]) -> list[Path]:
    """Folders with CUDA, cuDNN and TensorRT: of NVIDIA's packages, as PyTorch brings them, and of the system."""
    found = []
    for packaged in packages:
        for pattern in ("nvidia/*/lib", "tensorrt_libs", "nvidia/*/lib64"):
            found += packaged.glob(pattern)
    found += sorted(Path("/usr/local").glob("cuda*/lib64"), reverse=True)
    return list(dict.fromkeys(found))


class Conch:
    """The program, with a data folder of its own."""

    def __init__(self, binary: Path, home: Path) -> None:
        """Leaves the user's own builds and settings alone."""
        self.binary, self.home = binary, home
        self.environment = {**os.environ, "HOME": str(home), "XDG_DATA_HOME": str(home / "data")}
        self.environment |= {"XDG_CACHE_HOME": str(home / "cache")}
        self.environment.pop("CONCH_ONNXRUNTIME", None)
        self.python = self.environment.setdefault("CONCH_PYTHON", sys.executable)  # of Python models too

    def run(self, *args: str) -> str:
        """Runs a command and returns what it prints."""
        command = [str(self.binary), *args]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise NotUsableError(done.stderr.strip() or f"conch {args[0]} ended with {done.returncode}")
        return done.stdout

    def find_cuda(self) -> list[Path]:
        """Has libraries looked for where packages have them."""
        folders = cuda_folders(package_folders())
        before = os.environ.get("LD_LIBRARY_PATH", "")
        self.environment["LD_LIBRARY_PATH"] = ":".join([*map(str, folders), before]).rstrip(":")
        return folders

    def find_library(self, pattern: str) -> Path | None:
        """A library where the program looks for libraries first."""
        for folder in filter(None, self.environment.get("LD_LIBRARY_PATH", "").split(":")):
            if found := sorted(Path(folder).glob(pattern)):
                return found[0]
        return None

    def install(self, wheel: Path) -> dict:
        """Installs a wheel's build, has it used, and returns what it is."""
        self.run("runtime", "install", "--from", str(wheel))
        builds = [b for b in self.builds() if b["installed"]]
        self.run("runtime", "use", builds[0]["name"])
        return next(b for b in self.builds() if b["installed"])

    def builds(self) -> list[dict]:
        """What `conch runtime list` tells."""
        return json.loads(self.run("runtime", "list", "--json"))["here"]
