"""Runs requests on a model and on what was made of it."""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

from conch_convert.events import Events, RefusedError
from conch_convert.job import Feed, Job

Run = Callable[[Feed], Feed]

MOST_ROUNDS = 200
MOST_TOLD = 50
FEWEST_FOR_QUARTERS = 4


def answers(job: Job, events: Events, run: Run, place: str, which: str) -> list[list[dict[str, Any]]]:
    """Run each request on one of two models, and keep the outputs."""
    feeds, kept = job.feeds(), []
    for number, feed in enumerate(feeds):
        events.progress(f"running the requests on {which}", number, len(feeds))
        kept.append(job.write(f"{number}/{place}", _tried(run, feed, which)))
    return kept


def compare(job: Job, events: Events, kept: list[list[dict[str, Any]]], before: Run, after: Run) -> dict[str, Any]:
    """Run each request on the new model, beside what is kept of the other, and take the times of both in turn."""
    feeds = job.feeds()
    made = answers(job, events, after, "after", "the new model")
    results = [{"before": old, "after": new} for old, new in zip(kept, made, strict=True)]
    if not feeds:
        return {"results": [], "times": {}}
    took: dict[str, list[float]] = {"before": [], "after": []}
    for number in rounds(events, "measuring how long both models take", job.seconds, len(feeds)):
        feed = feeds[number % len(feeds)]
        took["before"].append(_time(before, feed))  # in turn, so that a busy machine disturbs both
        took["after"].append(_time(after, feed))
    times = {which: usual(times, len(feeds)) for which, times in took.items()}
    return {"results": results, "times": {**times, "runs": len(took["before"])}}


def alone(job: Job, events: Events, run: Run) -> dict[str, Any]:
    """Run each request on one model, keep the outputs, and take the time."""
    feeds = job.feeds()
    results = [
        {"before": job.write(f"{number}/before", _tried(run, feed, "the model")), "after": []}
        for number, feed in enumerate(feeds)
    ]
    if not feeds:
        return {"results": results, "times": {}}
    told = "measuring how long the ONNX model takes"
    took = [_time(run, feeds[number % len(feeds)]) for number in rounds(events, told, job.seconds, len(feeds))]
    return {"results": results, "times": {"before": usual(took, len(feeds)), "runs": len(took)}}


def usual(took: list[float], requests: int) -> dict[str, float]:
    """Tell the median and the quartiles around it. The requests took their turns in the times.

    A large request takes longer than a small one each time. So each time is held against the others
    of its request. Of a few times nothing is known of the noise.
    """
    median = statistics.median(took)
    each = [took[number::requests] for number in range(requests)]
    if min(map(len, each)) < FEWEST_FOR_QUARTERS:
        return {"median": median, "low": 0, "high": 0}
    noise = sorted(time / (statistics.median(times) or 1) for times in each for time in times)
    last = len(noise) - 1
    return {"median": median, "low": median * noise[last // 4], "high": median * noise[last - last // 4]}


def rounds(events: Events, told: str, seconds: float, least: int) -> Iterator[int]:
    """Count rounds, and tell how far they are. The first one says how many fit into the time; each request has one.

    Where later ones take longer, there are fewer.
    """
    events.step(told)
    begun = time.monotonic()
    yield 0
    fit = int(seconds / max(time.monotonic() - begun, 1e-9))
    of = min(MOST_ROUNDS, max(least, fit))
    for number in range(1, of):
        if number >= least and time.monotonic() - begun > seconds:
            break
        if number % max(of // MOST_TOLD, 1) == 0:
            events.progress(told, number, of)
        yield number


def _time(run: Run, feed: Feed) -> float:
    """Take the time of a request, in milliseconds."""
    begun = time.perf_counter()
    run(feed)
    return (time.perf_counter() - begun) * 1000


def _tried(run: Run, feed: Feed, which: str) -> Feed:
    try:
        return run(feed)
    except MemoryError:
        raise
    except Exception as error:
        said = re.sub(r"^\[ONNXRuntimeError\] : \d+ : \w+ : ", "", str(error))
        raise RefusedError(f"{which} does not run a request: {said}") from error
