"""What a comparison of the workbench tells, where no GPU is."""

import pytest
import workbench


def test_what_a_comparison_tells() -> None:
    first, second = {"runsOn": "ONNX Runtime on GPU 0", "medianMs": 1.0}, {"runsOn": "CPU", "medianMs": 20.0}
    output = {"name": "Y", "absolute": 1e-5}
    told = {"first": first, "second": second, "outputs": [output]}
    expected = "ONNX Runtime on GPU 0 1.00 ms and CPU 20.00 ms; largest difference 1e-05"
    assert workbench.judged(told, "GPU") == expected
    for wrong, words in (
        ({"second": {**second, "error": "no room"}}, "CPU: no room"),
        ({"first": {**second}}, "runs on CPU, not on the GPU"),
        ({"outputs": [{**output, "absolute": 0.5}]}, "Y differs by 0.5"),
        ({"outputs": [{**output, "absolute": "NaN"}]}, "Y differs by nan"),
        ({"outputs": [{**output, "odd": "3"}]}, "Y differs"),
    ):
        with pytest.raises(AssertionError, match=words):
            workbench.judged({**told, **wrong}, "GPU")
