"""A photograph of known text is read."""

import io

import numpy as np
from conftest import infer
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from serving import Server

LINES = ["Conch serves models", "from one repository:", "ONNX and Python", "2026"]


def photograph(lines: list[str], turn: float) -> np.ndarray:
    """Photograph a sheet of text: turned a little, unevenly lit, noisy, out of focus, and kept as JPEG."""
    page = Image.new("RGB", (900, 640), (236, 232, 224))
    draw = ImageDraw.Draw(page)
    for number, text in enumerate(lines):
        draw.text((90, 90 + 115 * number), text, (40, 38, 44), ImageFont.load_default(56))
    page = page.rotate(turn, Image.Resampling.BICUBIC, fillcolor=(236, 232, 224))
    page = page.filter(ImageFilter.GaussianBlur(1.2))
    values = np.asarray(page, np.float32) * np.linspace(0.75, 1.05, page.width)[None, :, None]
    values += np.random.default_rng(11).normal(0, 6, values.shape)
    file = io.BytesIO()
    Image.fromarray(np.clip(values, 0, 255).astype(np.uint8)).save(file, "JPEG", quality=80)
    return np.asarray(Image.open(file), np.uint8)


def read(server: Server, photo: np.ndarray) -> tuple[list[str], dict[str, np.ndarray]]:
    """Read a photograph; spaces do not count."""
    got = infer(server, "read_photo", PHOTO=photo)
    return [text.decode().replace(" ", "") for text in got["TEXT"]], got


def wanted(lines: list[str]) -> list[str]:
    return [line.replace(" ", "") for line in lines]


def test_photograph(server: Server) -> None:
    for turn in (0, 4, -6):
        texts, got = read(server, photograph(LINES, turn))
        assert texts == wanted(LINES), turn
        assert got["SURE"].min() > 0.8
        assert got["CORNERS"].shape == (len(LINES), 4, 2)


def test_corners_lie_around_the_lines(server: Server) -> None:
    """The first line begins at 90, 90 and is less than 70 pixels high."""
    (left_upper, _, _, left_lower), *_ = read(server, photograph(LINES, 0))[1]["CORNERS"]
    assert np.abs(left_upper - 90).max() < 25
    assert 40 < left_lower[1] - left_upper[1] < 100


def test_large_photograph(server: Server) -> None:
    """A photograph of 16 megapixels is read in the size that the detection takes."""
    large = np.asarray(Image.fromarray(photograph(LINES, 2)).resize((4800, 3413)), np.uint8)
    assert read(server, large)[0] == wanted(LINES)


def test_two_columns_are_read_from_left_to_right(server: Server) -> None:
    sheet = np.full((200, 1200, 3), 255, np.uint8)
    for left, text in ((20, "left side"), (700, "right side")):
        page = Image.new("RGB", (480, 120), "white")
        ImageDraw.Draw(page).text((20, 20), text, "black", ImageFont.load_default(60))
        sheet[40:160, left : left + 480] = np.asarray(page)
    assert read(server, sheet)[0] == ["leftside", "rightside"]


def test_no_text(server: Server) -> None:
    texts, got = read(server, np.full((480, 640, 3), 200, np.uint8))
    assert texts == []
    assert got["CORNERS"].shape == (0, 4, 2)
