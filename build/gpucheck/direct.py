"""ONNX Runtime's own throughput with the wheel's Python part, in a process of its own.

Called with the folder of the unpacked wheel and a model's file.
"""

import sys
import threading
import time


def main(folder: str, model: str, threads: int, seconds: float, batch: int, side: int) -> None:
    """Prints pictures a second."""
    sys.path.insert(0, folder)
    import numpy as np
    import onnxruntime as ort

    session = ort.InferenceSession(model, providers=["CUDAExecutionProvider", "CPUExecutionProvider"])
    if session.get_providers()[0] != "CUDAExecutionProvider":
        raise SystemExit("ONNX Runtime's CUDA provider did not start")
    picture = np.random.default_rng(1).random((batch, 3, side, side), dtype=np.float32)
    session.run(None, {"X": picture})
    done, end = [0] * threads, time.monotonic() + seconds

    def run(i: int) -> None:
        while time.monotonic() < end:
            session.run(None, {"X": picture})
            done[i] += batch

    workers = [threading.Thread(target=run, args=(i,)) for i in range(threads)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    print(f"{sum(done) / seconds:.0f}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5]), int(sys.argv[6]))
