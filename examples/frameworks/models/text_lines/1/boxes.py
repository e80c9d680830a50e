"""Finds the boxes of lines of text in the map of a detection, which says how likely each pixel is text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LIKELY = 0.3  # of a pixel
SURE = 0.5  # of a line, on average
LOWEST = 3  # pixels of the map
# The map shows the middle of each line only. Sides move outwards by GROWTH * area / circumference, as in PaddleOCR.
GROWTH = 1.6
# A region that is so many times longer than high tells its direction.
LONG = 3


@dataclass(frozen=True)
class Box:
    """A rectangle that may be turned."""

    middle: np.ndarray
    along: np.ndarray  # the direction of the text, of length 1
    size: np.ndarray  # width, height


def boxes(found: np.ndarray) -> list[Box]:
    """Return the boxes of all lines in a map [height, width]."""
    boxed = []
    for rows, columns in regions(found > LIKELY):
        box = around(np.stack([columns, rows], 1) + 0.5)
        if box.size[1] >= LOWEST and found[rows, columns].mean() >= SURE:
            boxed.append(grown(box))
    return boxed


def regions(marked: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the rows and columns of each connected region of marked pixels."""
    edges = np.diff(marked.astype(np.int8), axis=1, prepend=0, append=0)
    rows, begins = np.nonzero(edges == 1)
    ends = np.nonzero(edges == -1)[1]
    parent = list(range(len(rows)))

    def root(run: int) -> int:
        while parent[run] != run:
            parent[run] = parent[parent[run]]
            run = parent[run]
        return run

    first = np.searchsorted(rows, np.arange(len(marked) + 1))
    for run, row in enumerate(rows):
        for above in range(first[row - 1] if row else 0, first[row] if row else 0):
            if begins[above] < ends[run] and begins[run] < ends[above]:
                parent[root(run)] = root(above)
    grouped: dict[int, list[int]] = {}
    for run in range(len(rows)):
        grouped.setdefault(root(run), []).append(run)
    return [pixels(rows[runs], begins[runs], ends[runs]) for runs in grouped.values()]


def pixels(rows: np.ndarray, begins: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows and columns of all pixels in runs."""
    columns = np.concatenate([np.arange(begins[n], ends[n]) for n in range(len(rows))])
    return np.repeat(rows, ends - begins), columns


def around(points: np.ndarray) -> Box:
    """Lay a box around points (x, y), along their main direction where they have one."""
    along = np.array([1.0, 0.0])
    if len(points) > 2:
        sizes, directions = np.linalg.eigh(np.cov(points.T))
        main = directions[:, 1] * (1 if directions[0, 1] >= 0 else -1)
        if sizes[1] > LONG**2 * sizes[0] and abs(main[0]) > abs(main[1]):
            along = main
    frame = np.stack([along, [-along[1], along[0]]])
    turned = points @ frame.T
    low, high = turned.min(axis=0) - 0.5, turned.max(axis=0) + 0.5
    return Box((low + high) / 2 @ frame, along, high - low)


def grown(box: Box) -> Box:
    """Move all sides of a box outwards."""
    width, height = box.size
    return Box(box.middle, box.along, box.size + GROWTH * width * height / (width + height))


def corners(box: Box) -> np.ndarray:
    """Return the corners of a box, clockwise from the left upper one."""
    across = box.along * box.size[0] / 2
    down = np.array([-box.along[1], box.along[0]]) * box.size[1] / 2
    return box.middle + np.stack([-across - down, across - down, across + down, down - across])


def in_reading_order(places: list[np.ndarray]) -> np.ndarray:
    """Sort places from top to bottom; those of about the same height from left to right."""
    rows: list[list[np.ndarray]] = []
    for place in sorted(places, key=lambda one: one[:, 1].mean()):
        middle = place[:, 1].mean()
        before = rows[-1][-1] if rows else None
        if before is not None and before[:, 1].min() < middle < before[:, 1].max() and apart(before, place):
            rows[-1].append(place)
        else:
            rows.append([place])
    laid = [place for row in rows for place in sorted(row, key=lambda one: one[:, 0].min())]
    return np.array(laid, np.float32).reshape(-1, 4, 2)


def apart(one: np.ndarray, other: np.ndarray) -> bool:
    """Say whether two places lie beside each other."""
    return one[:, 0].max() <= other[:, 0].min() or other[:, 0].max() <= one[:, 0].min()
