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
STUBS = Path(__file__).parent / "stubs"
FILES = (PROTOS / "grpc_service.proto", IMPORTS / "model_config.proto")
# Where Debian keeps the classes of its packages, and the libraries that a client in Java needs.
CLASSES = Path("/usr/share/java")
LIBRARIES = ("grpc-netty", "grpc-protobuf", "grpc-stub", "netty-all", "protobuf", "perfmark-api")
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


def tools_or_skip(*names: str) -> list[str]:
    """Give the paths of programs; where one is missing the test is skipped."""
    found = {name: shutil.which(name) for name in names}
    if missing := [name for name, path in found.items() if path is None]:
        pytest.skip(f"this machine lacks {', '.join(missing)}")
    return [path for path in found.values() if path is not None]


def run(command: list[str | os.PathLike], environment: dict[str, str] | None = None) -> str:
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def generate(protoc: str, plugin: str, language: str, folder: Path) -> None:
    """Write the stubs of a language into a folder."""
    made = [f"--{language}_out={folder}", f"--grpc_out={folder}", f"--plugin=protoc-gen-grpc={plugin}"]
    run([protoc, f"-I{PROTOS}", f"-I{IMPORTS}", *made, *FILES])


def check(printed: str) -> None:
    answer = json.loads(printed)
    assert (answer["name"], answer["id"], answer["outputs"]) == ("triton", "7", ["OUTPUT0", "OUTPUT1"])
    assert answer["sums"] == [[101 + 2 * i for i in range(16)], [99] * 16]
    assert answer["refusal"] == {"code": 5, "details": "Request for unknown model: 'nosuch' is not found"}


def test_javascript(server: Server) -> None:
    node, environment = node_or_skip()
    check(run([node, STUBS / "client.cjs", PROTOS, IMPORTS, server.grpc], environment))


def test_cpp(server: Server, tmp_path: Path) -> None:
    protoc, plugin, compiler, config = tools_or_skip("protoc", "grpc_cpp_plugin", "g++", "pkg-config")
    if subprocess.run([config, "--exists", "grpc++", "protobuf"], check=False).returncode != 0:
        pytest.skip("this machine lacks the headers of gRPC for C++: libgrpc++-dev has them in Debian")
    generate(protoc, plugin, "cpp", tmp_path)
    flags = run([config, "--cflags", "--libs", "grpc++", "protobuf"]).split()
    program = tmp_path / "client"
    run([compiler, f"-I{tmp_path}", STUBS / "client.cpp", *tmp_path.glob("*.pb.cc"), "-o", program, *flags])
    check(run([program, server.grpc]))


def test_java(server: Server, tmp_path: Path) -> None:
    protoc, plugin, java, javac = tools_or_skip("protoc", "grpc_java_plugin", "java", "javac")
    if missing := [name for name in LIBRARIES if not (CLASSES / f"{name}.jar").exists()]:
        packages = "libgrpc-java, libnetty-java, libprotobuf-java and libperfmark-java"
        pytest.skip(f"{CLASSES} lacks {', '.join(missing)}: {packages} have them in Debian")
    generate(protoc, plugin, "java", tmp_path)
    path = os.pathsep.join([str(tmp_path), f"{CLASSES}/*"])
    run([javac, "-cp", path, "-d", tmp_path, STUBS / "Client.java", *tmp_path.rglob("*.java")])
    check(run([java, "-cp", path, "Client", server.grpc]))
