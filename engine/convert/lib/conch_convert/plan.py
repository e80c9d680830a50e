"""Builds a plan with TensorRT, and runs the requests on it as the backend does that serves it."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from conch_convert.events import Events, RefusedError
from conch_convert.job import Feed, Job
from conch_convert.measure import usual

ROUNDS = 50
PRECISIONS = {"fp32": (), "tf32": ("TF32",), "fp16": ("FP16",), "bf16": ("BF16",)}


def make(job: Job, events: Events) -> dict[str, Any]:
    """Build the plan, try it, and say what came of it."""
    library = Path(job.more["library"])
    sys.path[:0] = [str(library), str(library / "backends" / "tensorrt")]
    try:
        import tensorrt as trt
    except ImportError as error:
        raise RefusedError(f"TensorRT cannot be imported by {sys.executable}: {error}") from error
    from triton_python_backend_utils import TritonModelException
    from trt_cuda import Gpu, gpus_like

    try:
        gpu = _gpu(Gpu, int(job.plan.get("device", 0)), TritonModelException)
        job.out.mkdir()
        made = job.out / job.name
        made.write_bytes(_build(trt, job, events))
        said = _tried(job, events, made, gpu, f"TensorRT {trt.__version__}")
        return {**said, "gpus": gpus_like(int(job.plan.get("device", 0)))}
    except TritonModelException as error:
        raise RefusedError(str(error)) from error


def _gpu(kind: Any, number: int, failure: type[Exception]) -> Any:
    """Open the GPU with a number."""
    try:
        return kind(number)
    except failure as error:
        raise RefusedError(f"GPU {number} cannot be used: {error}") from error


def _build(trt: Any, job: Job, events: Events) -> bytes:
    """Build a plan of the model."""
    from trt_plan import Log

    log = Log()
    trt.init_libnvinfer_plugins(log, "")
    builder = trt.Builder(log)
    network = builder.create_network(_flags(trt))
    events.step("TensorRT reads the model")
    parser = trt.OnnxParser(network, log)
    if not parser.parse_from_file(str(job.model)):
        said = "; ".join(str(parser.get_error(number).desc()) for number in range(parser.num_errors))
        raise RefusedError(f"TensorRT {trt.__version__} cannot read the model: {said or log.why()}")
    config = builder.create_builder_config()
    _precision(trt, builder, config, network, job.plan.get("precision", "fp32"))
    if job.plan.get("workspace"):
        config.set_memory_pool_limit(trt.MemoryPoolType.WORKSPACE, int(job.plan["workspace"]))
    _profiles(builder, config, network, job.plan.get("profiles") or [])
    _watch(trt, config, events)
    events.step("TensorRT builds the plan")
    plan = builder.build_serialized_network(network, config)
    if plan is None:
        raise RefusedError(f"TensorRT {trt.__version__} built no plan: {log.why()}")
    return bytes(plan)


def _flags(trt: Any) -> int:
    """Give the flags of a network: before TensorRT 10 a batch has to be asked for that is a dimension of its own."""
    found = getattr(trt.NetworkDefinitionCreationFlag, "EXPLICIT_BATCH", None)
    return 0 if found is None or int(trt.__version__.split(".")[0]) >= 10 else 1 << int(found)


def _precision(trt: Any, builder: Any, config: Any, network: Any, precision: str) -> None:
    """Let TensorRT choose the precision and higher ones. A model that is quantized says itself where it is INT8."""
    if precision not in PRECISIONS:
        raise RefusedError(f"'{precision}' is no precision: say {', '.join(PRECISIONS)}")
    if precision != "tf32" and hasattr(trt.BuilderFlag, "TF32"):
        config.clear_flag(trt.BuilderFlag.TF32)  # it is on where nobody says otherwise
    wanted = list(PRECISIONS[precision])
    kinds = {str(network.get_layer(number).type).split(".")[-1] for number in range(network.num_layers)}
    if kinds & {"QUANTIZE", "DEQUANTIZE"}:
        wanted.append("INT8")
    for name in wanted:
        flag = getattr(trt.BuilderFlag, name, None)
        if flag is None:
            raise RefusedError(f"TensorRT {trt.__version__} has no flag {name}: choose another precision")
        config.set_flag(flag)


def _profiles(builder: Any, config: Any, network: Any, profiles: list[dict[str, Any]]) -> None:
    """Add the profiles. Each input whose shape varies needs a range in each of them. TensorRT numbers them from 0."""
    inputs = [network.get_input(number) for number in range(network.num_inputs)]
    varies = [entry for entry in inputs if -1 in tuple(entry.shape)]
    for entry in inputs:
        if getattr(entry, "is_shape_tensor", False):
            raise RefusedError(
                f"input '{entry.name}' holds a shape, and Conch builds no plans of such models: use trtexec"
            )
    if varies and not profiles:
        profiles = [{}]
    known = {entry.name for entry in inputs}
    for number, given in enumerate(profiles):
        unknown = sorted(set(given) - known)
        if unknown:
            has = ", ".join(sorted(known))
            raise RefusedError(f"the model has no input '{unknown[0]}', which profile {number} names; it has {has}")
        profile = builder.create_optimization_profile()
        for entry in varies:
            shapes = _range(entry.name, list(entry.shape), given.get(entry.name), f"profile {number}")
            profile.set_shape(entry.name, *map(tuple, shapes))
        if varies and config.add_optimization_profile(profile) < 0:
            raise RefusedError(f"TensorRT does not take profile {number}: {given}")


def _range(name: str, has: list[int], given: list[list[int]] | None, where: str) -> list[list[int]]:
    """Check the least, best and largest shape of an input: where TensorRT refuses one, it does not say why."""
    begin = f"input '{name}' has shape {has}: "
    if given is None:
        raise RefusedError(f"{begin}say the least, best and largest shape of it in {where}")
    for shape in given:
        fits = len(shape) == len(has) and all(
            size == fixed or fixed < 0 <= size for size, fixed in zip(shape, has, strict=True)
        )
        if not fits:
            raise RefusedError(f"{begin}shape {shape} in {where} does not fit it")
    for least, best, most in zip(*given, strict=True):
        if not least <= best <= most:
            raise RefusedError(f"{begin}in {where} each size must be least <= best <= largest, and {given} is not so")
    return given


def _watch(trt: Any, config: Any, events: Events) -> None:
    """Tell how far the build is. TensorRT tells since version 8.6."""
    if not hasattr(trt, "IProgressMonitor"):
        return

    class Monitor(trt.IProgressMonitor):  # type: ignore[misc]
        def __init__(self) -> None:
            trt.IProgressMonitor.__init__(self)
            self._steps: dict[str, int] = {}

        def phase_start(self, phase_name: str, parent_phase: str | None, num_steps: int) -> None:
            self._steps[phase_name] = num_steps

        def step_complete(self, phase_name: str, step: int) -> bool:
            events.progress(f"TensorRT builds the plan: {phase_name}", step + 1, self._steps.get(phase_name, 0))
            return True

        def phase_finish(self, phase_name: str) -> None:
            self._steps.pop(phase_name, None)

    config.progress_monitor = Monitor()


def _tried(job: Job, events: Events, made: Path, gpu: Any, tool: str) -> dict[str, Any]:
    """Run the requests on the plan."""
    from trt_complete import largest_batch
    from trt_plan import Plan
    from trt_profile import opened
    from trt_run import Runner

    plan = Plan(made)
    numbers = range(plan.engine.num_optimization_profiles)
    runner = Runner(plan, gpu, opened({}, plan, numbers, "the new plan", gpu.stream), "the new plan")
    gpu.wait()
    first = plan.inputs[0]

    def run(feed: Feed) -> Feed:
        return runner.run(feed, feed[first].shape[0] if plan.shape(first)[:1] == [-1] else 1)

    feeds = [{name: array.astype(runner.types[name]) for name, array in feed.items()} for feed in job.feeds()]
    results = []
    for number, feed in enumerate(feeds):
        events.progress("running the requests on the plan", number, len(feeds))
        results.append({"before": [], "after": job.write(f"{number}/after", run(feed))})
    times = {}
    if feeds:
        times = {"after": _time(run, feeds, events), "runs": ROUNDS}
    files = [{"name": job.name, "bytes": made.stat().st_size}]
    runner.close()
    return {
        "files": files,
        "notes": [],
        "tool": tool,
        "tensors": _tensors(plan),
        "profiles": len(numbers),
        "largest_batch": max((largest_batch(plan, number) for number in numbers), default=0),
        "results": results,
        "times": times,
    }


def _time(run: Any, feeds: list[Feed], events: Events) -> dict[str, float]:
    took = []
    for number in range(ROUNDS):
        events.progress("measuring how long the plan takes", number, ROUNDS)
        begun = time.perf_counter()
        run(feeds[number % len(feeds)])
        took.append((time.perf_counter() - begun) * 1000)
    return usual(took, len(feeds))


def _tensors(plan: Any) -> list[dict[str, Any]]:
    """Describe the plan's tensors, for the config."""
    found = []
    for name in (*plan.inputs, *plan.outputs):
        shape, is_input = plan.shape(name), name in plan.inputs
        found.append({"name": name, "input": is_input, "datatype": plan.type(name), "shape": shape})
    return found
