"""Takes the models that read text out of the package rapidocr-onnxruntime."""

import importlib.util
import shutil
from pathlib import Path

import onnx

FILES = {"text_detect": "ch_PP-OCRv4_det_infer.onnx", "text_recognize": "ch_PP-OCRv4_rec_infer.onnx"}
CHARACTERS = "character"


def make(repository: Path) -> None:
    """Copies the models, and writes down which characters the recognition knows."""
    # The package is not imported: what its own program needs is not installed.
    folder = Path(importlib.util.find_spec("rapidocr_onnxruntime").submodule_search_locations[0]) / "models"
    for model, file in FILES.items():
        shutil.copy(folder / file, repository / model / "1" / "model.onnx")
    facts = {one.key: one.value for one in onnx.load(folder / FILES["text_recognize"]).metadata_props}
    (repository / "text_decode" / "1" / "characters.txt").write_text(facts[CHARACTERS], encoding="utf-8")
