"""The checks of what stays in the GPU's memory: CUDA graphs, outputs in shared memory, pinned memory, divided GPUs."""

import time

import device
import models
from region import Region
from steps import PICTURE, SIDE, WIDE, Place, near, run_all, told, under_load

REPLAYED = "runs of these shapes are replayed from a CUDA graph"
WRITTEN = "outputs in CUDA shared memory are written there"
STAGED = "large outputs are copied to pinned memory"
ROUNDS, TIMED = 6, 200
CLIENTS, SENT, PICTURES = 8, 20, 256


def graphs(p: Place) -> str:
    """A model with CUDA graphs beside the same one without: other values each time, in turns of shapes, then timed."""
    for model in ("network_gpu", "network_graph", "network_graphs"):
        p.server.load(model)
    for i in range(ROUNDS):
        for pictures in (1, 4, 2):
            shape, data = [pictures, 3, SIDE, SIDE], models.floats(PICTURE * pictures, 100 * i + pictures)
            want, got = (p.server.infer(model, "X", shape, data) for model in ("network_gpu", "network_graph"))
            near(got, want)
    if p.kind == "KIND_GPU" and not told(p, REPLAYED):
        raise AssertionError("the log does not say that runs are replayed from a CUDA graph")
    took = [timed(p, model) for model in ("network_gpu", "network_graph")]
    rate = under_load(p, "network_graphs")
    return (
        f"alike over {3 * ROUNDS} requests of three shapes; "
        f"one picture takes {took[1]:.2f} ms, {took[0]:.2f} ms without; "
        f"two instances: {rate:.0f} requests a second"
    )


def growing(p: Place) -> str:
    """Graphs beside larger batches, for which the provider takes more memory: answers beside those without."""
    for model in ("linear", "linear_graph"):
        p.server.load(model)
    batches = (1, 1, 1, 8, 1, 32, 1, 1, 8, 128, 1, 8, 32)
    for i, batch in enumerate(batches):
        shape, data = [batch, WIDE], models.floats(batch * WIDE, 40 + i)
        want, got = (p.server.infer(model, "X", shape, data) for model in ("linear", "linear_graph"))
        near(got, want)
    return f"alike over batches of {', '.join(map(str, batches))}"


def crowded(p: Place) -> str:
    """Inputs and outputs of 12 MB on four instances of one session: each of the clients has its own pictures back."""
    p.server.load("pictures_four")
    shape, wrong, done = [PICTURES, 3, SIDE, SIDE], [0] * CLIENTS, [0] * CLIENTS

    def client(i: int) -> None:
        for k in range(SENT):
            data = models.floats(PICTURE, 1000 * i + k) * PICTURES
            wrong[i] += p.server.infer_binary("pictures_four", "X", "Y", shape, data) != data
            done[i] += 1

    run_all(client, CLIENTS)
    if sum(done) != CLIENTS * SENT or any(wrong):
        raise AssertionError(f"{sum(wrong)} of {sum(done)} answers are wrong; {CLIENTS * SENT} were asked for")
    return f"{sum(done)} answers of {CLIENTS} clients are their own"


def timed(p: Place, model: str) -> float:
    """Milliseconds that a request of one picture takes."""
    shape, data = [1, 3, SIDE, SIDE], models.floats(PICTURE, 5)
    for _ in range(3):
        p.server.infer(model, "X", shape, data)
    begun = time.monotonic()
    for _ in range(TIMED):
        p.server.infer(model, "X", shape, data)
    return 1000 * (time.monotonic() - begun) / TIMED


def outputs(p: Place) -> str:
    """Pictures that a model answers unchanged: into the GPU's memory, a small one, which is copied, and a large one."""
    p.server.load("pictures")
    region, said = Region(p.server, 64 << 20), []
    for name, pictures in (("small", 1), ("in place", 256)):
        if told(p, WRITTEN):
            raise AssertionError(f"an output was written in place before the one that can be: {name}")
        shape = [pictures, 3, SIDE, SIDE]
        for seed in (1, 2):
            data = models.floats(PICTURE, seed) * pictures
            begun = time.monotonic()
            got = region.infer("pictures", shape, data, 0, len(data))
            took = time.monotonic() - begun
            near(got, floats_of(data))
        said.append(f"{name} {1000 * took:.1f} ms")
    if not told(p, WRITTEN):
        raise AssertionError("a large output was copied: the log does not say that it was written in place")
    region.close()
    return "; ".join(said)


def floats_of(data: bytes) -> list[float]:
    """The numbers of a tensor's bytes."""
    return list(memoryview(data).cast("f"))


def pinned(p: Place) -> str:
    """Outputs of 12 MB in ordinary answers: the second one is copied to pinned memory."""
    p.server.load("pictures")
    shape, took = [256, 3, SIDE, SIDE], []
    for seed in (1, 2, 3):
        data = models.floats(PICTURE, seed) * 256
        begun = time.monotonic()
        got = p.server.infer_binary("pictures", "X", "Y", shape, data)
        took.append(f"{1000 * (time.monotonic() - begun):.1f}")
        if got != data:
            raise AssertionError(f"picture {seed} came back as another one")
    if p.kind == "KIND_GPU" and not told(p, STAGED):
        raise AssertionError("the log does not say that large outputs are copied to pinned memory")
    return f"alike; {', '.join(took)} ms"


def instances(p: Place) -> str:
    """The instances that the metrics page has, beside those of nvidia-smi."""
    want = device.instances()
    got = {uuid for uuid in p.server.uuids("nv_gpu_memory_total_bytes") if uuid.startswith("MIG-")}
    if got != want:
        raise AssertionError(f"nvidia-smi has {sorted(want)}, and Conch {sorted(got)}")
    return f"{len(got)} of them" if got else "no GPU is divided, and none is shown as divided"
