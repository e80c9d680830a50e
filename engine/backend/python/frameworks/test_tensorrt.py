"""Plans of TensorRT, with a fake of its Python package and of CUDA's driver: profiles, shapes, completion, errors."""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import models
import numpy as np
import pytest
import tritonclient.grpc as grpcclient
from conftest import Start
from faketensorrt import plans
from serving import Server, until
from tensorrt_cases import BATCH, CONFIGS, FOUND, GPU, ONE, PLAN, PROFILED, REFUSED, SHAPED

FAKE = Path(__file__).parent / "faketensorrt"


def python(folder: Path) -> Path:
    """Make a Python that has NumPy and the fake."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    found = next(folder.glob("lib/python*/site-packages"))
    (found / "fake.pth").write_text(f"{sysconfig.get_path('purelib')}\n{FAKE}\n")
    return folder / "bin" / "python3"


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the fake of CUDA's driver."""
    folder = tmp_path_factory.mktemp("driver")
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler, "a C compiler makes the fake of CUDA's driver: install gcc"
    subprocess.run([compiler, "-shared", "-fPIC", "-Wall", "-o", folder / "libcuda.so.1", FAKE / "cuda.c"], check=True)
    return folder


Served = Callable[..., Server]


@pytest.fixture(scope="module")
def served(start: Start, driver: Path, tmp_path_factory: pytest.TempPathFactory) -> Served:
    """Give what serves a folder on a machine with the fake of so many GPUs and such a TensorRT."""
    interpreter = python(tmp_path_factory.mktemp("python") / "venv")

    def serve(root: Path, *flags: str, gpus: int = 2, version: str = "10.3.0") -> Server:
        fakes = {"LD_LIBRARY_PATH": str(driver), "FAKE_GPUS": str(gpus), "FAKE_TENSORRT": version}
        return start(root, *flags, python=interpreter, **fakes)

    return serve


def write(root: Path, name: str, config: str, plan: dict) -> None:
    """Write a model."""
    plans.put(root / name, **plan)
    models.config(root / name, PLAN + config.replace("'", '"'))


