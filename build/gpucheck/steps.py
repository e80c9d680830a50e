"""The checks that need a GPU. Each returns what was measured, or raises an error."""

import base64
import http.client
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import device
import models
from server import RefusedError, Server, body_of, numbers, send

SIDE, CHANNELS, DEPTH = 64, 48, 8
PICTURE = 3 * SIDE * SIDE
TOLERANCE = 1e-3  # of numbers around 1, on another processor in another order
THREADS, SECONDS, BATCH = 4, 5.0, 8


class NotRunError(Exception):
    """Says why a check cannot be made here."""


@dataclass(frozen=True)
class Place:
    """What the checks run on."""

    server: Server
    kind: str  # of the instances that are checked: KIND_GPU
    missing: dict[str, list[str]]  # libraries that providers lack, by the provider


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
    batches = "dynamic_batching { max_queue_delay_microseconds: 20000 }"
    models.write(folder, "network_batches", network, models.config(kind, 256, f"{exact}\n{batches}"))
    models.write(folder, "network_two", network, models.config(kind, 256, exact, 2))
    small = models.accelerator("cuda", {"gpu_mem_limit": str(64 << 20)})
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
    return max(abs(x - y) for x, y in zip(a, b, strict=True))


def agree(p: Place, one: str, other: str, name: str, shape: list[int], tolerance: float) -> str:
    """Fails when two models differ by more than the tolerance."""
    worst = difference(p, one, other, name, shape)
    if not worst <= tolerance:
        raise AssertionError(f"the outputs differ by {worst:.2g}; {tolerance:g} is allowed")
    return f"largest difference {worst:.2g}"


def digits(p: Place) -> str:
    """The digits of the examples, beside the CPU."""
    return agree(p, "digits_cpu", "digits_gpu", "image", [16, 64], TOLERANCE)


def network(p: Place) -> str:
    """A network of convolutions, beside the CPU."""
    return agree(p, "network_cpu", "network_gpu", "X", [4, 3, SIDE, SIDE], TOLERANCE)


def tensorrt(p: Place) -> str:
    """The same network by TensorRT, twice: the second load has the engine of the first."""
    if missing := p.missing.get("Tensorrt"):
        raise NotRunError(f"TensorRT needs {', '.join(missing)}")
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


class Region:
    """Memory of this process on GPU 0, registered as the region r."""

    def __init__(self, p: Place, size: int) -> None:
        """Makes and registers it."""
        self.p, self.memory = p, device.Memory(size)
        handle = {"b64": base64.b64encode(self.memory.handle()).decode()}
        self.given = {"raw_handle": handle, "device_id": 0, "byte_size": size}
        self.register("r", size)

    def register(self, name: str, size: int) -> None:
        """Registers it by a name, as if it had so many bytes."""
        body = json.dumps({**self.given, "byte_size": size}).encode()
        self.p.server.ask("POST", f"/v2/cudasharedmemory/region/{name}/register", body)

    def infer(self, model: str, shape: list[int], data: bytes, begin: int) -> list[float]:
        """Writes an input at an offset, and has the model write its output behind it."""
        end, out = begin + len(data), 4 * 10 * shape[0]
        self.memory.write(data, begin)
        place = {"shared_memory_region": "r", "shared_memory_byte_size": len(data), "shared_memory_offset": begin}
        given = {"name": "X", "shape": shape, "datatype": "FP32", "parameters": place}
        wanted = {"shared_memory_region": "r", "shared_memory_byte_size": out, "shared_memory_offset": end}
        request = {"inputs": [given], "outputs": [{"name": "Y", "parameters": wanted}]}
        self.p.server.ask("POST", f"/v2/models/{model}/infer", json.dumps(request).encode())
        return numbers(self.memory.read(out, end))

    def close(self) -> None:
        """Unregisters and frees it."""
        self.p.server.ask("POST", "/v2/cudasharedmemory/region/r/unregister", b"")
        self.memory.free()


IN_PLACE = "inputs in CUDA shared memory are read where they are"
PINNED = "batches are joined in pinned memory"


def told(p: Place, line: str) -> bool:
    """Whether the server's log has a line."""
    return line in p.server.log.read_text()


def shared_memory(p: Place) -> str:
    """Input and output in memory of the GPU that this process has: a small input, which is copied, and large ones."""
    p.server.load("network_gpu")
    region, said = Region(p, 64 << 20), []
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
        worst = max(abs(a - b) for a, b in zip(got, want, strict=True))
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
            worst[i] = max(worst[i], *(abs(a - b) for a, b in zip(got, want[i], strict=True)))
            done[i] += 1

    run_all(client)
    if not all(done) or not max(worst) <= TOLERANCE:
        raise AssertionError(f"{model}: {done} answers, which differ by {max(worst):.2g}")
    return sum(done) / (time.monotonic() - begun)


def run_all(client: Callable[[int], None]) -> None:
    """Runs a client in each of the threads."""
    threads = [threading.Thread(target=client, args=(i,)) for i in range(THREADS)]
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
        raise AssertionError("256 pictures fit into 64 MB")
    p.server.infer("network_small", "X", [1, 3, SIDE, SIDE], one)
    p.server.infer("network_gpu", "X", [1, 3, SIDE, SIDE], one)
    return f"refused with “{said}…”; the next requests are answered"


def metrics(p: Place) -> str:
    """The figures of the metrics page beside those of nvidia-smi."""
    time.sleep(3)  # the driver is asked every two seconds
    total, used, limit = map(float, device.smi("memory.total", "memory.used", "power.limit")[0])
    here = p.server.metrics()
    for name, unit, want, slack in (
        ("nv_gpu_memory_total_bytes", 1 << 20, total, 0.02),
        ("nv_gpu_memory_used_bytes", 1 << 20, used, 0.2),
        ("nv_gpu_power_limit", 1, limit, 0.02),
    ):
        got = here[name] / unit
        if abs(got - want) > slack * want + 512:
            raise AssertionError(f"{name} is {got:.0f}; nvidia-smi says {want:.0f}")
    if not 0 <= here["nv_gpu_utilization"] <= 1 or here["nv_gpu_power_usage"] <= 0:
        raise AssertionError(f"not plausible: {here}")
    power, energy = here["nv_gpu_power_usage"], here["nv_energy_consumption"]
    return f"{used:.0f} of {total:.0f} MiB, {power:.0f} of {limit:.0f} W, {energy:.0f} J since the start"


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


STEPS: dict[str, Callable[[Place], str]] = {
    "CUDA: digits beside the CPU": digits,
    "CUDA: network beside the CPU": network,
    "TensorRT: network beside the CPU": tensorrt,
    "CUDA shared memory": shared_memory,
    "batches, and two instances": together,
    "GPU out of memory": full,
    "metrics beside nvidia-smi": metrics,
    "throughput through Conch": throughput,
    "the engine survived all that": alive,
}
