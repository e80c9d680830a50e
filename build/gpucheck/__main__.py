"""Runs what needs an NVIDIA GPU, and prints a table: `make gpu-check`.

It needs the program, Python and nothing from the network. GPU_WHEEL names a wheel of onnxruntime-gpu, a folder with it,
or a folder with its parts, which `python3 build/gpucheck split WHEEL FOLDER` makes. CUDA and cuDNN are found in the
packages that PyTorch brings.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

import check
import library
from outcome import Clock

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Reads the command line."""
    if sys.argv[1:2] == ["split"] and len(sys.argv) == 4:
        for made in library.split(Path(sys.argv[2]), Path(sys.argv[3])):
            print(made)
        return 0
    parser = argparse.ArgumentParser(prog="gpucheck", description=__doc__)
    parser.add_argument("--binary", type=Path, default=ROOT / "build/bin/conch-headless", help="the program")
    parser.add_argument("--wheel", default=os.environ.get("GPU_WHEEL", ""), help="in place of GPU_WHEEL")
    minutes = float(os.environ.get("GPU_MINUTES") or 30)
    parser.add_argument("--minutes", type=float, default=minutes, help="for all checks, in place of GPU_MINUTES (30)")
    given = parser.parse_args()
    clock = Clock(given.minutes)
    with tempfile.TemporaryDirectory(prefix="conch-gpu-", ignore_cleanup_errors=True) as made:
        work = Path(made)
        conch = library.Conch(given.binary.resolve(), work)
        return check.run(check.Check(conch, given.wheel, work, clock))


if __name__ == "__main__":
    sys.exit(main())
