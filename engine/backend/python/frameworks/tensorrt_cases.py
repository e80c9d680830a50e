"""Models for the tests of TensorRT: configs, and the plans beside them."""

import models
from faketensorrt import plans

GPU = "instance_group [ { kind: KIND_GPU } ]\n"
PLAN = 'platform: "tensorrt_plan"\n'
BATCH = "max_batch_size: 8\n"
ONE = f"input [ {models.tensor('x', 'FP32', '3')} ]\noutput [ {models.tensor('y', 'FP32', '3')} ]\n"
MARK = "is_shape_tensor: true"
PICKED = f"input [ {models.tensor('x', 'FP32', '-1')} ] output [ {models.tensor('y', 'INT32', '-1')} ]\n"
TWO = [{"x": [[1, 3], [2, 3], [4, 3]]}, {"x": [[1, 5], [8, 5], [16, 9]]}]
SHAPED = {
    "tensors": [
        plans.tensor("x", "INPUT", "FLOAT", (-1, 3)),
        plans.tensor("size", "INPUT", "INT32", (3,), is_shape=True),
        plans.tensor("y", "OUTPUT", "FLOAT", (-1, -1, -1), what="filled"),
        plans.tensor("said", "OUTPUT", "INT32", (3,), is_shape=True, what="size"),
    ],
    "profiles": [{"x": [[1, 3], [4, 3], [8, 3]], "size": [[1, 1, 1], [2, 2, 2], [8, 4, 4]]}],
}
FOUND = {
    "tensors": [
        plans.tensor("x", "INPUT", "FLOAT", (-1,)),
        plans.tensor("y", "OUTPUT", "INT32", (2, -1), what="nonzero"),
    ],
    "profiles": [{"x": [[1], [4], [600]]}],
}
PROFILED = {
    "tensors": [
        plans.tensor("x", "INPUT", "FLOAT", (-1, -1)),
        plans.tensor("y", "OUTPUT", "INT32", (-1, -1), what="profile"),
    ],
    "profiles": TWO,
}
OVERLAPPING = {
    **PROFILED,
    "profiles": [{"x": [[1, 1], best, [16, 512]]} for best in ([2, 8], [8, 8], [8, 64])],
}
CONFIGS: dict[str, tuple[str, dict]] = {
    "bare": ("", {}),
    "one": (BATCH + ONE + "dynamic_batching { max_queue_delay_microseconds: 200000 }", {}),
    "plain": ("", {"shape": (2, 3), "profiles": [{}]}),
    "unbatched": (ONE.replace("[ 3 ]", "[ -1, 3 ]"), {}),
    "bits": ("", {"kind": "BF16"}),
    "halves": ("", {"kind": "HALF"}),
    "shaped": ("", SHAPED),
    "found": ("input [ { name: 'x' dims: [ -1 ] } ] output [ { name: 'y' dims: [ 2, -1 ] } ]\n", FOUND),
    "both": ("instance_group [ { kind: KIND_GPU gpus: [ 1 ] profile: [ '0', '1' ] } ]", PROFILED),
    "second": ("instance_group [ { kind: KIND_GPU gpus: [ 0 ] profile: [ '1' ] } ]", PROFILED),
    "overlapping": ("instance_group [ { kind: KIND_GPU profile: [ '2', '0', '1', '0' ] } ]", OVERLAPPING),
    "unbatched_profiles": (
        "instance_group [ { kind: KIND_GPU profile: [ '0', '1', '2' ] } ]\n"
        f"input [ {models.tensor('x', 'FP32', '-1, -1')} ] output [ {models.tensor('y', 'INT32', '-1, -1')} ]",
        OVERLAPPING,
    ),
    "named": ("default_model_filename: 'a.plan' cc_model_filenames { key: '8.6' value: 'b.plan' }", {"file": "b.plan"}),
    "growing": (models.parameter("execution_context_allocation_strategy", "ON_PROFILE_CHANGE"), {}),
}
REFUSED: dict[str, tuple[str, dict, str]] = {
    "narrow": (
        "instance_group [ { kind: KIND_GPU profile: [ '0', '1' ] } ]\n"
        f"input [ {models.tensor('x', 'FP32', '3')} ] output [ {models.tensor('y', 'INT32', '-1')} ]",
        PROFILED,
        "model configuration specified invalid shape for input 'x' for model narrow. Error details: model expected the "
        "shape of dimension 1 to be between 5 and 9 but received 3",
    ),
    "texts": (
        BATCH + GPU + ONE.replace("FP32", "STRING"),
        {},
        "unsupported datatype TYPE_STRING for input 'x' for model 'texts': TensorRT has no tensors of text",
    ),
    "version": (
        "",
        {"version": (9, 1, 0, 4)},
        "the plan was made by TensorRT 9.1.0.4, and TensorRT 10.3.0 runs here: make the plan again with this version, "
        "or write tensorrt==9.1.0.* into a requirements.txt in the model's folder",
    ),
    "gpu": (
        "",
        {"compute": "9.0"},
        "the plan was made for GPUs of compute capability 9.0, and this GPU has 8.6: make the plan again on this GPU",
    ),
    "largest": (
        "max_batch_size: 9",
        {},
        "autofill failed for model 'largest': configuration specified max-batch 9 but TensorRT engine only supports "
        "max-batch 8",
    ),
    "called": (ONE.replace('"x"', '"z"'), {}, "unexpected inference input 'z', allowed inputs are: x"),
    "types": (
        BATCH + ONE.replace("FP32", "FP16"),
        {},
        "unexpected datatype TYPE_FP32 for inference input 'x', expecting",
    ),
    "dims": (
        BATCH + ONE.replace("[ 3 ]", "[ 4 ]"),
        {},
        "model 'dims', tensor 'x': the model expects 2 dimensions (shape [-1,3]) but the model configuration specifies "
        "2 dimensions (an initial batch dimension because max_batch_size > 0 followed by the explicit tensor shape, "
        "making complete shape [-1,4])",
    ),
    "profile": (
        "instance_group [ { kind: KIND_GPU profile: [ '2' ] } ]",
        PROFILED,
        "unable to autofill for 'profile', configuration specified invalid profile 2 . Number of profiles supported by "
        "TensorRT engine: 2",
    ),
    "marked": (
        BATCH + ONE.replace("dims: [ 3 ]", f"dims: [ 3 ] {MARK}", 1),
        {},
        "'x' is incorrectly specified as a shape tensor.",
    ),
    "vectors": (
        "",
        {
            "tensors": [
                plans.tensor("x", "INPUT", "FLOAT", (-1, 3, 4, 4), format="CHW32"),
                plans.tensor("y", "OUTPUT", "FLOAT", (-1, 3, 4, 4), what="copy"),
            ],
            "profiles": [{"x": [[1, 3, 4, 4]] * 3}],
        },
        "input 'x' for model 'vectors' uses a non-linear IO format, which Conch does not run",
    ),
    "processor": (
        "instance_group [ { kind: KIND_CPU } ]",
        {},
        "unable to load model 'processor', TensorRT backend supports only GPU device: the config puts no instance on "
        "one",
    ),
    "strategy": (
        models.parameter("execution_context_allocation_strategy", "SOMETIMES"),
        {},
        "Invalid value for 'execution_context_allocation_strategy': 'SOMETIMES' for model instance 'strategy'. "
        "Supported values are 'STATIC' and 'ON_PROFILE_CHANGE'.",
    ),
}
