"""The checks that need a GPU. Each returns what was measured, or raises an error."""

import http.client
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import device
import models
from apart import apart, largest
from library import Conch, NotUsableError
from outcome import NotRunError
from region import Region
from server import RefusedError, Server, body_of, send

SIDE, CHANNELS, DEPTH = 64, 48, 8
WIDE = 256
PICTURE = 3 * SIDE * SIDE
TOLERANCE = 1e-3  # of numbers around 1, on another processor in another order
THREADS, SECONDS, BATCH = 4, 5.0, 8


@dataclass(frozen=True)
class Place:
    """What the checks run on."""

    server: Server
    kind: str  # of the instances that are checked: KIND_GPU
    missing: dict[str, str]  # what providers lack, by the provider
    again: Callable[[], AbstractContextManager[Server]]  # starts another server of the same models
    conch: Conch
    folder: Path  # with the models


def repository(folder: Path, examples: Path, kind: str) -> Path:
    """Makes the models: each one on the CPU and on the kind that is checked."""
    digits = (examples / "digits/1/model.onnx").read_bytes()
    network = models.convolutions(SIDE, CHANNELS, DEPTH)
    # Full precision: TF32 has ten bits.
    exact = models.accelerator("cuda", {"use_tf32": "0"})
    for name, model in {"digits": digits, "network": network}.items():
        models.write(folder, f"{name}_cpu", model, models.config("KIND_CPU", 256))
        models.write(folder, f"{name}_gpu", model, models.config(kind, 256, exact))
    models.write(folder, "network_fast", network, models.config(kind, 256))
    graph = models.accelerator("cuda", {"use_tf32": "0", "enable_cuda_graph": "1"})
    models.write(folder, "network_graph", network, models.config(kind, 256, graph))
    models.write(folder, "network_graphs", network, models.config(kind, 256, graph, 2))
    models.write(folder, "pictures", models.pictures(SIDE), models.config(kind, 256))
    models.write(folder, "pictures_four", models.pictures(SIDE), models.config(kind, 256, "", 4))
    models.write(folder, "linear", models.linear(WIDE), models.config(kind, 256, exact))
    models.write(folder, "linear_graph", models.linear(WIDE), models.config(kind, 256, graph))
    batches = "dynamic_batching { max_queue_delay_microseconds: 20000 }"
    models.write(folder, "network_batches", network, models.config(kind, 256, f"{exact}\n{batches}"))
    models.write(folder, "network_two", network, models.config(kind, 256, exact, 2))
    # What convolutions need besides is kept small, so that it is the pictures that do not fit.
    frugal = {
        "cudnn_conv_algo_search": "HEURISTIC",
        "cudnn_conv_use_max_workspace": "0",
        "arena_extend_strategy": "kSameAsRequested",
    }
    small = models.accelerator("cuda", {"gpu_mem_limit": str(128 << 20), **frugal})
    models.write(folder, "network_small", network, models.config(kind, 256, small))
    for precision in ("FP32", "FP16"):
        trt = models.accelerator("tensorrt", {"precision_mode": precision})
        models.write(folder, f"network_trt_{precision.lower()}", network, models.config(kind, 8, trt))
    return folder


def difference(p: Place, one: str, other: str, name: str, shape: list[int]) -> float:
    """The largest difference of the outputs of two models for the same input."""
    count = 1
    for d in shape:
        count *= d
    data = models.floats(count, 7)
    for model in (one, other):
        p.server.load(model)
    a, b = (p.server.infer(model, name, shape, data) for model in (one, other))
    if len(a) != len(b) or not any(a):
        raise AssertionError(f"{one} answers {len(a)} numbers and {other} {len(b)}")
    return apart(a, b)


def agree(p: Place, one: str, other: str, name: str, shape: list[int], tolerance: float) -> str:
    """Fails when two models differ by more than the tolerance."""
    worst = difference(p, one, other, name, shape)
    if not worst <= tolerance:
        raise AssertionError(f"the outputs differ by {worst:.2g}; {tolerance:g} is allowed")
    return f"largest difference {worst:.2g}"


CANNOT = "runs on the CPU here"  # the engine of a model that asks for a GPU


