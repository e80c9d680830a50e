"""What the real Triton said, by test and key, and where Conch differs on purpose.

Each file of tests has a file of its name in the folder answers: {test: {key: {"triton": …, "conch": …, "why": …}}}.
`make conformance` records what the real server says. Where Conch is meant to differ, `pytest --record` against Conch
writes what it says, and a person writes why; a difference without a reason fails.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path

Says = Callable[..., None]  # says(key, answer): the fixture
FOLDER = Path(__file__).parent / "answers"
UTILS = re.compile(r"[^\s'\"]*triton_python_backend_utils[^\s('\"]*\(\d+\)")
IMPORTLIB = re.compile(r"[ \t]*<frozen importlib[^>]*>\(\d+\): \w+\n")  # which differ from Python to Python
LINE = re.compile(r"([^\s'\"]*model\.py)\((\d+)\)")


def plain(value: object, repository: Path) -> object:
    """Take out of texts what differs from run to run: paths, and line numbers, for which the line itself stands."""
    if isinstance(value, dict):
        return {k: plain(v, repository) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v, repository) for v in value]
    if not isinstance(value, str):
        return value

    def line(found: re.Match) -> str:
        path = Path(found[1])
        source = path.read_text().splitlines() if path.is_absolute() and path.exists() else []
        number = int(found[2])
        return f"{found[1]}({source[number - 1].strip() if number <= len(source) else number})"

    return LINE.sub(line, UTILS.sub("UTILS", IMPORTLIB.sub("", value))).replace(str(repository), "REPOSITORY")


class Book:
    """The answers of one file of tests."""

    def __init__(self, file: Path, server: str, record: bool) -> None:
        self.path, self.server, self.record = FOLDER / f"{file.stem}.json", server, record
        self.told: dict = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.asked: set[tuple[str, str]] = set()

    def check(self, test: str, key: str, value: object) -> None:
        """Hold an answer against what is recorded, or record it."""
        self.asked.add((test, key))
        entry = self.told.setdefault(test, {}).setdefault(key, {})
        if self.record:
            self.write(entry, value)
            return
        assert "triton" in entry, f"{key}: nothing is recorded of the real server; run make conformance"
        assert bool(entry.get("why")) == ("conch" in entry), f"{key}: what differs from Triton must say why"
        wanted = entry["conch"] if self.server == "conch" and "conch" in entry else entry["triton"]
        told = f"{key}: this is not what is recorded in {self.path.name}"
        assert value == wanted, f"{told}\nthe answer: {compact(value)}\nrecorded:   {compact(wanted)}"

    def write(self, entry: dict, value: object) -> None:
        """Record an answer; what Conch says only where it is another than Triton's."""
        if self.server == "triton" or value != entry.get("triton"):
            entry[self.server] = value
        else:
            entry.pop("conch", None)
        if entry.get("conch", entry.get("triton")) == entry.get("triton"):
            entry.pop("conch", None)
            entry.pop("why", None)
        elif "conch" in entry:
            entry.setdefault("why", "")

    def save(self, whole: bool) -> None:
        """Write the file; when all of its tests ran, without what none of them asked."""
        if not self.record or not self.asked:
            return
        if whole:
            self.told = {
                test: {key: entry for key, entry in entries.items() if (test, key) in self.asked}
                for test, entries in self.told.items()
            }
        told = {test: entries for test, entries in self.told.items() if entries}
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_text(written(told))


def written(told: dict) -> str:
    """Write the answers with a line for each of a key's entries."""
    tests = []
    for test, entries in sorted(told.items()):
        lines = []
        for key, entry in sorted(entries.items()):
            fields = [
                f"{compact(name)}: {compact(entry[name])}" for name in ("triton", "conch", "why") if name in entry
            ]
            lines.append(f"  {compact(key)}: {{" + ",\n   ".join(fields) + "}")
        tests.append(f" {compact(test)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(tests) + "\n}\n"


def compact(value: object) -> str:
    """Write a value in one line."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
