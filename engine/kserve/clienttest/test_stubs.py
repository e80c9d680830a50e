"""Stubs that others make of our .proto files, against conch serve. Those of Go are tested in build/oracle/scenario."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import Server

PROTOS = Path(__file__).parents[1]
IMPORTS = PROTOS.parents[1] / "configedit" / "modelconfig"
CLIENT = Path(__file__).parent / "stubs" / "client.cjs"
PACKAGES = ("@grpc/grpc-js", "@grpc/proto-loader")


def node_or_skip() -> tuple[str, dict[str, str]]:
    """Give Node.js and an environment in which it finds the packages of gRPC; without them the test is skipped."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None:
        pytest.skip("there is no Node.js on this machine")
    folders = [os.environ.get("NODE_PATH", "")]
    if npm is not None:
        root = subprocess.run([npm, "root", "--global"], capture_output=True, text=True, check=False)
        folders.append(root.stdout.strip())
    environment = {**os.environ, "NODE_PATH": os.pathsep.join(folder for folder in folders if folder)}
    for package in PACKAGES:
        found = subprocess.run([node, "-e", f"require('{package}')"], env=environment, capture_output=True, check=False)
        if found.returncode != 0:
            pytest.skip(
                f"Node.js does not find {package}: install it with npm --global, or name its folder in NODE_PATH"
            )
    return node, environment


def test_javascript(server: Server) -> None:
    node, environment = node_or_skip()
    command = [node, CLIENT, PROTOS, IMPORTS, server.grpc]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 0, run.stderr
    answer = json.loads(run.stdout)
    assert (answer["name"], answer["id"], answer["outputs"]) == ("triton", "7", ["OUTPUT0", "OUTPUT1"])
    assert answer["sums"] == [[101 + 2 * i for i in range(16)], [99] * 16]
    assert answer["refusal"] == {"code": 5, "details": "Request for unknown model: 'nosuch' is not found"}
