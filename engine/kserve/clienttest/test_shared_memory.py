"""Tensors in system shared memory, with tritonclient's own helpers."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
import tritonclient.grpc as grpcclient
import tritonclient.http as httpclient
from conftest import Server, serving
from regions import SIZE, inputs_in, module_of
from tritonclient.utils import InferenceServerException
from tritonclient.utils import shared_memory as shm


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("shm"), "--allow-client-shm=true") as running:
        yield running


@pytest.fixture(params=["http", "grpc"])
def client(request: pytest.FixtureRequest, shared: Server) -> Iterator:
    module = {"http": httpclient, "grpc": grpcclient}[request.param]
    one = module.InferenceServerClient(getattr(shared, request.param))
    yield one
    one.unregister_system_shared_memory()
    one.close()


@contextmanager
def region(name: str, size: int) -> Iterator[tuple[object, str]]:
    key = f"/conch_test_{os.getpid()}_{name}"
    handle = shm.create_shared_memory_region(name, key, size)
    try:
        yield handle, key
    finally:
        shm.destroy_shared_memory_region(handle)


def outputs_in(client: object, name: str, size: int = SIZE) -> list:
    outputs = [module_of(client).InferRequestedOutput(f"OUTPUT{i}") for i in range(2)]
    for i, one in enumerate(outputs):
        one.set_shared_memory(name, size, offset=i * SIZE)
    return outputs


def test_tensors(client: object) -> None:
    a, b = np.arange(16, dtype=np.int32)[None], np.full((1, 16), 3, dtype=np.int32)
    with region("in", 2 * SIZE) as (given, key), region("out", 2 * SIZE) as (answer, answer_key):
        shm.set_shared_memory_region(given, [a, b])
        client.register_system_shared_memory("in", key, 2 * SIZE)
        client.register_system_shared_memory("out", answer_key, 2 * SIZE)
        for _ in range(3):
            result = client.infer("add_sub", inputs_in(client, "in"), outputs=outputs_in(client, "out"))
        assert np.array_equal(shm.get_contents_as_numpy(answer, np.int32, [1, 16]), a + b)
        assert np.array_equal(shm.get_contents_as_numpy(answer, np.int32, [1, 16], offset=SIZE), a - b)
        assert result.get_output("OUTPUT0") is not None


def test_status(client: object) -> None:
    with region("in", 2 * SIZE) as (_, key):
        client.register_system_shared_memory("in", key, SIZE)
        status = client.get_system_shared_memory_status()
        if module_of(client) is httpclient:
            assert status == [{"name": "in", "key": key, "offset": 0, "byte_size": SIZE}]
        else:
            row = status.regions["in"]
            assert (row.name, row.key, row.offset, row.byte_size) == ("in", key, 0, SIZE)
        client.unregister_system_shared_memory("in")
        with pytest.raises(InferenceServerException, match="Unable to find system shared memory region: 'in'"):
            client.get_system_shared_memory_status("in")


def test_refusals(client: object) -> None:
    with region("in", 2 * SIZE) as (_, key):
        with pytest.raises(InferenceServerException, match="Unable to open shared memory region: '/conch_absent'"):
            client.register_system_shared_memory("in", "/conch_absent", SIZE)
        with pytest.raises(InferenceServerException, match="shared memory region 'in': invalid args"):
            client.register_system_shared_memory("in", key, 1 << 40)
        with pytest.raises(InferenceServerException, match="Unable to find shared memory region: 'in'"):
            client.infer("add_sub", inputs_in(client, "in"))
        client.register_system_shared_memory("in", key, 2 * SIZE)
        with pytest.raises(InferenceServerException, match="'in' already in manager"):
            client.register_system_shared_memory("in", key, SIZE)
        with pytest.raises(InferenceServerException, match=r"output 'OUTPUT0' \(8 bytes\) should be at least 64 bytes"):
            client.infer("add_sub", inputs_in(client, "in"), outputs=outputs_in(client, "in", 8))
        os.truncate(f"/dev/shm{key}", 1)
        with pytest.raises(InferenceServerException, match="shorter than when it was registered"):
            client.infer("add_sub", inputs_in(client, "in"))
        assert client.is_server_ready()


def test_off(http: httpclient.InferenceServerClient, grpc: grpcclient.InferenceServerClient) -> None:
    disabled = pytest.raises(InferenceServerException, match="Client shared memory is disabled")
    for client in (http, grpc):
        with region("in", SIZE) as (_, key), disabled:
            client.register_system_shared_memory("in", key, SIZE)