def start(p: Place) -> str:
    """The first model on the GPU: without it, nothing else can run there."""
    if missing := p.missing.get("CUDA"):
        raise NotRunError(missing)
    begun = time.monotonic()
    try:
        p.server.load("network_gpu")
    except RefusedError as refused:
        raise NotUsableError(str(refused)) from refused
    if why := [line for line in p.server.log.read_text().splitlines() if CANNOT in line and "network_gpu" in line]:
        raise NotUsableError(why[0])
    return f"the first model is loaded after {time.monotonic() - begun:.1f} s"


def digits(p: Place) -> str:
    """The digits of the examples, beside the CPU."""
    return agree(p, "digits_cpu", "digits_gpu", "image", [16, 64], TOLERANCE)


def network(p: Place) -> str:
    """A network of convolutions, beside the CPU."""
    return agree(p, "network_cpu", "network_gpu", "X", [4, 3, SIDE, SIDE], TOLERANCE)


def tensorrt(p: Place) -> str:
    """The same network by TensorRT, twice: the second load has the engine of the first."""
    if missing := p.missing.get("TensorRT"):
        raise NotRunError(missing)
    said = []
    for precision, tolerance in (("fp32", 1e-2), ("fp16", 1e-1)):
        model, took = f"network_trt_{precision}", []
        for _ in range(2):
            begun = time.monotonic()
            worst = agree(p, "network_cpu", model, "X", [4, 3, SIDE, SIDE], tolerance)
            took.append(time.monotonic() - begun)
            p.server.ask("POST", f"/v2/repository/models/{model}/unload", b"{}")
        said.append(f"{precision}: {worst}, first {took[0]:.1f} s, again {took[1]:.1f} s")
    return "; ".join(said)


IN_PLACE = "inputs in CUDA shared memory are read where they are"
PINNED = "batches are joined in pinned memory"


def told(p: Place, line: str) -> bool:
    """Whether the server's log has a line."""
    return line in p.server.log.read_text()


def shared_memory(p: Place) -> str:
    """Input and output in memory of the GPU that this process has: a small input, which is copied, and large ones."""
    p.server.load("network_gpu")
    region, said = Region(p.server, 64 << 20), []
    for name, pictures, begin in (("small", 1, 0), ("at an odd address", 256, 4), ("in place", 256, 0)):
        if told(p, IN_PLACE):
            raise AssertionError(f"an input was read in place before the one that can be: {name}")
        shape, data = [pictures, 3, SIDE, SIDE], models.floats(PICTURE, 3) * pictures
        want = p.server.infer("network_gpu", "X", shape, data)
        got = region.infer("network_gpu", shape, data, begin)
        begun = time.monotonic()
        for _ in range(5):
            region.infer("network_gpu", shape, data, begin)
        took = (time.monotonic() - begun) / 5
        worst = apart(got, want)
        if not worst <= TOLERANCE:
            raise AssertionError(f"{name}: the outputs differ by {worst:.2g}")
        said.append(f"{name} {1000 * took:.1f} ms, difference {worst:.2g}")
    if not told(p, IN_PLACE):
        raise AssertionError("a large input was copied: the log does not say that it was read in place")
    try:
        region.register("s", 1 << 50)
    except RefusedError as refused:
        if "invalid args" not in str(refused):
            raise
    else:
        raise AssertionError("a region larger than its memory was registered")
    region.close()
    return "; ".join(said) + "; a wrong size is refused"


def together(p: Place) -> str:
    """Requests that form batches, on one instance and on two that share a session: each has its own answer."""
    said = [f"{model} {under_load(p, model):.0f} requests a second" for model in ("network_batches", "network_two")]
    if p.kind == "KIND_GPU" and not told(p, PINNED):
        raise AssertionError("the log does not say that batches are joined in pinned memory")
    return "; ".join(said)


