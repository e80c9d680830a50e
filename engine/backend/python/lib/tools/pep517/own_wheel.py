"""Builds the wheel of triton_python_backend_utils (PEP 517, PEP 660), with nothing but Python.

So `pip install` of the folder needs no network and no setuptools, which Python no longer brings.
"""

import base64
import hashlib
import zipfile
from pathlib import Path

PACKAGES = ("c_python_backend_utils", "triton_python_backend_utils")
NAME, VERSION = "conch_triton_python_backend_utils", "1"
INFO = f"{NAME}-{VERSION}.dist-info"
METADATA = f"""Metadata-Version: 2.1
Name: {NAME.replace("_", "-")}
Version: {VERSION}
Summary: triton_python_backend_utils, as Conch gives it to Python models
Requires-Python: >=3.9
Requires-Dist: numpy>=1.22
"""
TAGS = "Wheel-Version: 1.0\nGenerator: conch\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
ROOT = Path(__file__).resolve().parents[2]


def build_wheel(folder: str, settings: object = None, metadata: object = None) -> str:
    """Write the wheel."""
    files = {
        str(path.relative_to(ROOT)): path.read_bytes()
        for package in PACKAGES
        for path in sorted((ROOT / package).iterdir())
        if path.suffix == ".py" or path.name == "py.typed"
    }
    return write(folder, files)


def build_editable(folder: str, settings: object = None, metadata: object = None) -> str:
    """Write a wheel by which Python finds the package where it is."""
    return write(folder, {f"{NAME}.pth": f"{ROOT}\n".encode()})


def write(folder: str, files: "dict[str, bytes]") -> str:
    """Write a wheel with files and with what describes it."""
    files = {**files, f"{INFO}/METADATA": METADATA.encode(), f"{INFO}/WHEEL": TAGS.encode()}
    record = "".join(f"{name},sha256={digest(text)},{len(text)}\n" for name, text in files.items())
    files[f"{INFO}/RECORD"] = f"{record}{INFO}/RECORD,,\n".encode()
    wheel = f"{NAME}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(Path(folder) / wheel, "w", zipfile.ZIP_DEFLATED) as out:
        for name, text in files.items():
            out.writestr(name, text)
    return wheel


def digest(text: bytes) -> str:
    """Give the digest of a file as a wheel lists it."""
    return base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()
