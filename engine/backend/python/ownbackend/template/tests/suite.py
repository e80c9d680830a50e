"""What every backend of Conch has to do. test_backend.py says on which model, and what its answers are."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from client import Refused
from conftest import Server

Tensors = dict[str, np.ndarray]

# Requests wait for others, so that they are run together however slowly they come.
JOINED = "dynamic_batching { max_queue_delay_microseconds: 200000 }"


@dataclass
class Subject:
    """A model to test the backend with."""

    model: str  # in the folder models
    file: str  # in its version's folder
    inputs: Callable[[int, int], Tensors]  # of a request with so many rows; the second number makes it another one
    outputs: Callable[[Tensors], Tensors]  # that the model makes of them
    rows: int  # of the largest batch; 0 for a model without batches
    wrong: Tensors | None = None  # inputs that fit the config and that the model refuses; None where it takes all


class Suite:
    """The tests. A subclass sets the subject."""

    subject: Subject

    def check(self, server: Server, rows: int, seed: int, model: str = "") -> None:
        """Send a request, and compare its outputs."""
        given = self.subject.inputs(rows, seed)
        found, wanted = server.infer(model or self.subject.model, given), self.subject.outputs(given)
        assert set(found) == set(wanted)
        for name, array in wanted.items():
            assert found[name].shape == array.shape, name
            assert found[name].dtype == array.dtype, name
            if array.dtype.kind == "f":
                np.testing.assert_allclose(found[name], array, rtol=1e-5)
            else:
                assert np.array_equal(found[name], array), name

    def batches(self) -> range:
        """Give the numbers of rows to try."""
        return range(1, self.subject.rows + 1) if self.subject.rows else range(1)

    def test_answers(self, server: Server) -> None:
        """Each number of rows is answered."""
        server.load(self.subject.model)
        for rows in self.batches():
            self.check(server, rows, rows)

    def test_requests_at_once(self, server: Server) -> None:
        """Requests that are run together get their own answers."""
        config = (server.repository / self.subject.model / "config.pbtxt").read_text()
        alone = self.subject.rows < 2 or "dynamic_batching" in config or "sequence_batching" in config
        server.add(self.subject.model, "together", "" if alone else JOINED)
        server.load("together")
        problems: list[BaseException] = []

        def ask(seed: int) -> None:
            try:
                self.check(server, min(1, self.subject.rows), seed, "together")
            except BaseException as error:
                problems.append(error)

        threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(32)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not problems, problems[0]

    def test_wrong_requests_fail_alone(self, server: Server) -> None:
        """A request that is refused says why, and harms no other."""
        if self.subject.wrong is None:
            pytest.skip("the model takes all inputs that fit its config")
        server.load(self.subject.model)
        refused = []

        def ask() -> None:
            for _ in range(10):
                try:
                    server.infer(self.subject.model, self.subject.wrong)
                except Refused as error:
                    refused.append(str(error))

        thread = threading.Thread(target=ask)
        thread.start()
        for seed in range(20):
            self.check(server, min(1, self.subject.rows), seed)
        thread.join()
        assert len(refused) == 10
        assert all(refused)
        assert "Failed to process" not in refused[0], "the error of a request is a response, and no exception"

    def test_several_instances(self, server: Server) -> None:
        """Instances do not disturb each other."""
        server.add(self.subject.model, "several", "instance_group [ { count: 2 kind: KIND_CPU } ]")
        server.load("several")
        for seed in range(20):
            self.check(server, min(1, self.subject.rows), seed, "several")

    def test_without_its_file(self, server: Server) -> None:
        """A model that cannot be loaded says which file is missing."""
        folder = server.add(self.subject.model, "without")
        found = folder / "1" / self.subject.file
        if found.is_dir():
            shutil.rmtree(found)
        else:
            found.unlink()
        with pytest.raises(Refused, match=self.subject.file):
            server.load("without")

    def test_damaged_file(self, server: Server) -> None:
        """A file that cannot be read is named as well, and is not a crash."""
        folder = server.add(self.subject.model, "damaged")
        if (folder / "1" / self.subject.file).is_dir():
            pytest.skip("the model is a folder")
        (folder / "1" / self.subject.file).write_bytes(b"\0damaged")
        with pytest.raises(Refused) as caught:
            server.load("damaged")
        assert "ended while the model was loaded" not in str(caught.value)

    def test_loading_again(self, server: Server) -> None:
        """A model can be loaded, used and unloaded many times."""
        server.add(self.subject.model, "again")
        for seed in range(3):
            server.load("again")
            self.check(server, min(1, self.subject.rows), seed, "again")
            server.unload("again")
