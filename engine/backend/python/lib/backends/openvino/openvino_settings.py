"""The parameters of a config that the OpenVINO backend reads (docs/triton/backends.md, "OpenVINO")."""

from __future__ import annotations

from typing import Any

import openvino as ov

import triton_python_backend_utils as pb_utils

_HINTS = ("LATENCY", "THROUGHPUT", "CUMULATIVE_THROUGHPUT")


def text(config: dict[str, Any], key: str) -> str:
    """Give the value of a parameter, in capitals; empty when it is not given."""
    return config.get("parameters", {}).get(key, {}).get("string_value", "").upper()


def refused(key: str, wanted: str, got: str) -> pb_utils.TritonModelException:
    """Make the error for a value."""
    return pb_utils.TritonModelException(f"expected the parameter '{key}' to be {wanted}, got {got.lower()}")


def flag(config: dict[str, Any], key: str) -> bool:
    """Give the value of a parameter that is YES or NO."""
    given = text(config, key)
    if given not in ("", "YES", "NO"):
        raise refused(key, "either YES or NO", given)
    return given == "YES"


def core(config: dict[str, Any]) -> ov.Core:
    """Make OpenVINO's core, with the operators of the model's own library."""
    made = ov.Core()
    library = config.get("parameters", {}).get("CPU_EXTENSION_PATH", {}).get("string_value", "")
    if library:
        made.add_extension(library)
    return made


def device(config: dict[str, Any], args: dict[str, str], core: ov.Core) -> str:
    """Give OpenVINO's name of the device: the parameter's, or that of the instance's kind."""
    wanted = text(config, "TARGET_DEVICE") or ("GPU" if args["model_instance_kind"] == "GPU" else "CPU")
    family = wanted.split(":")[0].split(".")[0]
    there = {one.split(".")[0] for one in core.available_devices} | {"AUTO", "MULTI", "HETERO"}
    if family not in there:
        raise pb_utils.TritonModelException(
            f"OpenVINO has no device '{wanted}' on this machine; it has {', '.join(core.available_devices)}"
        )
    return wanted


def properties(config: dict[str, Any], core: ov.Core, device: str) -> dict[str, Any]:
    """Give the settings for compiling, without those that the device does not have."""
    known = core.get_property(device.split(":")[0], "SUPPORTED_PROPERTIES")
    return {key: value for key, value in asked(config).items() if key in known or key == "PERFORMANCE_HINT"}


def asked(config: dict[str, Any]) -> dict[str, Any]:
    """Give the settings that the config asks for."""
    found: dict[str, Any] = {"PERFORMANCE_HINT": text(config, "PERFORMANCE_HINT") or "LATENCY"}
    if found["PERFORMANCE_HINT"] not in _HINTS:
        raise refused("PERFORMANCE_HINT", "LATENCY/THROUGHPUT/CUMULATIVE_THROUGHPUT", found["PERFORMANCE_HINT"])
    for key in ("INFERENCE_NUM_THREADS", "COMPILATION_NUM_THREADS"):
        if given := text(config, key):
            found[key] = number(key, given, "a non-negative number")
    if flag(config, "HINT_BF16"):
        found["INFERENCE_PRECISION_HINT"] = "bf16"
    if streams := text(config, "NUM_STREAMS"):
        wanted = "a non-negative number or AUTO/NUMA"
        found["NUM_STREAMS"] = streams if streams in ("AUTO", "NUMA") else str(number("NUM_STREAMS", streams, wanted))
    return found


def number(key: str, given: str, wanted: str) -> int:
    """Read a number that is not negative."""
    if not given.isdecimal():
        raise refused(key, wanted, given)
    return int(given)
