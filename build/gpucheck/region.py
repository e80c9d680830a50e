"""CUDA shared memory between this process and the server."""

import base64
import itertools
import json

import device
from outcome import NotRunError
from server import RefusedError, Server, numbers


class Region:
    """Memory of this process on GPU 0, registered by a name that no other one had."""

    made = itertools.count()

    def __init__(self, server: Server, size: int) -> None:
        """Makes and registers it."""
        self.server, self.memory, self.name = server, device.Memory(size), f"r{next(Region.made)}"
        handle = {"b64": base64.b64encode(self.memory.handle()).decode()}
        self.given = {"raw_handle": handle, "device_id": 0, "byte_size": size}
        self.register(self.name, size)

    def register(self, name: str, size: int) -> None:
        """Registers it by a name, as if it had so many bytes."""
        body = json.dumps({**self.given, "byte_size": size}).encode()
        try:
            self.server.ask("POST", f"/v2/cudasharedmemory/region/{name}/register", body)
        except RefusedError as refused:
            if f"CUDA error {device.NOT_SUPPORTED}" not in str(refused):
                raise
            raise NotRunError(f"GPUs of this machine do not share memory between processes: {refused}") from refused

    def infer(self, model: str, shape: list[int], data: bytes, begin: int, out: int = 0) -> list[float]:
        """Writes an input at an offset, and has the model write its output behind it, ten numbers for each row."""
        end, out = begin + len(data), out or 4 * 10 * shape[0]
        self.memory.write(data, begin)
        place = {"shared_memory_region": self.name, "shared_memory_byte_size": len(data), "shared_memory_offset": begin}
        given = {"name": "X", "shape": shape, "datatype": "FP32", "parameters": place}
        wanted = {"shared_memory_region": self.name, "shared_memory_byte_size": out, "shared_memory_offset": end}
        request = {"inputs": [given], "outputs": [{"name": "Y", "parameters": wanted}]}
        self.server.ask("POST", f"/v2/models/{model}/infer", json.dumps(request).encode())
        return numbers(self.memory.read(out, end))

    def close(self) -> None:
        """Unregisters and frees it."""
        self.server.ask("POST", f"/v2/cudasharedmemory/region/{self.name}/unregister", b"")
        self.memory.free()
