"""Requests whose inputs are in shared memory."""

from types import ModuleType

import tritonclient.grpc as grpcclient
import tritonclient.http as httpclient

SIZE = 64  # INT32[16], with the batch dimension of add_sub


def module_of(client: object) -> ModuleType:
    return httpclient if isinstance(client, httpclient.InferenceServerClient) else grpcclient


def inputs_in(client: object, name: str) -> list:
    inputs = [module_of(client).InferInput(f"INPUT{i}", [1, 16], "INT32") for i in range(2)]
    for i, one in enumerate(inputs):
        one.set_shared_memory(name, SIZE, offset=i * SIZE)
    return inputs
