"""Which bytecode Python keeps."""

from __future__ import annotations

import time
from contextlib import suppress
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

# Python takes kept bytecode for that of a source with the same size and the same second of its last change. A source
# that is saved twice in a second would run as it was first.
SETTLED = 2.0  # seconds


def keep_only_settled() -> None:
    """Keep no bytecode of a source that was saved a moment ago: the next save may come in the same second."""
    keep = SourceFileLoader.set_data

    def set_data(loader: SourceFileLoader, path: str, data: Any, **how: Any) -> None:
        with suppress(OSError):
            if time.time() - Path(loader.path).stat().st_mtime < SETTLED:
                return
        keep(loader, path, data, **how)

    SourceFileLoader.set_data = set_data  # type: ignore[method-assign]
