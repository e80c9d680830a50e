"""Loads that fail, configs that models complete, and the life of a model."""

import json
import shutil
import sys
import tarfile
from pathlib import Path

import numpy as np
import pytest
from answers import Says
from clients import Client
from serving import Server, python_version, serving, until

CONFIG = """backend: "python"
input { name: "ASK" data_type: TYPE_STRING dims: 1 }
output { name: "SAID" data_type: TYPE_STRING dims: 1 }
"""
CLASS = "class TritonPythonModel:\n"
EXECUTE = "    def execute(self, requests):\n        return []\n"
BROKEN = {
    "no class": "x = 1\n",
    "no execute": CLASS + "    def initialize(self, args):\n        pass\n",
    "syntax error": "def f(:\n    pass\n",
    "open bracket": CLASS + EXECUTE + "    x = (1,\n",
    "no such module": "import not_there_at_all\n" + CLASS + EXECUTE,
    "error in the module": "raise ValueError('while it is imported')\n" + CLASS + EXECUTE,
    "initialize raises": CLASS
    + "    def initialize(self, args):\n        raise ValueError('from initialize')\n"
    + EXECUTE,
    "initialize without args": CLASS + "    def initialize(self):\n        pass\n" + EXECUTE,
    "constructor raises": CLASS
    + "    def __init__(self):\n        raise ValueError('from the constructor')\n"
    + EXECUTE,
    "constructor with an argument": CLASS + "    def __init__(self, x):\n        pass\n" + EXECUTE,
    "initialize exits": "import sys\n" + CLASS + "    def initialize(self, args):\n        sys.exit(3)\n" + EXECUTE,
    "initialize crashes": "import os\n" + CLASS + "    def initialize(self, args):\n        os._exit(3)\n" + EXECUTE,
    "call in initialize": "import triton_python_backend_utils as pb\n" + CLASS + "    def initialize(self, args):\n"
    "        pb.InferenceRequest(model_name='add_sub', inputs=[], requested_output_names=[]).exec()\n" + EXECUTE,
    "class is a function": "def TritonPythonModel():\n    return 7\n",
    "empty file": "",
    "initialize gives something": CLASS + "    def initialize(self, args):\n        return 7\n" + EXECUTE,
}


def lay(server: Server, name: str, source: str | None, config: str = CONFIG) -> None:
    """Put a model into the repository."""
    folder = server.repository / name
    (folder / "1").mkdir(parents=True)
    (folder / "config.pbtxt").write_text(config)
    if source is not None:
        (folder / "1" / "model.py").write_text(source)


# What Python 3.9 says in other words.
SINCE_3_10 = {"open bracket", "initialize without args", "constructor with an argument"}


@pytest.mark.parametrize("name", BROKEN)
def test_broken(grpc: Client, says: Says, name: str) -> None:
    if name in SINCE_3_10 and python_version() < (3, 10):
        pytest.skip("Python 3.9 has other words for this")
    model = name.replace(" ", "_")
    lay(grpc.server, model, BROKEN[name])
    said = grpc.server.load(model)
    says(name, said)
    if said == "loaded":
        says(f"{name}: a request", grpc.ask(model))
        grpc.server.unload(model)


def test_no_file(tmp_path: Path, says: Says) -> None:
    """The real server never comes back from this load."""
    with serving(tmp_path) as server:
        lay(server, "no_file", None)
        says("load", server.load("no_file", timeout=10), of=server)


def test_another_file(grpc: Client) -> None:
    """default_model_filename names the file."""
    source = (grpc.server.repository / "add_sub" / "1" / "model.py").read_text()
    config = (grpc.server.repository / "add_sub" / "config.pbtxt").read_text()
    lay(grpc.server, "other_file", None, config + 'default_model_filename: "other.py"\n')
    (grpc.server.repository / "other_file" / "1" / "other.py").write_text(source)
    assert grpc.server.load("other_file") == "loaded"
    one = np.ones([1, 4], np.float32)
    assert grpc.infer("other_file", {"INPUT0": one, "INPUT1": one}).outputs["OUTPUT0"].tolist() == [[2] * 4]


PARAMETERS = {
    "FORCE_CPU_ONLY_INPUT_TENSORS": ["yes", "no", "YES", ""],
    "EXECUTION_ENV_PATH": ["/nowhere/env.tar.gz", "$$TRITON_MODEL_DIRECTORY/absent", ""],
}


