"""Ends what models have started when the engine has died: `python keeper.py FIRST LAST`.

The engine writes a line for each process group of a worker: `+GROUP` when it begins, `-GROUP` when it has ended. The
end of the input is the end of the engine, of whatever kind. On Linux a worker is killed with the engine, but what a
model has started is not. It has the worker's group, or at least its mark: a limit of file locks from FIRST to LAST.
"""

import os
import resource
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

ROUNDS = 20  # of killing what is found: a process may have started another one meanwhile
PAUSE = 0.05  # seconds between them: what was killed needs a moment to end
LOCKS = 10  # RLIMIT_LOCKS of Linux, which the module resource does not name


def groups_at_the_end() -> set[int]:
    """Read what begins and ends, until the engine has ended."""
    groups: set[int] = set()
    for line in sys.stdin.buffer:
        sign, group = line[:1], int(line[1:])
        if sign == b"+":
            groups.add(group)
        else:
            groups.discard(group)
    return groups


def marked(first: int, last: int) -> Iterator[int]:
    """Give the processes that workers of the engine have started, also those in other groups and sessions."""
    for entry in Path("/proc").iterdir() if hasattr(resource, "prlimit") else ():
        if entry.name.isdigit():
            with suppress(OSError):  # it has ended, or is another user's
                if first <= resource.prlimit(int(entry.name), LOCKS)[1] <= last:
                    yield int(entry.name)


def main(first: int, last: int) -> None:
    """Wait for the end of the engine."""
    for asked_to_end in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(asked_to_end, signal.SIG_IGN)
    for group in groups_at_the_end():
        with suppress(OSError):
            os.killpg(group, signal.SIGKILL)
    for _ in range(ROUNDS):
        found = list(marked(first, last))
        if not found:
            return
        for process in found:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        time.sleep(PAUSE)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
