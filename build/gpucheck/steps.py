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


def shared_memory(p: Place) -> str:
    """Input and output in memory of the GPU that this process has."""
    shape, out = [1, 3, SIDE, SIDE], 4 * 10
    data = models.floats(PICTURE, 3)
    p.server.load("network_gpu")
    want = p.server.infer("network_gpu", "X", shape, data)
    memory = device.Memory(len(data) + out)
    memory.write(data)
    handle = {"b64": base64.b64encode(memory.handle()).decode()}
    region = {"raw_handle": handle, "device_id": 0, "byte_size": memory.size}
    p.server.ask("POST", "/v2/cudasharedmemory/region/r/register", json.dumps(region).encode())
    place = {"shared_memory_region": "r", "shared_memory_byte_size": len(data)}
    given = {"name": "X", "shape": shape, "datatype": "FP32", "parameters": place}
    wanted = {"shared_memory_region": "r", "shared_memory_byte_size": out, "shared_memory_offset": len(data)}
    request = {"inputs": [given], "outputs": [{"name": "Y", "parameters": wanted}]}
    p.server.ask("POST", "/v2/models/network_gpu/infer", json.dumps(request).encode())
    got = numbers(memory.read(out, len(data)))
    try:
        too_much = {**region, "byte_size": 1 << 50}
        p.server.ask("POST", "/v2/cudasharedmemory/region/s/register", json.dumps(too_much).encode())
    except RefusedError as refused:
        if "invalid args" not in str(refused):
            raise
    else:
        raise AssertionError("a region larger than its memory was registered")
    p.server.ask("POST", "/v2/cudasharedmemory/region/r/unregister", b"")
    memory.free()
    worst = max(abs(a - b) for a, b in zip(got, want, strict=True))
    if not worst <= TOLERANCE:
        raise AssertionError(f"the outputs differ by {worst:.2g}")
    return f"largest difference {worst:.2g}; a wrong size is refused"


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

    threads = [threading.Thread(target=client, args=(i,)) for i in range(THREADS)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
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
    "GPU out of memory": full,
    "metrics beside nvidia-smi": metrics,
    "throughput through Conch": throughput,
    "the engine survived all that": alive,
}
