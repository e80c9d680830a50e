"""The program of all models here: each output is the input at the same place.

Parameters of a request ask for more: sleep_ms for time, error for an error with this code, and last for the end of a
decoupled model's answers to come with the last of them.
"""

import json
import time

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Answers with its inputs; a decoupled model answers once for each number below its input."""

    def initialize(self, args: dict[str, str]) -> None:
        """Read which tensors there are."""
        config = json.loads(args["model_config"])
        names = ([tensor["name"] for tensor in config[kind]] for kind in ("input", "output"))
        self.pairs = list(zip(*names, strict=True))
        time.sleep(int(config.get("parameters", {}).get("load_ms", {}).get("string_value", 0)) / 1000)
        self.sleepers = pb_utils.MetricFamily(
            name="wire_asleep", description="requests that sleep", kind=pb_utils.MetricFamily.GAUGE
        )
        self.asleep = self.sleepers.Metric(labels={"of": config["name"]})
        self.decoupled = config.get("model_transaction_policy", {}).get("decoupled", False)
        wanted = config.get("parameters", {}).get("gauges", {}).get("string_value", "")
        self.gauges = [self.gauge(*pair.split("=")) for pair in wanted.split(",") if pair]

    def gauge(self, kind: str, value: str) -> object:
        """Make a gauge of the memory for keys and values of a language model."""
        if not hasattr(self, "family"):
            self.family = pb_utils.MetricFamily(
                name="nv_trt_llm_kv_cache_block_metrics", description="blocks", kind=pb_utils.MetricFamily.GAUGE
            )
        made = self.family.Metric(labels={"kv_cache_block_type": kind, "model": "gauges", "version": "1"})
        made.set(float(value))
        return made

    def execute(self, requests: list) -> list | None:
        """Answer each request."""
        if not self.decoupled:
            return [self.echo(request) for request in requests]
        for request in requests:
            self.count_down(request)
        return None

    def echo(self, request: object) -> object:
        """Answer with what came. A request with the ID "fail" fails; an output PARAMETERS tells its parameters."""
        asked = json.loads(request.parameters())
        self.sleep(asked.get("sleep_ms", 0))
        if request.request_id() == "fail":
            return pb_utils.InferenceResponse(error=pb_utils.TritonError("backend says no"))
        if "error" in asked:
            return pb_utils.InferenceResponse(error=failure(asked["error"]))
        wanted = request.requested_output_names()
        tensors = []
        for given, name in self.pairs:
            tensor = pb_utils.get_input_tensor_by_name(request, given)
            if tensor is None or name not in wanted:
                continue
            if name == "PARAMETERS":
                told = json.dumps(asked, sort_keys=True)
                array = tensor.as_numpy()
                array[...] = told.encode()
                tensors.append(pb_utils.Tensor(name, array))
            elif "BF16" in name:
                tensors.append(pb_utils.Tensor.from_dlpack(name, tensor.to_dlpack()))
            else:
                tensors.append(pb_utils.Tensor(name, tensor.as_numpy()))
        return pb_utils.InferenceResponse(tensors)

    def sleep(self, ms: int) -> None:
        """Take time, and show on the metrics page that it is taken."""
        if ms:
            self.asleep.increment(1)
            time.sleep(ms / 1000)
            self.asleep.increment(-1)

    def count_down(self, request: object) -> None:
        """Answer N-1, N-2, … 0, then an empty final response. An error that is asked for comes before the answer 1."""
        asked = json.loads(request.parameters())
        self.sleep(asked.get("sleep_ms", 0))
        sender = request.get_response_sender()
        tensor = pb_utils.get_input_tensor_by_name(request, "N").as_numpy()
        for n in range(int(tensor[0]) - 1, -1, -1):
            if n == 1 and "error" in asked:
                sender.send(pb_utils.InferenceResponse(error=failure(asked["error"])))
            answer = pb_utils.InferenceResponse([pb_utils.Tensor("N", tensor * 0 + n)])
            if n == 0 and asked.get("last"):
                sender.send(answer, flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
                return
            sender.send(answer)
        sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)


def failure(code: str) -> object:
    """Make an error with a code, such as NOT_FOUND."""
    return pb_utils.TritonError("backend says no", getattr(pb_utils.TritonError, code))
