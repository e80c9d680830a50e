"""Which files outside of the model's folder its code came from: when one changes, the model is loaded again.

So it is when a module appears that an import has not found.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

import triton_python_backend_utils as pb

MOST = 500  # files of a process that are told
TICK = 0.02  # seconds by which the times of files lag behind the clock
_INSTALLED = frozenset(("site-packages", "dist-packages"))  # folders of packages, in every Python


class Imports:
    """What has been told of the modules of this process."""

    def __init__(self, model_dir: str) -> None:
        self._began = time.time() - TICK
        self._passed = (*_ours(), *_names(model_dir))
        self._made = tuple(_names(tempfile.gettempdir()))
        self._modules = 0  # that were looked at
        self._told: set[str] = set()

    def news(self, error: BaseException | None = None) -> list[tuple[str, int, int]]:
        """Return the path, the size and the time of each file that is new since the last call.

        An error also tells files: a module whose import fails is not in sys.modules. Files where a missing module
        would lie have the size and the time 0, which are those of a file that is not there.
        """
        if error is None and len(sys.modules) == self._modules:
            return []
        self._modules = len(sys.modules)
        found = []
        for path in [*_modules(), *_raised_in(error)]:
            if path in self._told or len(self._told) >= MOST or not self._is_outside(path):
                continue
            with suppress(OSError, ValueError):
                path.encode()  # the engine takes names that are text
                info = Path(path).stat()
                if not self._is_generated(path, info):
                    self._told.add(path)
                    found.append((path, info.st_size, info.st_mtime_ns))
        return [*found, *self._absent(error)]

    def _absent(self, error: BaseException | None) -> Iterator[tuple[str, int, int]]:
        for path in _missing(error):
            is_passed = path.startswith(self._passed) and _INSTALLED.isdisjoint(Path(path).parts)
            if path in self._told or len(self._told) >= MOST or is_passed:
                continue
            with suppress(ValueError):
                path.encode()
                self._told.add(path)
                yield path, 0, 0

    def _is_outside(self, path: str) -> bool:
        if path.startswith(self._passed) or not _INSTALLED.isdisjoint(Path(path).parts):
            return False
        return not os.path.realpath(path).startswith(self._passed)

    def _is_generated(self, path: str, info: os.stat_result) -> bool:
        """Whether this run has made a file, as frameworks do that compile functions: the next run makes another one."""
        return info.st_mtime >= self._began and path.startswith(self._made)


def _ours() -> Iterator[str]:
    """Return the folders of what nobody edits: the standard library, this package, and what programs keep in caches."""
    paths = sysconfig.get_paths()
    own = (Path(__file__).parents[1], Path(pb.__file__).parent)
    for folder in (paths["stdlib"], paths["platstdlib"], Path(os.__file__).parent, *own):
        yield from _names(str(folder))
    with suppress(RuntimeError):  # nobody knows where the user's folder is
        yield from _names(os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache"))


def _names(folder: str) -> set[str]:
    """Return a folder under both of its names, as beginnings of paths."""
    return {path.rstrip(os.sep) + os.sep for path in (_absolute(folder), os.path.realpath(folder))}


def _absolute(path: str) -> str:
    """Return a path without "..", which programs add to sys.path, and with the links that it has."""
    return os.path.normpath(Path(path).absolute())


def _modules() -> Iterator[str]:
    """Return the files of all modules. Some modules import others when they are asked for what they do not have."""
    for module in list(sys.modules.values()):
        with suppress(Exception):
            file = vars(module).get("__file__")
            if isinstance(file, str):
                yield _absolute(file)


def _missing(error: BaseException | None) -> Iterator[str]:
    """Return where the modules would lie that were not found, in the error or in what led to it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, ModuleNotFoundError) and isinstance(error.name, str):
            yield from _places(error.name)
        error = error.__cause__ or error.__context__


def _places(name: str) -> Iterator[str]:
    """Return the files that a module could be, in the order in which Python looks for them."""
    parent, _, last = name.rpartition(".")
    folders = getattr(sys.modules.get(parent), "__path__", None) if parent else sys.path
    if folders is None:
        folders = [str(Path(folder, *parent.split("."))) for folder in sys.path if isinstance(folder, str)]
    for folder in folders:
        if isinstance(folder, str):
            base = Path(_absolute(folder)) / last
            yield str(base / "__init__.py")
            yield from (f"{base}{suffix}" for suffix in (*EXTENSION_SUFFIXES, ".py"))


def _raised_in(error: Any) -> Iterator[str]:
    """Return the files that an error went through, and the one that Python does not understand."""
    if isinstance(error, SyntaxError) and isinstance(error.filename, str):
        yield _absolute(error.filename)
    trace = None if error is None else error.__traceback__
    while trace is not None:
        yield _absolute(trace.tb_frame.f_code.co_filename)
        trace = trace.tb_next
