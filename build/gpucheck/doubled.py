"""A Python model that doubles its input with PyTorch, on the device of its instance."""

import torch
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Keeps a factor in the device's memory."""

    def initialize(self, args: dict[str, str]) -> None:
        """Makes the factor."""
        on_gpu = args["model_instance_kind"] == "GPU"
        where = f"cuda:{args['model_instance_device_id']}" if on_gpu else "cpu"
        self.factor = torch.full((1,), 2.0, device=where)
        if self.factor.is_cuda != on_gpu:
            raise pb_utils.TritonModelException(f"PyTorch put a tensor for {where} elsewhere")

    def execute(self, requests: list) -> list:
        """Doubles."""
        answers = []
        for request in requests:
            given = torch.from_numpy(pb_utils.get_input_tensor_by_name(request, "X").as_numpy())
            doubled = given.to(self.factor.device) * self.factor
            answers.append(pb_utils.InferenceResponse([pb_utils.Tensor("Y", doubled.cpu().numpy())]))
        return answers
