"""Does a job from its beginning to its end."""

from __future__ import annotations

import errno
import json
import traceback
from pathlib import Path
from typing import Any

from conch_convert.events import Events, RefusedError
from conch_convert.job import Job


def main(folder: str) -> int:
    """Do the job of a folder."""
    events = Events()
    try:
        job = Job(json.loads((Path(folder) / "job.json").read_text("utf-8")), Path(folder))
        events.done(_do(job, events))
    except RefusedError as error:
        events.failed(str(error))
        return 1
    except MemoryError:
        events.failed("there is not enough memory: close other programs, or convert a smaller model")
        return 1
    except Exception as error:
        traceback.print_exc()
        events.failed(_words(error, folder))
        return 1
    return 0


def _do(job: Job, events: Events) -> dict[str, Any]:
    if job.to == "tensorrt":
        from conch_convert import plan

        return plan.make(job, events)
    from conch_convert import onnx_models

    return onnx_models.run(job, events) if job.to == "run" else onnx_models.make(job, events)


def _words(error: Exception, folder: str) -> str:
    """Say what an error means, where that is known."""
    if isinstance(error, ModuleNotFoundError):
        return f"this Python has no module '{error.name}'"
    if "bad_alloc" in str(error):
        return "there is not enough memory: close other programs, or convert a smaller model"
    full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    if full or "No space left on device" in str(error):
        return f"the disk is full: free some space where Conch keeps its files ({folder}), then try again"
    return f"{type(error).__name__}: {error}"
