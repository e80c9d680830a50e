"""Ends what models have started when the engine has died: `python keeper.py MARK`.

The engine writes a line for each process group of a worker: `+GROUP` when it begins, `-GROUP` when it has ended. The
end of the input is the end of the engine, of whatever kind. On Linux a worker is killed with the engine, but what a
model has started is not. It has the worker's group, or at least the variable CONCH_WORKER, whose value begins with
MARK, in its environment.
"""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

ROUNDS = 20  # of killing what is found: a process may have started another one meanwhile
PAUSE = 0.05  # seconds between them: a process that is about to run another program has no environment for a moment


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


def marked(mark: str) -> Iterator[int]:
    """Give the processes that a worker of the engine has started, also those in other groups and sessions."""
    wanted = b"CONCH_WORKER=" + mark.encode()
    for entry in Path("/proc").iterdir() if Path("/proc/self").exists() else ():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        with suppress(OSError):
            if any(v.startswith(wanted) for v in (entry / "environ").read_bytes().split(b"\0")):
                yield int(entry.name)


def main(mark: str) -> None:
    """Wait for the end of the engine."""
    for asked_to_end in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(asked_to_end, signal.SIG_IGN)
    groups = groups_at_the_end()
    for group in groups:
        with suppress(OSError):
            os.killpg(group, signal.SIGKILL)
    for _ in range(ROUNDS):
        found = list(marked(mark))
        if not found and not groups:
            return  # the engine has ended them all
        for process in found:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        time.sleep(PAUSE)


if __name__ == "__main__":
    main(sys.argv[1])