@pytest.fixture(scope="module")
def server(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Server:
    """Serve the models."""
    root = tmp_path_factory.mktemp("tensorrt")
    for name, (config, plan) in CONFIGS.items():
        write(root, name, config, plan)
    for name, (config, plan, _) in REFUSED.items():
        write(root, name, config, plan)
    write(root, "damaged", "", {})
    (root / "damaged" / "1" / "model.plan").write_bytes(b"ftrt" + bytes(24) + b"{")
    write(root, "empty", GPU + BATCH + ONE, {"file": "other.plan"})
    return served(root)


def ask(server: Server, model: str, x: np.ndarray, output: str = "y", **more: np.ndarray) -> np.ndarray:
    """Ask a model."""
    kinds = {"float32": "FP32", "float16": "FP16", "int32": "INT32"}
    inputs = []
    for name, value in {"x": x, **more}.items():
        inputs.append(grpcclient.InferInput(name, value.shape, kinds[value.dtype.name]))
        inputs[-1].set_data_from_numpy(value)
    return server.grpc.infer(model, inputs, client_timeout=60).as_numpy(output)


X = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.mark.parametrize("model", ["bare", "one", "plain", "unbatched", "named", "growing"])
def test_copies(server: Server, model: str) -> None:
    server.need(model)
    assert np.array_equal(ask(server, model, X), X)
    assert np.array_equal(ask(server, model, X * 3), X * 3)


def test_types(server: Server) -> None:
    server.need("halves", "bits")
    halves = X.astype(np.float16)
    assert np.array_equal(ask(server, "halves", halves), halves)
    given = grpcclient.InferInput("x", [2, 3], "BF16")
    given.set_data_from_numpy(X.astype(ml_dtypes.bfloat16))
    found = server.grpc.infer("bits", [given], client_timeout=60)
    assert found.get_output("y").datatype == "BF16"
    assert np.array_equal(found.as_numpy("y").astype(np.float32), X)


def test_requests_of_a_batch_are_joined(server: Server) -> None:
    server.need("one")
    before = server.grpc.get_inference_statistics("one").model_stats[0].execution_count
    waiting = []
    for n in range(2):
        given = grpcclient.InferInput("x", [2, 3], "FP32")
        given.set_data_from_numpy(X * n)
        answers: list = []
        server.grpc.async_infer("one", [given], lambda result, error, to=answers: to.append((result, error)))
        waiting.append(answers)
    until(lambda: all(waiting), "both answers are there")
    for n, ((result, error),) in enumerate(waiting):
        assert error is None
        assert np.array_equal(result.as_numpy("y"), X * n)
    assert server.grpc.get_inference_statistics("one").model_stats[0].execution_count == before + 1


def test_completion(server: Server) -> None:
    server.need("bare", "shaped", "plain")
    bare = server.grpc.get_model_config("bare", as_json=True)["config"]
    assert (bare["max_batch_size"], bare["instance_group"][0]["kind"]) == (8, "KIND_GPU")
    assert "dynamic_batching" in bare
    assert [(one["name"], one["data_type"], one["dims"]) for one in bare["input"]] == [("x", "TYPE_FP32", ["3"])]
    shaped = server.grpc.get_model_config("shaped", as_json=True)["config"]
    assert [(one["name"], one["dims"], one.get("is_shape_tensor")) for one in shaped["input"] + shaped["output"]] == [
        ("x", ["3"], None),
        ("size", ["2"], True),
        ("y", ["-1", "-1"], None),
        ("said", ["2"], True),
    ]
    assert server.grpc.get_model_config("plain", as_json=True)["config"]["max_batch_size"] == 2


def test_an_instance_for_each_gpu(server: Server) -> None:
    server.need("bare")
    group = server.grpc.get_model_config("bare", as_json=True)["config"]["instance_group"][0]
    assert group["gpus"] == [0, 1]


def test_shape_tensors(server: Server) -> None:
    server.need("shaped")
    size = np.array([[2, 4], [2, 4]], np.int32)
    assert ask(server, "shaped", X, size=size).shape == (2, 2, 4)
    assert np.array_equal(ask(server, "shaped", X, "said", size=size), size)
    with pytest.raises(Exception, match="all rows of the shape tensor 'size' must have the same values"):
        ask(server, "shaped", X, size=np.array([[2, 4], [2, 3]], np.int32))
    with pytest.raises(Exception, match="shape value at index 2 is expected to be in range from 1 to 4, Got: 5"):
        ask(server, "shaped", X, size=np.array([[2, 5], [2, 5]], np.int32))


def test_outputs_whose_shape_the_model_finds_out(server: Server) -> None:
    server.need("found")
    for values in ([0, 3, 0, 4], [0], list(range(500))):
        x = np.array(values, np.float32)
        assert np.array_equal(ask(server, "found", x), np.array(np.nonzero(x), np.int32))


def test_the_profile_that_fits(server: Server) -> None:
    server.need("both", "second")
    for shape, profile in (((2, 3), 0), ((4, 3), 0), ((1, 5), 1), ((16, 9), 1)):
        assert set(ask(server, "both", np.zeros(shape, np.float32)).flat) == {profile}
    assert set(ask(server, "second", np.zeros((2, 5), np.float32)).flat) == {1}
    with pytest.raises(Exception, match="model expected the shape of dimension 1 to be between 5 and 9 but received 3"):
        ask(server, "second", np.zeros((2, 3), np.float32))
    with pytest.raises(Exception, match=r"none of the instance's profiles \[0,1\] fits"):
        ask(server, "both", np.zeros((2, 4), np.float32))


def test_the_profile_that_triton_takes(server: Server) -> None:
    """Triton compares each size of a request with the best one of the place after, so 64 has no part in it."""
    server.need("overlapping", "unbatched_profiles")
    for shape, batched, unbatched in (((2, 8), 0, 0), ((6, 8), 1, 0), ((8, 8), 1, 0), ((8, 64), 1, 0)):
        x = np.zeros(shape, np.float32)
        assert set(ask(server, "overlapping", x).flat) == {batched}
        assert set(ask(server, "unbatched_profiles", x).flat) == {unbatched}


@pytest.mark.parametrize("model", REFUSED)
def test_configs_and_plans_that_do_not_fit(server: Server, model: str) -> None:
    reason = server.load(model)
    assert REFUSED[model][2] in reason
    assert "TritonModelException" not in reason


def test_files_that_cannot_be_read(server: Server) -> None:
    assert "Magic tag does not match" in server.load("damaged")
    assert "unable to load plan file to auto complete config: " in server.load("empty")


def test_nothing_is_left_on_the_gpu(driver: Path, tmp_path: Path) -> None:
    """The backend alone, in a process: what it took of the GPU is given back."""
    plans.put(tmp_path / "m", **SHAPED)
    program = """
import ctypes, json, pathlib, sys
import numpy as np
import triton_python_backend_utils as pb_utils
pb_utils.get_model_dir = lambda: str(pathlib.Path(sys.argv[1]))
import model
config = {"name": "m", "default_model_filename": "model.plan", "instance_group": [{"name": "m_0", "kind": "KIND_GPU"}]}
completed = model.TritonPythonModel.auto_complete_config(pb_utils.ModelConfig(config)).as_dict()
del completed["dynamic_batching"]
cuda = ctypes.CDLL("libcuda.so.1")
before = cuda.fake_left()
one = model.TritonPythonModel()
one.initialize({"model_config": json.dumps(completed), "model_instance_name": "m_0_gpu0", "model_name": "m",
                "model_instance_kind": "GPU", "model_instance_device_id": "0"})
given = [pb_utils.Tensor("x", np.ones((2, 3), np.float32)), pb_utils.Tensor("size", np.ones((2, 2), np.int32))]
request = pb_utils.InferenceRequest("", 0, given, ["y"], "m")
for answer in one.execute([request]):
    assert answer.error() is None or not answer.has_error(), answer.error()
assert cuda.fake_left() > before
one.finalize()
print(cuda.fake_left() - before)
"""
    library = Path(__file__).parents[1] / "lib"
    paths = [FAKE, library, library / "backends" / "tensorrt"]
    environment = {"LD_LIBRARY_PATH": str(driver), "FAKE_GPUS": "1", "PYTHONPATH": os.pathsep.join(map(str, paths))}
    command = [sys.executable, "-B", "-c", program, str(tmp_path / "m" / "1")]
    told = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, check=False)
    assert (told.stdout.strip(), told.returncode) == ("0", 0), told.stderr


