"""Tensors in memory of GPUs, with tritonclient's own helpers.

With CONCH_CUDART they run on a GPU, else on files that stand for one.
"""

import os
from collections.abc import Iterator

import cudart
import numpy as np
import pytest
import tritonclient.grpc as grpcclient
import tritonclient.http as httpclient
from conftest import Server, serving
from regions import SIZE, inputs_in, module_of
from tritonclient.utils import InferenceServerException

cudart.install()
import tritonclient.utils.cuda_shared_memory as shm  # noqa: E402 it needs the modules that were just made


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    driver = cudart.library_path(tmp_path_factory.mktemp("driver"))
    before = os.environ.get("LD_LIBRARY_PATH", "")
    os.environ["LD_LIBRARY_PATH"] = ":".join(filter(None, [driver, before]))
    try:
        with serving(tmp_path_factory.mktemp("cuda"), "--allow-client-shm=true") as running:
            yield running
    finally:
        os.environ["LD_LIBRARY_PATH"] = before


@pytest.fixture(params=["http", "grpc"])
def client(request: pytest.FixtureRequest, shared: Server) -> Iterator:
    module = {"http": httpclient, "grpc": grpcclient}[request.param]
    one = module.InferenceServerClient(getattr(shared, request.param))
    yield one
    one.unregister_cuda_shared_memory()
    one.close()


def output_in(client: object, name: str, region: str, size: int = SIZE) -> object:
    output = module_of(client).InferRequestedOutput(name)
    output.set_shared_memory(region, size)
    return output


def test_tensors(client: object) -> None:
    """The steps of Triton's example simple_http_cudashm_client.py."""
    a, b = np.arange(16, dtype=np.int32)[None], np.full((1, 16), 3, dtype=np.int32)
    given = shm.create_shared_memory_region("in", 2 * SIZE, 0)
    answers = [shm.create_shared_memory_region(f"out{i}", SIZE, 0) for i in range(2)]
    shm.set_shared_memory_region(given, [a, b])
    client.register_cuda_shared_memory("in", shm.get_raw_handle(given), 0, 2 * SIZE)
    for i, answer in enumerate(answers):
        client.register_cuda_shared_memory(f"out{i}", shm.get_raw_handle(answer), 0, SIZE)
    outputs = [output_in(client, f"OUTPUT{i}", f"out{i}") for i in range(2)]
    for _ in range(3):
        client.infer("add_sub", inputs_in(client, "in"), outputs=outputs)
    assert np.array_equal(shm.get_contents_as_numpy(answers[0], np.int32, [1, 16]), a + b)
    assert np.array_equal(shm.get_contents_as_numpy(answers[1], np.int32, [1, 16]), a - b)
    client.unregister_cuda_shared_memory()
    for region in [given, *answers]:
        shm.destroy_shared_memory_region(region)


def test_strings(client: object) -> None:
    """A Python model reads a drawing in one region and writes a text to another."""
    image, text = (shm.create_shared_memory_region(name, 784, 0) for name in ("image", "text"))
    shm.set_shared_memory_region(image, [np.zeros((1, 28, 28), dtype=np.uint8)])
    for name, region in {"image": image, "text": text}.items():
        client.register_cuda_shared_memory(name, shm.get_raw_handle(region), 0, 784)
    drawing = module_of(client).InferInput("IMAGE", [1, 28, 28], "UINT8")
    drawing.set_shared_memory("image", 784)
    client.infer("say_digit", [drawing], outputs=[output_in(client, "TEXT", "text", 784)])
    direct = module_of(client).InferInput("IMAGE", [1, 28, 28], "UINT8")
    direct.set_data_from_numpy(np.zeros((1, 28, 28), dtype=np.uint8))
    want = client.infer("say_digit", [direct]).as_numpy("TEXT")
    assert shm.get_contents_as_numpy(text, np.object_, [1, 1]) == want
    client.unregister_cuda_shared_memory()
    for region in (image, text):
        shm.destroy_shared_memory_region(region)


def test_status(client: object) -> None:
    region = shm.create_shared_memory_region("in", 2 * SIZE, 0)
    client.register_cuda_shared_memory("in", shm.get_raw_handle(region), 0, SIZE)
    status = client.get_cuda_shared_memory_status()
    if module_of(client) is httpclient:
        assert status == [{"name": "in", "device_id": 0, "byte_size": SIZE}]
    else:
        row = status.regions["in"]
        assert (row.name, row.device_id, row.byte_size) == ("in", 0, SIZE)
    client.unregister_cuda_shared_memory("in")
    with pytest.raises(InferenceServerException, match="Unable to find cuda shared memory region: 'in'"):
        client.get_cuda_shared_memory_status("in")
    shm.destroy_shared_memory_region(region)


def test_refusals(client: object) -> None:
    region = shm.create_shared_memory_region("in", 2 * SIZE, 0)
    handle = shm.get_raw_handle(region)
    no_handle = "'raw_handle' must be a valid base64 encoded cudaIpcMemHandle_t"
    with pytest.raises(InferenceServerException, match=no_handle):
        client.register_cuda_shared_memory("in", handle[:84], 0, SIZE)
    with pytest.raises(InferenceServerException, match="failed to register shared memory region: invalid args"):
        client.register_cuda_shared_memory("in", handle, 77, SIZE)
    with pytest.raises(InferenceServerException, match="failed to register shared memory region 'in': invalid args"):
        client.register_cuda_shared_memory("in", handle, 0, 1 << 40)
    with pytest.raises(InferenceServerException, match="Unable to find shared memory region: 'in'"):
        client.infer("add_sub", inputs_in(client, "in"))
    client.register_cuda_shared_memory("in", handle, 0, 2 * SIZE)
    with pytest.raises(InferenceServerException, match="'in' already in manager"):
        client.register_cuda_shared_memory("in", handle, 0, SIZE)
    with pytest.raises(InferenceServerException, match="registered as CUDA shared memory, not system shared memory"):
        client.get_system_shared_memory_status("in")
    with pytest.raises(InferenceServerException, match=r"output 'OUTPUT0' \(8 bytes\) should be at least 64 bytes"):
        client.infer("add_sub", inputs_in(client, "in"), outputs=[output_in(client, "OUTPUT0", "in", 8)])
    assert client.is_server_ready()
    client.unregister_cuda_shared_memory("in")
    shm.destroy_shared_memory_region(region)
