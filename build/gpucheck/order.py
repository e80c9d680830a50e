"""The checks, in the order in which they are made."""

from collections.abc import Callable

import lost
import packages
import placed
import steps
import workbench

START = "CUDA starts"

STEPS: dict[str, Callable[[steps.Place], str]] = {
    START: steps.start,
    "CUDA: digits beside the CPU": steps.digits,
    "CUDA: network beside the CPU": steps.network,
    "TensorRT: network beside the CPU": steps.tensorrt,
    "TensorRT: a plan by its builder": packages.plan,
    "CUDA graphs": placed.graphs,
    "CUDA graphs and growing batches": placed.growing,
    "CUDA shared memory": steps.shared_memory,
    "outputs in CUDA shared memory": placed.outputs,
    "CUDA shared memory by tritonclient": packages.tritonclient,
    "batches, and two instances": steps.together,
    "large outputs": placed.pinned,
    "large outputs of many clients": placed.crowded,
    "GPU out of memory": steps.full,
    "a Python model with PyTorch": packages.pytorch,
    "Compare: the GPU and the CPU": workbench.compare,
    "two Conches on one GPU": steps.two,
    "metrics beside nvidia-smi": steps.metrics,
    "instances of divided GPUs (MIG)": placed.instances,
    "throughput through Conch": steps.throughput,
    "the engine survived all that": steps.alive,
    "a GPU that is lost": lost.lost,
}