def under_load(p: Place, model: str) -> float:
    """Holds the answers of a model to clients at the same time against the CPU's. Returns requests a second."""
    p.server.load(model)
    p.server.load("network_cpu")
    shape = [BATCH, 3, SIDE, SIDE]
    pictures = [models.floats(PICTURE, 20 + i) * BATCH for i in range(THREADS)]
    want = [p.server.infer("network_cpu", "X", shape, data) for data in pictures]
    worst, done = [0.0] * THREADS, [0] * THREADS
    begun = time.monotonic()

    def client(i: int) -> None:
        while time.monotonic() < begun + SECONDS:
            got = p.server.infer(model, "X", shape, pictures[i])
            worst[i] = largest([worst[i], apart(got, want[i])])
            done[i] += 1

    run_all(client)
    if not all(done) or not largest(worst) <= TOLERANCE:
        raise AssertionError(f"{model}: {done} answers, which differ by {largest(worst):.2g}")
    return sum(done) / (time.monotonic() - begun)


def run_all(client: Callable[[int], None], count: int = THREADS) -> None:
    """Runs a client in each of the threads."""
    threads = [threading.Thread(target=client, args=(i,), daemon=True) for i in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def full(p: Place) -> str:
    """A request that needs more memory than its model may have fails alone."""
    p.server.load("network_small")
    one = models.floats(PICTURE, 5)
    p.server.infer("network_small", "X", [1, 3, SIDE, SIDE], one)
    try:
        p.server.infer("network_small", "X", [256, 3, SIDE, SIDE], one * 256)
    except RefusedError as refused:
        if "is full: unload other models" not in str(refused):
            raise
        said = str(refused)[:60]
    else:
        raise AssertionError("256 pictures fit into 128 MB")
    p.server.infer("network_small", "X", [1, 3, SIDE, SIDE], one)
    p.server.infer("network_gpu", "X", [1, 3, SIDE, SIDE], one)
    return f"refused with “{said}…”; the next requests are answered"


def two(p: Place) -> str:
    """A second Conch on the same GPU."""
    p.server.load("network_gpu")
    shape, data = [4, 3, SIDE, SIDE], models.floats(4 * PICTURE, 11)
    want = p.server.infer("network_gpu", "X", shape, data)
    with p.again() as other:
        other.load("network_gpu")
        near(other.infer("network_gpu", "X", shape, data), want)
        near(p.server.infer("network_gpu", "X", shape, data), want)
    near(p.server.infer("network_gpu", "X", shape, data), want)
    return "both answer alike, and the first one also when the other has ended"


def near(got: list[float], want: list[float]) -> None:
    """Fails when answers differ."""
    worst = apart(got, want)
    if not worst <= TOLERANCE:
        raise AssertionError(f"the outputs differ by {worst:.2g}")


def metrics(p: Place) -> str:
    """The figures of the metrics page beside those of nvidia-smi."""
    time.sleep(3)  # the driver is asked every two seconds
    rows = device.smi("uuid", "memory.total", "memory.used", "power.limit", "utilization.gpu", "power.draw")
    known = p.server.uuids("nv_gpu_memory_total_bytes")
    uuid, *figures = next((row for row in rows if row[0] in known), [""])
    if not uuid:
        raise AssertionError(f"nvidia-smi has {[row[0] for row in rows]}, and Conch {sorted(known)}")
    return device.compare(p.server.metrics(uuid), [device.number(text) for text in figures])


def throughput(p: Place) -> str:
    """Pictures a second through HTTP."""
    p.server.load("network_fast")
    body, headers = body_of("X", [BATCH, 3, SIDE, SIDE], models.floats(PICTURE * BATCH, 9))
    done = [0] * THREADS
    end = time.monotonic() + SECONDS

    def client(i: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", p.server.port, timeout=60)
        while time.monotonic() < end:
            send(connection, "POST", "/v2/models/network_fast/infer", body, headers)
            done[i] += BATCH
        connection.close()

    run_all(client)
    if not all(done):
        raise AssertionError("a client got no answer")
    return f"{sum(done) / SECONDS:.0f} pictures of {SIDE}x{SIDE} a second, {THREADS} clients with batches of {BATCH}"


def alive(p: Place) -> str:
    """The server that all checks used is the one that was started."""
    p.server.ask("GET", "/v2/health/ready")
    text = p.server.log.read_text()
    if p.server.process.poll() is not None or "panic:" in text:
        raise AssertionError(f"the engine ended: {text[-500:]}")
    return "the engine that was started still serves"
