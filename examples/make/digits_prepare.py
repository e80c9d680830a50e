"""Makes `digits_prepare`: a 28 x 28 grey image becomes the 64 numbers that `digits` reads.

scikit-learn's digits were made from 32 x 32 bitmaps, cut to the ink and counted in 4 x 4 blocks: 8 x 8 numbers
from 0 to 16. The graph does the same to a drawing, for a whole batch at once: ink is made bright in either case
round the image is, the box around the ink is found, sampled to 32 x 32 with its proportions kept, and averaged.
"""

from pathlib import Path

import numpy as np

from graph import FLOAT, INT64, UINT8, Graph

SIDE = 28
FINE = 32  # the raster that blocks are counted on
BLOCKS = 8


def make(repository: Path) -> None:
    """Writes version 1 of the model."""
    g = Graph("digits_prepare")
    g.input("image", UINT8, ["batch", SIDE, SIDE])
    ink = bright_ink(g)
    rows = extent(g, ink, "rows", axis=2)
    columns = extent(g, ink, "columns", axis=1)
    grid = sampling_grid(g, rows, columns)
    blocks(g, ink, grid)
    g.output("prepared", FLOAT, ["batch", BLOCKS * BLOCKS])
    g.save(
        repository / "digits_prepare" / "1" / "model.onnx",
        "28 x 28 grey image to the 8 x 8 block counts of scikit-learn's digits.",
    )


def bright_ink(g: Graph) -> str:
    """Scales to 0..1 with ink near 1: the lesser part of an image is taken to be the ink."""
    g.op("Cast", ["image"], "grey", to=FLOAT)
    g.op("Div", ["grey", g.constant("white", np.float32([255]))], "unit")
    g.op("ReduceMean", ["unit"], "mean", axes=[1, 2], keepdims=1)
    g.op("Greater", ["mean", g.constant("half", np.float32([0.5]))], "dark_on_light")
    g.op("Sub", [g.constant("one", np.float32([1])), "unit"], "inverted")
    return g.op("Where", ["dark_on_light", "inverted", "unit"], "ink")


def extent(g: Graph, ink: str, name: str, axis: int) -> tuple[str, str]:
    """First and one-past-last row (or column) that holds ink, as FP32 [batch, 1]."""
    profile = g.op("ReduceMax", [ink], f"{name}_max", axes=[axis], keepdims=0)
    held = g.op("Greater", [profile, g.constant(f"{name}_least", np.float32([0.25]))], f"{name}_held")
    number = g.op("Cast", [held], f"{name}_number", to=INT64)
    first = g.op("ArgMax", [number], f"{name}_first_i", axis=1, keepdims=1)
    last = g.op("ArgMax", [number], f"{name}_last_i", axis=1, keepdims=1, select_last_index=1)
    low = g.op("Cast", [first], f"{name}_low", to=FLOAT)
    high = g.op("Cast", [last], f"{name}_high", to=FLOAT)
    return low, g.op("Add", [high, "one"], f"{name}_end")


def sampling_grid(g: Graph, rows: tuple[str, str], columns: tuple[str, str]) -> str:
    """Where each fine pixel is read, in GridSample's -1..1: the ink's box, made square about its middle."""
    tall = g.op("Sub", [rows[1], rows[0]], "tall")
    wide = g.op("Sub", [columns[1], columns[0]], "wide")
    side = g.op("Max", [tall, wide], "side")
    scale = g.op("Div", [side, g.constant("extent", np.float32([SIDE]))], "scale")
    steps = ((np.arange(FINE, dtype=np.float32) + 0.5) / FINE * 2 - 1).astype(np.float32)
    y = axis_positions(g, "y", rows, scale, np.repeat(steps, FINE))
    x = axis_positions(g, "x", columns, scale, np.tile(steps, FINE))
    flat = g.op("Concat", [x, y], "xy", axis=2)
    return g.op("Reshape", [flat, g.constant("grid_shape", np.int64([-1, FINE, FINE, 2]))], "grid")


def axis_positions(g: Graph, name: str, ends: tuple[str, str], scale: str, steps: np.ndarray) -> str:
    """Middle of the box plus scaled steps, FP32 [batch, FINE * FINE, 1]."""
    both = g.op("Add", list(ends), f"{name}_both")
    share = g.op("Div", [both, "extent"], f"{name}_share")
    middle = g.op("Sub", [share, "one"], f"{name}_middle")
    offset = g.op("Mul", [scale, g.constant(f"{name}_steps", steps[None, :])], f"{name}_offset")
    place = g.op("Add", [middle, offset], f"{name}_place")
    return g.op("Unsqueeze", [place, g.constant(f"{name}_last", np.int64([2]))], f"{name}_column")


def blocks(g: Graph, ink: str, grid: str) -> None:
    """Samples the fine raster and counts ink in blocks: 0 to 16 each."""
    plane = g.op("Unsqueeze", [ink, g.constant("channel", np.int64([1]))], "plane")
    fine = g.op("GridSample", [plane, grid], "fine", mode="bilinear", padding_mode="zeros", align_corners=0)
    edge = FINE // BLOCKS
    mean = g.op("AveragePool", [fine], "block_mean", kernel_shape=[edge, edge], strides=[edge, edge])
    count = g.op("Mul", [mean, g.constant("sixteen", np.float32([16]))], "block_count")
    g.op("Reshape", [count, g.constant("flat", np.int64([-1, BLOCKS * BLOCKS]))], "prepared")
