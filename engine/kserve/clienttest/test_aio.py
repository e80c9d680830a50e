"""tritonclient's clients for asyncio against conch serve."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import tritonclient.grpc as grpcclient
import tritonclient.grpc.aio as grpcaio
import tritonclient.http as httpclient
import tritonclient.http.aio as httpaio
from conftest import Server
from sample import add_sub_inputs, check_add_sub
from tritonclient.utils import InferenceServerException

MISSING = "Request for unknown model: 'nosuch' is not found"


def test_http(server: Server) -> None:
    async def ask() -> None:
        async with httpaio.InferenceServerClient(server.http) as client:
            assert await client.is_server_ready()
            assert (await client.get_model_metadata("add_sub"))["name"] == "add_sub"
            inputs = add_sub_inputs(httpclient)
            for answer in await asyncio.gather(*[client.infer("add_sub", inputs) for _ in range(32)]):
                check_add_sub(answer)
            for algorithm in ("gzip", "deflate"):
                check_add_sub(await client.infer("add_sub", inputs, request_compression_algorithm=algorithm))
            with pytest.raises(InferenceServerException, match=MISSING):
                await client.infer("nosuch", inputs)

    asyncio.run(ask())


def test_grpc(server: Server) -> None:
    async def ask() -> None:
        async with grpcaio.InferenceServerClient(server.grpc) as client:
            assert await client.is_server_ready()
            assert (await client.get_model_metadata("add_sub")).name == "add_sub"
            inputs = add_sub_inputs(grpcclient)
            for answer in await asyncio.gather(*[client.infer("add_sub", inputs) for _ in range(32)]):
                check_add_sub(answer)
            for algorithm in ("gzip", "deflate"):
                check_add_sub(await client.infer("add_sub", inputs, compression_algorithm=algorithm))
            with pytest.raises(InferenceServerException, match=MISSING):
                await client.infer("nosuch", inputs)

    asyncio.run(ask())


def test_stream(server: Server) -> None:
    async def requests() -> AsyncIterator[dict]:
        for i in range(20):
            model = "nosuch" if i == 10 else "add_sub"
            yield {"model_name": model, "inputs": add_sub_inputs(grpcclient), "request_id": str(i)}

    async def ask() -> None:
        async with grpcaio.InferenceServerClient(server.grpc) as client:
            count = 0
            async for answer, error in client.stream_infer(requests()):
                if count == 10:
                    assert MISSING in error.message()
                else:
                    assert error is None
                    assert answer.get_response().id == str(count)
                    check_add_sub(answer)
                count += 1
            assert count == 20

    asyncio.run(ask())