def test_older_versions(served: Served, tmp_path: Path) -> None:
    """TensorRT 8.6 has other functions."""
    old = {"version": (8, 6, 1, 6)}
    write(tmp_path, "bare", "", old)
    write(tmp_path, "shaped", "", {**SHAPED, **old})
    write(tmp_path, "found", CONFIGS["found"][0], {**FOUND, **old})
    write(tmp_path, "both", CONFIGS["both"][0], {**PROFILED, **old})
    server = served(tmp_path, version="8.6.1")
    server.need("bare", "shaped", "found", "both")
    assert np.array_equal(ask(server, "bare", X), X)
    assert ask(server, "shaped", X, size=np.array([[2, 4], [2, 4]], np.int32)).shape == (2, 2, 4)
    assert np.array_equal(ask(server, "found", np.array([0, 3, 0, 4], np.float32)), [[1, 3]])
    assert set(ask(server, "both", np.zeros((1, 5), np.float32)).flat) == {1}


def test_too_old_and_portable(served: Served, tmp_path: Path) -> None:
    write(tmp_path, "bare", "", {"version": (8, 4, 0, 0)})
    assert "TensorRT 8.4.3 is too old: version 8.5 or newer is needed" in served(tmp_path, version="8.4.3").load("bare")
    write(tmp_path, "portable", "", {"version": (8, 6, 1, 6), "version_compatible": True})
    assert "the plan was made by TensorRT 8.6.1.6" in served(tmp_path).load("portable")
    server = served(tmp_path, "--backend-config=tensorrt,version-compatible=true")
    server.need("portable")
    assert np.array_equal(ask(server, "portable", X), X)


def test_without_a_gpu(served: Served, tmp_path: Path) -> None:
    """Nobody is asked to install gigabytes that could not be used."""
    write(tmp_path, "bare", "", {})
    reason = served(tmp_path, gpus=0).load("bare")
    begin = "unable to load model 'bare', TensorRT backend supports only GPU device: CUDA finds no GPU on this machine "
    needs = "the model needs an NVIDIA GPU and TensorRT, and does not run on the CPU in their place"
    assert begin + f"(no CUDA-capable device is detected); {needs}" in reason


def test_without_the_package(served: Served, tmp_path: Path) -> None:
    """The package is offered in the version that the plan needs."""
    write(tmp_path, "bare", "", {"version": (9, 1, 0, 4)})
    reason = served(tmp_path, f"--backend-config=python,interpreter={sys.executable}").load("bare")
    assert "model 'bare' needs the Python module 'tensorrt' for backend 'tensorrt'" in reason
    assert "-m pip install 'tensorrt==9.1.0.*'" in reason
