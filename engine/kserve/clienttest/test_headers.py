"""Headers that become parameters, as a Python model gets them."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import tritonclient.grpc as grpcclient
import tritonclient.http as httpclient
from conftest import Server, free_ports, serving
from tritonclient.utils import InferenceServerException

MODEL = """
import numpy as np
import triton_python_backend_utils as pb_utils

class TritonPythonModel:
    def execute(self, requests):
        return [
            pb_utils.InferenceResponse([pb_utils.Tensor("OUT", np.array([r.parameters().encode()], dtype=object))])
            for r in requests
        ]
"""
CONFIG = """
backend: "python"
input [ { name: "IN" data_type: TYPE_STRING dims: [ 1 ] } ]
output [ { name: "OUT" data_type: TYPE_STRING dims: [ 1 ] } ]
"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Server:
    folder = tmp_path_factory.mktemp("headers")
    model = folder / "more" / "shown"
    (model / "1").mkdir(parents=True)
    (model / "1" / "model.py").write_text(MODEL)
    (model / "config.pbtxt").write_text(CONFIG)
    flags = [
        f"--model-repository={folder / 'more'}",
        "--http-header-forward-pattern=x-|timeout",
        "--grpc-header-forward-pattern=x-|timeout",
        f"--backend-config=python,interpreter={sys.executable}",
    ]
    with serving(folder, *flags) as server:
        yield server


def ask(server: Server, module: object, headers: dict[str, str]) -> dict:
    """The parameters that the model sees."""
    client = module.InferenceServerClient(server.http if module is httpclient else server.grpc)
    tensor = module.InferInput("IN", [1], "BYTES")
    tensor.set_data_from_numpy(np.array([b""], dtype=object))
    try:
        answer = client.infer("shown", [tensor], headers=headers, parameters={"own": 1})
    finally:
        client.close()
    return json.loads(answer.as_numpy("OUT")[0])


@pytest.mark.parametrize(("module", "name"), [(httpclient, "X-Tenant"), (grpcclient, "x-tenant")])
def test_forwarded(shown: Server, module: object, name: str) -> None:
    assert ask(shown, module, {name: "blue", "other": "no"}) == {name: "blue", "own": 1}


@pytest.mark.parametrize("module", [httpclient, grpcclient])
def test_reserved(shown: Server, module: object) -> None:
    with pytest.raises(InferenceServerException, match=r"(?i)Header 'timeout' is reserved for Triton usage"):
        ask(shown, module, {"timeout": "5"})


def test_stream(shown: Server) -> None:
    client = grpcclient.InferenceServerClient(shown.grpc)
    tensor = grpcclient.InferInput("IN", [1], "BYTES")
    tensor.set_data_from_numpy(np.array([b""], dtype=object))
    seen = []
    client.start_stream(lambda result, error: seen.append((result, error)), headers={"x-tenant": "blue"})
    client.async_stream_infer("shown", [tensor])
    client.stop_stream()
    client.close()
    ((result, error),) = seen
    assert error is None
    assert json.loads(result.as_numpy("OUT")[0]) == {"x-tenant": "blue"}


TRACED = MODEL.replace("r.parameters()", "str(r.trace().get_context())")


def test_trace_of_the_client(tmp_path: Path) -> None:
    """A model sees its place in the trace of its client, which nobody needs to collect."""
    model = tmp_path / "more" / "shown"
    (model / "1").mkdir(parents=True)
    (model / "1" / "model.py").write_text(TRACED)
    (model / "config.pbtxt").write_text(CONFIG)
    trace = "0af7651916cd43dd8448eb211c80319c"
    flags = [
        f"--model-repository={tmp_path / 'more'}",
        "--trace-config=mode=opentelemetry",
        f"--trace-config=opentelemetry,url=localhost:{free_ports()[0]}",
        "--trace-config=level=TIMESTAMPS",
        "--trace-config=rate=0",
        f"--backend-config=python,interpreter={sys.executable}",
    ]
    with serving(tmp_path, *flags) as server:
        for module in (httpclient, grpcclient):
            seen = ask(server, module, {"traceparent": f"00-{trace}-b7ad6b7169203331-01"})
            assert seen["traceparent"].split("-")[1] == trace
            assert seen["traceparent"].split("-")[2] != "b7ad6b7169203331"