@pytest.mark.parametrize("key,value", [(k, v) for k, values in PARAMETERS.items() for v in values])
def test_parameters_of_the_backend(grpc: Client, says: Says, key: str, value: str) -> None:
    model = f"parameter_{key.lower()}_{'_'.join(filter(str.isalnum, value))}"
    lay(
        grpc.server,
        model,
        CLASS + EXECUTE,
        CONFIG + f'parameters {{ key: "{key}" value {{ string_value: "{value}" }} }}\n',
    )
    says(f"{key}={value}", grpc.server.load(model))


WAYS = [
    "all", "nothing", "optional", "decoupled", "empty policy", "odd policy", "batch", "negative batch", "batching",
    "input twice", "input of another type", "input of other dims", "input now optional", "output of another type",
    "output of other dims", "input without name", "input without type", "input without dims", "output without name",
    "output without type", "output without dims", "odd input", "odd input without name", "odd output",
    "type of another world", "dim 0", "raise", "call", "return nothing",
]  # fmt: skip
KEPT = ("max_batch_size", "input", "output", "dynamic_batching", "model_transaction_policy")
IN = {"name": "IN", "data_type": "TYPE_FP32", "dims": [4]}
OUT = {"name": "OUT", "data_type": "TYPE_FP32", "dims": [4]}
GIVEN = {
    "no dims, no type": ("all", {"input": [{"name": "IN"}], "output": [{"name": "OUT"}]}),
    "the same": ("all", {"max_batch_size": 4, "input": [IN], "output": [OUT], "dynamic_batching": {}}),
    "more tensors": ("optional", {"input": [{**IN, "name": "X"}], "output": [{**OUT, "name": "Y"}]}),
    "a larger batch": ("batch", {"max_batch_size": 16, "input": [IN], "output": [OUT]}),
    "another type": ("all", {"input": [{**IN, "data_type": "TYPE_INT32"}], "output": [OUT]}),
    "other dims": ("all", {"input": [{**IN, "dims": [16]}], "output": [OUT]}),
    "not optional": ("optional", {"input": [IN], "output": [OUT]}),
    "not decoupled": ("decoupled", {"model_transaction_policy": {"decoupled": False}, "input": [IN], "output": [OUT]}),
    "a sequence batcher": ("batching", {"max_batch_size": 4, "sequence_batching": {}, "input": [IN], "output": [OUT]}),
}


def complete(grpc: Client, way: str, given: dict) -> object:
    """Load the model with a config, and give what became of the config."""
    parameters = {"do": {"string_value": way}}
    said = grpc.server.load("complete", config=json.dumps({"backend": "python", "parameters": parameters, **given}))
    if said != "loaded":
        return said
    config = grpc.server.http.get_model_config("complete")
    return {k: config[k] for k in KEPT if k in config}


@pytest.mark.parametrize("way", WAYS)
def test_completion(grpc: Client, says: Says, way: str) -> None:
    says(way, complete(grpc, way, {}))


@pytest.mark.parametrize("name", GIVEN)
def test_completion_of_a_given_config(grpc: Client, says: Says, name: str) -> None:
    says(name, complete(grpc, *GIVEN[name]))


def test_a_completed_model_serves(client: Client) -> None:
    client.server.unload("complete") if client.server.reason("complete") != "unloaded" else None
    client.server.need("complete")
    got = client.infer("complete", {"IN": np.ones([2, 4], np.float32)})
    assert got.outputs["OUT"].tolist() == [[2] * 4] * 2


def diary(server: Server) -> list[str]:
    """Read what instances wrote."""
    path = server.repository / "lifecycle.diary"
    return path.read_text().splitlines() if path.exists() else []


def forget(server: Server) -> None:
    (server.repository / "lifecycle.diary").unlink(missing_ok=True)


GROUPS = {
    "none": "",
    "one of two": "instance_group { count: 2 kind: KIND_CPU }",
    "two": "instance_group { name: 'a' count: 1 kind: KIND_CPU } instance_group { name: 'b' count: 2 kind: KIND_CPU }",
    "model": "instance_group { count: 1 kind: KIND_MODEL }",
}


@pytest.mark.parametrize("group", GROUPS)
def test_instances(grpc: Client, says: Says, group: str) -> None:
    """Each instance is made and ended once, and has its name."""
    path = grpc.server.repository / "lifecycle" / "config.pbtxt"
    plain = path.read_text()
    forget(grpc.server)
    path.write_text(plain + GROUPS[group].replace("'", '"'))
    try:
        assert grpc.server.load("lifecycle") == "loaded"
        says(f"{group}: begin", sorted(diary(grpc.server)))
        _name, pid = grpc.ask("lifecycle")
        assert pid != grpc.server.pid
        grpc.server.unload("lifecycle")
        until(lambda: sum("finalize" in line for line in diary(grpc.server)) == len(diary(grpc.server)) / 2, "all end")
        says(f"{group}: all", sorted(diary(grpc.server)))
    finally:
        path.write_text(plain)


