"""Runs requests on a model and on what was made of it."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from conch_convert.events import Events, RefusedError
from conch_convert.job import Feed, Job

Run = Callable[[Feed], Feed]

MOST_ROUNDS = 200


def compare(job: Job, events: Events, before: Run, after: Run) -> dict[str, Any]:
    """Run each request on both, keep the outputs, and take the times of both in turn."""
    feeds = job.feeds()
    results = []
    for number, feed in enumerate(feeds):
        events.progress("running the requests on both models", number, len(feeds))
        results.append(
            {
                "before": job.write(f"{number}/before", _tried(before, feed, "the model as it is")),
                "after": job.write(f"{number}/after", _tried(after, feed, "the new model")),
            }
        )
    if not feeds:
        return {"results": [], "times": {}}
    events.step("measuring how long both models take")
    return {"results": results, "times": _times(job, feeds, before, after)}


def alone(job: Job, run: Run) -> dict[str, Any]:
    """Run each request on one model, keep the outputs, and take the time."""
    feeds, took = job.feeds(), []
    results = [
        {"before": job.write(f"{number}/before", _tried(run, feed, "the model")), "after": []}
        for number, feed in enumerate(feeds)
    ]
    for number in range(MOST_ROUNDS if feeds else 0):
        begun = time.perf_counter()
        run(feeds[number % len(feeds)])
        took.append((time.perf_counter() - begun) * 1000)
        if sum(took) > job.seconds * 1000:
            break
    return {"results": results, "times": {"before": statistics.median(took), "runs": len(took)} if took else {}}


def _tried(run: Run, feed: Feed, which: str) -> Feed:
    try:
        return run(feed)
    except MemoryError:
        raise
    except Exception as error:
        raise RefusedError(f"{which} does not run a request: {error}") from error


def _times(job: Job, feeds: list[Feed], before: Run, after: Run) -> dict[str, Any]:
    """Take the times of both models in turn, so that a busy machine disturbs both."""
    took: dict[str, list[float]] = {"before": [], "after": []}
    end = time.monotonic() + job.seconds
    for number in range(MOST_ROUNDS):
        feed = feeds[number % len(feeds)]
        for which, run in (("before", before), ("after", after)):
            begun = time.perf_counter()
            run(feed)
            took[which].append((time.perf_counter() - begun) * 1000)
        if time.monotonic() > end and number + 1 >= len(feeds):
            break
    return {"before": statistics.median(took["before"]), "after": statistics.median(took["after"]), "runs": number + 1}
