"""Conch's worker that turns an ONNX model into another one. Its argument is the folder of the job."""

import sys

from conch_convert.main import main

sys.exit(main(sys.argv[1]))
