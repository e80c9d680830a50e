"""The builds of ONNX Runtime for GPUs, and the libraries that they need."""

import gzip
import hashlib
import json
import mmap
import os
import re
import shutil
import site
import subprocess
import sys
import zipfile
from pathlib import Path

import device

PART = 40 << 20  # bytes of a part of a wheel: with the sources, one is less than 64 MB
PACKAGE = "onnxruntime_gpu"
LONGEST = 300  # seconds for a command of the program


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
    parts = sorted(folder.glob(f"{PACKAGE}-*.whl.part-*"))
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


def rank(wheel: Path) -> tuple[list[int], bool]:
    """Orders wheels: by version, and before others those for this Python, whose ONNX Runtime is measured too."""
    version = [int(n) for n in re.findall(r"\d+", wheel.name.split("-")[1])]
    return version, f"-cp{sys.version_info.major}{sys.version_info.minor}-" in wheel.name


def wheel_in(given: Path, target: Path) -> Path:
    """The wheel at a path: itself, the one in a folder, or that of the parts in a folder."""
    if given.is_file():
        wheel = given
    elif found := sorted(given.glob(f"{PACKAGE}-*.whl"), key=rank):
        wheel = found[-1]
    elif any(given.glob(f"{PACKAGE}-*.whl.part-*")):
        wheel = join(given, target)
    else:
        raise NotUsableError(f"{given} has neither a wheel of onnxruntime-gpu nor parts of one")
    if not zipfile.is_zipfile(wheel):
        raise NotUsableError(f"{wheel} is not a wheel, or it is cut off: copy it again")
    return wheel


def lacks(build: dict) -> dict[str, str]:
    """What the providers of a build lack, in words, by the provider."""
    found: dict[str, list[str]] = {}
    for part in build["missing"]:
        found.setdefault(part["provider"], []).append(part["text"])
    if build["unfit"]:
        found.setdefault("CUDA", []).insert(0, build["unfit"])
    return {provider: "; ".join(texts) for provider, texts in found.items()}


def modules_of(python: str) -> list[str]:
    """Where a Python has its modules; nothing of one that does not run."""
    command = [python, "-c", "import sys; print(*sys.path, sep='\\n')"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return done.stdout.splitlines()


def package_folders(pythons: list[str]) -> list[Path]:
    """The folders of Python packages on this machine: of this Python, of those named, and in usual places."""
    folders = [*site.getsitepackages(), site.getusersitepackages(), *sys.path]
    for python in pythons:
        folders += modules_of(python)
    for place in ("usr", "usr/local", "opt/*", "opt/*/*", "*", str(Path.home())[1:] + "/*"):
        folders += map(str, Path("/").glob(f"{place}/lib/python3*/*-packages"))
    return [Path(f) for f in dict.fromkeys(filter(None, folders)) if Path(f).is_dir()]


def other_cudnn(packaged: Path, cuda: int) -> bool:
    """Whether the package of cuDNN is for another CUDA alone: its library has the same name for each."""
    made = {int(n) for p in packaged.glob("nvidia_cudnn_cu*.dist-info") for n in re.findall(r"_cu(\d+)-", p.name)}
    return cuda > 0 and bool(made) and cuda not in made


def cuda_folders(packages: list[Path], cuda: int = 0) -> list[Path]:
    """Folders with CUDA, cuDNN and TensorRT: of NVIDIA's packages, as PyTorch brings them, and of the system."""
    found = []
    for packaged in packages:
        for pattern in ("nvidia/*/lib", "tensorrt_libs", "nvidia/*/lib64"):
            found += sorted(packaged.glob(pattern))
        if other_cudnn(packaged, cuda):
            found = [f for f in found if f != packaged / "nvidia/cudnn/lib"]
    for pattern in ("cuda*/lib64", "cuda*/targets/*/lib"):
        found += sorted(Path("/usr/local").glob(pattern), reverse=True)
    for (
        packaged
    ) in packages:  # old PyTorchs have CUDA there, beside libraries of their own, which no other PyTorch may find
        found += sorted({f.parent for f in packaged.glob("torch/lib/libcublas.so*")})
    return list(dict.fromkeys(found))


def cuda_of(library: str) -> int:
    """The major version of CUDA for which a build is made; 0 where that cannot be told."""
    provider = Path(library).parent / "libonnxruntime_providers_cuda.so"
    if not provider.exists() or provider.stat().st_size == 0:
        return 0
    with provider.open("rb") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as data:
        found = re.search(rb"\0libcudart\.so\.(\d+)\0", data)
        return int(found[1]) if found else 0


def unpacked(binary: Path, work: Path) -> Path:
    """The program: itself, or unpacked from what `gzip` made of it."""
    packed = binary.with_name(f"{binary.name}.gz")
    if binary.exists() or not packed.exists():
        return binary
    program = work / binary.name
    with gzip.open(packed) as source, program.open("wb") as out:
        shutil.copyfileobj(source, out)
    program.chmod(0o755)
    return program


class Conch:
    """The program, with a data folder of its own."""

    def __init__(self, binary: Path, home: Path) -> None:
        """Leaves the user's own builds and settings alone."""
        self.brought, self.binary, self.home = binary.parent, unpacked(binary, home), home
        self.environment = {**os.environ, "HOME": str(home), "XDG_DATA_HOME": str(home / "data")}
        self.environment |= {"XDG_CACHE_HOME": str(home / "cache")}
        self.environment.pop("CONCH_ONNXRUNTIME", None)
        given = os.environ.get("CONCH_PYTHON")
        self.packages = package_folders([given] if given else [])
        self.python = self.environment.setdefault("CONCH_PYTHON", sys.executable)  # of Python models too

    def run(self, *args: str) -> str:
        """Runs a command and returns what it prints."""
        command = [str(self.binary), *args]
        try:
            done = subprocess.run(
                command, env=self.environment, capture_output=True, text=True, check=False, timeout=LONGEST
            )
        except OSError as error:
            raise NotUsableError(
                f"{self.binary} does not start: {error.strerror}. "
                "Make it with `make build-headless`, or name it with --binary"
            ) from error
        except subprocess.TimeoutExpired as late:
            raise NotUsableError(f"conch {' '.join(args)} did not end in {LONGEST} s") from late
        if done.returncode != 0:
            raise NotUsableError(done.stderr.strip() or f"conch {args[0]} ended with {done.returncode}")
        return done.stdout

    def find_cuda(self, cuda: int = 0) -> list[Path]:
        """Has libraries looked for where packages have them, behind the folders of LD_LIBRARY_PATH."""
        folders = cuda_folders(self.packages, cuda)
        before = os.environ.get("LD_LIBRARY_PATH", "").split(":")
        told = [*filter(None, before), *map(str, device.folders()), *map(str, folders)]
        self.environment["LD_LIBRARY_PATH"] = ":".join(dict.fromkeys(told))
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
        build = self.installed()
        self.run("runtime", "use", build["name"])
        self.find_cuda(cuda_of(build["library"]))
        return self.installed()

    def installed(self) -> dict:
        """What the program tells of the build that is installed."""
        return next(b for b in self.told()["here"] if b["installed"])

    def told(self) -> dict:
        """What `conch runtime list` tells."""
        return json.loads(self.run("runtime", "list", "--json"))
