"""Where the time of one execution goes: a tree of calls.

Every call is counted at first, so that a request of a millisecond has a profile too. That slows a program with very
many calls, so after some of them the tree grows by samples instead.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from time import perf_counter_ns
from types import CodeType, FrameType
from typing import Any

COUNTED = 200_000  # events that are counted, before samples are taken
EVERY = 0.002  # seconds between samples
MOST = 4000  # nodes that are told, the largest ones
_OWN = str(Path(__file__).parent)


class Node:
    """A function as it was called from one place of the tree."""

    __slots__ = ("calls", "children", "own", "parent", "what")

    def __init__(self, what: Any, parent: Node | None) -> None:
        self.what = what  # a code object, or the name of a function that is not written in Python
        self.parent = parent
        self.children: dict[Any, Node] = {}
        self.own = 0  # nanoseconds
        self.calls = 0

    def child(self, what: Any) -> Node:
        """Return what is called from here."""
        node = self.children.get(what)
        if node is None:
            node = self.children[what] = Node(what, self)
        return node

    def tree(self) -> list[Node]:
        """Return the node and all below it, callers before what they call. It may be deeper than Python recurses."""
        nodes = [self]
        for node in nodes:
            nodes += node.children.values()
        return nodes

    def total(self) -> int:
        """Return the time in the function and in what it calls."""
        return sum(node.own for node in self.tree())

    def is_own(self) -> bool:
        """Whether it is part of the worker, and not of the model."""
        return isinstance(self.what, CodeType) and self.what.co_filename.startswith(_OWN)


class Profiler:
    """Profiles calls of one thread."""

    def __init__(self) -> None:
        self.root = self._node = Node("", None)
        self.sampled = False
        self._events = 0
        self._last = 0
        self._over = threading.Event()
        self._sampler: threading.Thread | None = None

    def run(self, act: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function and profile it."""
        self.begin("run")
        try:
            return act(*arguments)
        finally:
            self.end()

    def begin(self, base: str) -> None:
        """Begin to profile this thread, without the function of this name and what called it."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_name != base:
            frame = frame.f_back
        self._base = frame
        self._node = self.root
        self._over.clear()
        self._last = perf_counter_ns()
        sys.setprofile(self._event)

    def end(self) -> None:
        """Profile no further."""
        sys.setprofile(None)
        self._over.set()
        if self._sampler is not None:
            self._sampler.join()
            self._sampler = None

    def _event(self, frame: FrameType, event: str, arg: Any) -> None:
        node = self._node
        node.own += perf_counter_ns() - self._last
        if event == "call":
            self._node = node = node.child(frame.f_code)
            node.calls += 1
        elif event == "c_call":
            self._node = node = node.child(name_of(arg))
            node.calls += 1
        elif node.parent is not None:
            self._node = node.parent
        self._events += 1
        if self._events >= COUNTED:
            self._sample()
        self._last = perf_counter_ns()

    def _sample(self) -> None:
        sys.setprofile(None)
        self.sampled = True
        thread = threading.get_ident()
        self._sampler = threading.Thread(target=self._samples, args=(thread,), name="conch-profile", daemon=True)
        self._sampler.start()

    def _samples(self, thread: int) -> None:
        last = perf_counter_ns()
        while not self._over.wait(EVERY):
            frame, stack = sys._current_frames().get(thread), []
            while frame is not None and frame is not self._base:
                stack.append(frame.f_code)
                frame = frame.f_back
            node = self.root
            for code in reversed(stack):
                node = node.child(code)
            now = perf_counter_ns()
            node.own += now - last
            last = now

    def told(self) -> dict[str, Any]:
        """Return the tree: functions as [name, file, line], nodes as [function, parent, total, calls]."""
        lift(self.root)
        largest = sorted(walk(self.root), key=lambda found: (-found[1], found[2]))[: MOST + 1]
        functions: dict[Any, int] = {}
        numbers = {id(self.root): -1}
        nodes = []
        for node, total, _ in largest[1:] if largest and largest[0][0] is self.root else largest:
            parent = numbers.get(id(node.parent))
            if parent is None:
                continue
            numbers[id(node)] = len(nodes)
            nodes.append([functions.setdefault(node.what, len(functions)), parent, total, node.calls])
        return {"functions": [place_of(what) for what in functions], "nodes": nodes, "sampled": self.sampled}


def walk(root: Node) -> list[tuple[Node, int, int]]:
    """Return a node and all below it with their totals and depths."""
    nodes, depths, totals = root.tree(), {id(root): 0}, {id(root): root.own}
    for node in nodes[1:]:
        depths[id(node)], totals[id(node)] = depths[id(node.parent)] + 1, node.own
    for node in reversed(nodes[1:]):
        totals[id(node.parent)] += totals[id(node)]
    return [(node, totals[id(node)], depths[id(node)]) for node in nodes]


def lift(root: Node) -> None:
    """Take the worker's own functions out of the tree: what they call is called by their callers."""
    for node in reversed(root.tree()):
        caller = node.parent
        if caller is None or not node.is_own():
            continue
        del caller.children[node.what]
        caller.own += node.own
        for below in node.children.values():
            if isinstance(below.what, str):
                caller.own += below.total()
            else:
                join(caller, below)


def join(node: Node, other: Node) -> None:
    """Add a tree to the children of a node."""
    pending = [(node, other)]
    while pending:
        node, other = pending.pop()
        known = node.children.get(other.what)
        if known is None:
            other.parent = node
            node.children[other.what] = other
            continue
        known.own += other.own
        known.calls += other.calls
        pending += [(known, child) for child in other.children.values()]


def name_of(function: Any) -> str:
    """Return the name of a function that is not written in Python."""
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", None) or repr(function)
    return f"{module}.{name}" if module and module != "builtins" else name


def place_of(what: Any) -> list[Any]:
    """Return name, file and line of a function."""
    if isinstance(what, str):
        return [what, "", 0]
    return [getattr(what, "co_qualname", what.co_name), what.co_filename, what.co_firstlineno]
