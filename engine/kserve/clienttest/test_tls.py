"""tritonclient against conch serve with TLS on both ports."""

import shutil
import subprocess
from pathlib import Path

import pytest
import tritonclient.grpc as grpcclient
import tritonclient.http as httpclient
from conftest import serving
from sample import add_sub_inputs, check_add_sub

KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"]


def openssl(folder: Path, *args: str) -> None:
    program = shutil.which("openssl")
    if not program:
        pytest.fail("this test makes certificates with the program openssl: install it")
    subprocess.run([program, *args], cwd=folder, check=True, capture_output=True)


def certificates(folder: Path) -> None:
    """An authority, and certificates for a server and a client that it signs."""
    openssl(folder, "req", "-x509", *KEY, "-keyout", "root.key", "-out", "root.crt", "-subj", "/CN=root")
    (folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1")
    for name in ("server", "client"):
        openssl(folder, "req", *KEY, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", "/CN=localhost")
        sign = ["-CA", "root.crt", "-CAkey", "root.key", "-CAcreateserial", "-extfile", "names"]
        openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-out", f"{name}.crt", *sign)


def flags(protocol: str, folder: Path, mutual: bool) -> list[str]:
    use = f"--{protocol}-use-ssl-mutual" if mutual else f"--{protocol}-use-ssl"
    return [
        use,
        f"--{protocol}-server-cert={folder / 'server.crt'}",
        f"--{protocol}-server-key={folder / 'server.key'}",
        f"--{protocol}-root-cert={folder / 'root.crt'}",
    ]


@pytest.mark.parametrize("mutual", [False, True])
def test_tls(tmp_path: Path, mutual: bool) -> None:
    certificates(tmp_path)
    root = str(tmp_path / "root.crt")
    own = {"certfile": str(tmp_path / "client.crt"), "keyfile": str(tmp_path / "client.key")} if mutual else {}
    with serving(tmp_path, *flags("grpc", tmp_path, mutual), *flags("http", tmp_path, mutual), tls=tmp_path) as server:
        grpc = grpcclient.InferenceServerClient(
            server.grpc,
            ssl=True,
            root_certificates=root,
            private_key=own.get("keyfile"),
            certificate_chain=own.get("certfile"),
        )
        check_add_sub(grpc.infer("add_sub", add_sub_inputs(grpcclient)))
        grpc.close()
        http = httpclient.InferenceServerClient(server.http, ssl=True, ssl_options={"ca_certs": root, **own})
        check_add_sub(http.infer("add_sub", add_sub_inputs(httpclient)))
        http.close()