@pytest.mark.parametrize("where", ["initialize", "finalize"])
def test_raising_at_begin_and_end(grpc: Client, says: Says, where: str) -> None:
    path = grpc.server.repository / "lifecycle" / "config.pbtxt"
    plain = path.read_text()
    forget(grpc.server)
    path.write_text(plain.replace('string_value: ""', f'string_value: "{where}"'))
    try:
        said = grpc.server.load("lifecycle")
        says(f"{where}: load", said)
        if said == "loaded":
            grpc.server.unload("lifecycle")
            until(lambda: any("finalize" in line for line in diary(grpc.server)), "finalize has run")
        says(f"{where}: diary", diary(grpc.server))
        if where == "finalize":
            until(lambda: "from finalize" in grpc.server.logged(), "the exception is logged")
    finally:
        path.write_text(plain)


def test_versions(grpc: Client) -> None:
    """Each version has its own code and its own process."""
    folder = grpc.server.repository / "arguments"
    shutil.copytree(folder / "1", folder / "3", ignore=shutil.ignore_patterns("__pycache__"))
    config = (folder / "config.pbtxt").read_text()
    try:
        (folder / "config.pbtxt").write_text(config + "version_policy { all {} }\n")
        grpc.server.grpc.load_model("arguments")
        for version in ["1", "3"]:
            got = grpc.infer("arguments", {"ASK": np.array([b"{}"], object)}, model_version=version).outputs["SAID"][0]
            told = json.loads(got)
            assert told["args"]["model_version"] == version
            assert Path(told["model dir"]) == folder / version
    finally:
        shutil.rmtree(folder / "3")
        (folder / "config.pbtxt").write_text(config)
        grpc.server.unload("arguments")


def environment(folder: Path) -> None:
    """Make an execution environment with a module and a variable of its own, as conda-pack would."""
    packages = folder / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    packages.mkdir(parents=True)
    (folder / "bin").mkdir()
    (folder / "bin" / "activate").write_text("export CONFORMANCE=activated\n")
    (folder / "bin" / "python3").symlink_to(Path(sys.executable).resolve())
    (folder / "pyvenv.cfg").write_text(f"home = {Path(sys.executable).resolve().parent}\n")
    (packages / "only_in_environment.py").write_text('NAME = "from the environment"\n')
    (packages / "numpy.pth").write_text(f"{Path(np.__file__).parents[1]}\n")


WHERE = {"folder": "env", "archive": "env.tar.gz"}


@pytest.mark.parametrize("kind", WHERE)
def test_an_execution_environment(grpc: Client, says: Says, kind: str, tmp_path: Path) -> None:
    """EXECUTION_ENV_PATH is activated before the model's Python starts."""
    source = (
        "import importlib.util, json, os\nimport numpy as np\nimport triton_python_backend_utils as pb_utils\n"
        + CLASS
        + "    def execute(self, requests):\n"
        "        has = importlib.util.find_spec('only_in_environment') is not None\n"
        "        said = np.array([json.dumps([has, os.environ['CONFORMANCE']]).encode()], dtype=object)\n"
        "        return [pb_utils.InferenceResponse([pb_utils.Tensor('SAID', said)]) for _ in requests]\n"
    )
    value = "$$TRITON_MODEL_DIRECTORY/" + WHERE[kind]
    model = f"environment_{kind}"
    lay(
        grpc.server,
        model,
        source,
        CONFIG + f'parameters {{ key: "EXECUTION_ENV_PATH" value {{ string_value: "{value}" }} }}\n',
    )
    environment(tmp_path / "env")
    if kind == "folder":
        shutil.copytree(tmp_path / "env", grpc.server.repository / model / "env")
    else:
        with tarfile.open(grpc.server.repository / model / "env.tar.gz", "w:gz") as archive:
            for child in (tmp_path / "env").iterdir():
                archive.add(child, child.name)
    says(f"{kind}: load", grpc.server.load(model))
    says(f"{kind}: a request", grpc.ask(model))


LOADS = "import triton_python_backend_utils as pb\n" + CLASS + EXECUTE
LOADS += "    def initialize(self, args):\n        pb.load_model('OTHER')\n"


def test_models_that_load_each_other(tmp_path: Path, says: Says) -> None:
    """The real server never comes back from this load."""
    with serving(tmp_path) as server:
        lay(server, "hen", LOADS.replace("OTHER", "egg"))
        lay(server, "egg", LOADS.replace("OTHER", "hen"))
        says("load", server.load("hen", timeout=20), of=server)
