"""The optimization profiles of an instance: which of them takes a batch, and what a batch may be."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import tensorrt as trt
from trt_check import dims_of, parameter, profile_number, written
from trt_plan import Plan

import triton_python_backend_utils as pb_utils

_STRATEGY = "execution_context_allocation_strategy"


class Profile:
    """A profile with its execution context, and what its inputs may be."""

    def __init__(self, plan: Plan, number: int, context: Any) -> None:
        self.number, self.context = number, context
        self._ranges = {
            name: plan.values(name, number) if plan.is_shape(name) else plan.range(name, number) for name in plan.inputs
        }
        self._shapes = {name for name in plan.inputs if plan.is_shape(name)}

    def wrong(self, given: dict[str, np.ndarray]) -> tuple[str, str] | None:
        """Give the first input that the profile does not take, and why; None when it takes all."""
        for name, array in given.items():
            why = self.refused(name, self._measure(name, array))
            if why is not None:
                return name, why
        return None

    def refused(self, name: str, found: list[int]) -> str | None:
        """Say why an input cannot have the sizes, of which -1 is any; None when it can."""
        low, _, high = self._ranges[name]
        if len(found) != len(low):
            what = "shape values" if name in self._shapes else "dimensions"
            return f"model expected {len(low)} {what} but received {len(found)} {what}"
        for at, (least, size, most) in enumerate(zip(low, found, high)):
            if size == -1 or least <= size <= most:
                continue
            if name in self._shapes:
                return f"The shape value at index {at} is expected to be in range from {least} to {most}, Got: {size}"
            return f"model expected the shape of dimension {at} to be between {least} and {most} but received {size}"
        return None

    def distance(self, given: dict[str, np.ndarray], size: int) -> int:
        """Say how far a batch of a size is from what the profile is best for, as Triton measures it.

        The size is compared with the first best size, then each size of an input with the best one of the place after.
        """
        return sum(
            abs(best - found)
            for name, array in given.items()
            for best, found in zip(self._ranges[name][1], [size, *self._measure(name, array)])
        )

    def _measure(self, name: str, array: np.ndarray) -> list[int]:
        return array.reshape(-1).tolist() if name in self._shapes else list(array.shape)


def of_instance(config: dict[str, Any], plan: Plan, args: dict[str, str], stream: int) -> list[Profile]:
    """Make the profiles that the instance's group lists; the first one without a list."""
    group = re.sub(r"_\d+(_gpu\d+)?$", "", args["model_instance_name"])
    groups = [one for one in config.get("instance_group", ()) if one.get("name") == group]
    listed = groups[0].get("profile", ()) if groups else ()
    numbers = sorted({profile_number(text) for text in listed} or {0})
    found = opened(config, plan, numbers, args["model_instance_name"], stream)
    for profile in found:
        _compare(config, plan, profile)
    return found


def opened(config: dict[str, Any], plan: Plan, numbers: Iterable[int], instance: str, stream: int) -> list[Profile]:
    """Make profiles, by their numbers."""
    count = plan.engine.num_optimization_profiles
    found = []
    for number in numbers:
        if not 0 <= number < count:
            raise pb_utils.TritonModelException(
                f"Can not set the specified optimization profile {number}[{number}] for {instance}. "
                f"Expected optimization profile index range 0-{count - 1}"
            )
        found.append(Profile(plan, number, _context(config, plan, number, stream)))
    return found


def _compare(config: dict[str, Any], plan: Plan, profile: Profile) -> None:
    """Refuse dims of the config that a profile does not take. Its first size is the batch, where there are batches."""
    for entry in config.get("input", ()):
        name = entry["name"]
        if plan.is_shape(name):
            continue
        sizes = [-1, *dims_of(entry)] if config.get("max_batch_size", 0) > 0 else dims_of(entry)
        why = profile.refused(name, sizes)
        if why is not None:
            raise pb_utils.TritonModelException(
                f"model configuration specified invalid shape for input '{name}' for model {config['name']}. "
                f"Error details: {why}"
            )


def _context(config: dict[str, Any], plan: Plan, number: int, stream: int) -> Any:
    """Make an execution context for a profile."""
    strategy = parameter(config, _STRATEGY) or "STATIC"
    if strategy not in ("STATIC", "ON_PROFILE_CHANGE"):
        raise pb_utils.TritonModelException(
            f"Invalid value for '{_STRATEGY}': '{strategy}' for model instance '{config['name']}'. Supported values "
            "are 'STATIC' and 'ON_PROFILE_CHANGE'."
        )
    # Before TensorRT 10 all contexts are static.
    known = getattr(trt, "ExecutionContextAllocationStrategy", None)
    context = (
        plan.engine.create_execution_context()
        if strategy == "STATIC" or known is None
        else plan.engine.create_execution_context(getattr(known, strategy))
    )
    if context is None:
        raise pb_utils.TritonModelException(f"unable to create TensorRT context: {plan.log.why()}")
    if number != 0:
        try:
            context.set_optimization_profile_async(number, stream)
        except RuntimeError as error:
            raise pb_utils.TritonModelException(
                f"Can not set the specified optimization profile {number}[{number}]: {plan.log.why()}"
            ) from error
    return context


def fitting(profiles: list[Profile], given: dict[str, np.ndarray], size: int, instance: str) -> Profile:
    """Give the profile for a batch of a size: of those that take it the nearest, and the first one of those."""
    fit = [profile for profile in profiles if profile.wrong(given) is None]
    if fit:
        return min(fit, key=lambda profile: profile.distance(given, size))
    name, why = profiles[0].wrong(given) or ("", "")
    text = f"request specifies invalid shape for input '{name}' for {instance}. Error details: {why}"
    if len(profiles) > 1:
        numbers = written([profile.number for profile in profiles])
        text += f" in profile {profiles[0].number}, and none of the instance's profiles {numbers} fits"
    raise pb_utils.TritonModelException(text)
