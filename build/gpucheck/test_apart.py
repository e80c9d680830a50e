"""What the checks take for an agreement of answers."""

import math
from pathlib import Path

import pytest
import steps


@pytest.mark.parametrize("got", [[math.nan, 1.0], [1.0, math.nan], [1.0, math.inf]])
def test_no_number_agrees_with_none(got: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "SECONDS", 0.05)
    monkeypatch.setattr(steps, "BATCH", 1)
    with pytest.raises(AssertionError, match="the outputs differ by"):
        steps.near(got, [1.0, 2.0])

    class Server:
        def load(self, model: str) -> None:
            pass

        def infer(self, model: str, *_: object) -> list[float]:
            return got if model == "network_gpu" else [1.0, 2.0]

    place = steps.Place(Server(), "KIND_GPU", {}, Server, None, Path())
    with pytest.raises(AssertionError, match="the outputs differ by"):
        steps.agree(place, "network_gpu", "network_cpu", "X", [1], 1)
    with pytest.raises(AssertionError, match="which differ by"):
        steps.under_load(place, "network_gpu")
