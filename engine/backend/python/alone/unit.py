"""A user's unit test of model.py, without a server. It is run in an environment that has the package alone."""

import json

import numpy as np
import triton_python_backend_utils as pb_utils
from c_python_backend_utils import Tensor
from model import TritonPythonModel


def ask(**inputs: "list[float]") -> pb_utils.InferenceRequest:
    """Make a request."""
    tensors = [pb_utils.Tensor(name, np.array(values, np.float32)) for name, values in inputs.items()]
    return pb_utils.InferenceRequest(model_name="sum", request_id="1", inputs=tensors, requested_output_names=["SUM"])


def described() -> None:
    """Hold what a debugger shows of objects against what it should be."""
    request = ask(A=[1, 2])
    assert repr(request) == "<InferenceRequest '1' to 'sum' <Tensor 'A' FP32 [2]>>", request
    texts = pb_utils.Tensor("T", np.array([[b"a"]], np.object_))
    assert repr(pb_utils.InferenceResponse([texts])) == "<InferenceResponse <Tensor 'T' STRING [1, 1]>>"
    failed = pb_utils.InferenceResponse(error=pb_utils.TritonError("it's wrong"))
    assert repr(failed) == """<InferenceResponse error "it's wrong">""", failed


def masked() -> None:
    """An array with a mask is refused, as in Triton: what the mask hides would be sent."""
    try:
        pb_utils.Tensor("T", np.ma.array([1, 2], mask=[False, True], dtype=np.float32))
    except TypeError as error:
        assert "filled" in str(error), error
    else:
        raise AssertionError("an array with a mask is taken")


def main() -> None:
    """Complete the config, then ask."""
    assert Tensor is pb_utils.Tensor
    config = TritonPythonModel.auto_complete_config(pb_utils.ModelConfig(json.dumps({"name": "sum"}))).as_dict()
    assert [i["name"] for i in config["input"]] == ["A", "B"], config
    model = TritonPythonModel()
    model.initialize({"model_config": json.dumps(config), "model_name": "sum"})
    good, bad = model.execute([ask(A=[1, 2], B=[3, 4]), ask(A=[1])])
    assert not good.has_error()
    assert good.output_tensors()[0].as_numpy().tolist() == [4, 6]
    assert bad.error().message() == "A and B are needed", bad.error()
    assert model.seen.value() == 2, model.seen.value()
    described()
    masked()
    try:
        ask(A=[1]).exec()
    except pb_utils.TritonModelException as error:
        print("a call:", error)
    else:
        raise AssertionError("a call to another model works without a server")
    model.finalize()
    print("from", pb_utils.__file__)


if __name__ == "__main__":
    main()
