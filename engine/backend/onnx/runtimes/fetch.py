"""Downloads one wheel with what pip knows: its index, proxy, certificates and passwords. It goes on with what has come.

Called with a folder, the most bytes that the wheel may have, and pip's words. The file in the folder has the wheel's
SHA-256 as its name until it is whole.
Says on its output, in a line of JSON, which wheel it is and how much of it was there. Ends with 3 where pip itself has
to download, and with 4, without the wheel, where that has too many bytes.
"""

import errno
import hashlib
import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any, BinaryIO

sys.path[:] = [p for p in sys.path if p]
ELSEWHERE, TOO_MUCH, TRIES, CHUNK = 3, 4, 5, 256 << 10
SHA256 = re.compile("[0-9a-f]{64}")
PARENT = os.getppid()


def find(words: list[str]) -> tuple[Any, Any]:
    """The link of the wheel, and the session to download it with.

    These are inner parts of pip. Where they differ, pip itself downloads.
    """
    from pip._internal.cli.cmdoptions import make_target_python
    from pip._internal.commands import create_command
    from pip._vendor.packaging.specifiers import SpecifierSet

    command = create_command("download")
    with command.main_context():
        options, given = command.parse_args(words)
        session = command.get_default_session(options)
        target = make_target_python(options)
        finder = command._build_package_finder(options=options, session=session, target_python=target)
        name, _, version = given[0].partition("==")
        best = finder.find_best_candidate(name, SpecifierSet("==" + version)).best_candidate
        return best.link, session


class TooMuchError(Exception):
    """The wheel has more bytes than it may have."""


def rest(session: Any, link: Any, file: BinaryIO, most: int) -> None:
    """Downloads once what the file lacks."""
    begun = file.seek(0, os.SEEK_END)
    headers = {"Accept-Encoding": "identity"}
    if begun:
        headers["Range"] = f"bytes={begun}-"
    with session.get(link.url_without_fragment, headers=headers, stream=True) as reply:
        if reply.status_code in (200, 416):  # from the beginning
            file.truncate(0)
            file.seek(0)
        reply.raise_for_status()
        wanted, got = int(reply.headers.get("Content-Length", -1)), 0
        if file.tell() + wanted > most:
            raise TooMuchError
        for chunk in reply.iter_content(CHUNK):
            if file.tell() + len(chunk) > most:
                raise TooMuchError
            file.write(chunk)
            file.flush()
            got += len(chunk)
            if os.getppid() != PARENT:
                sys.exit("nobody waits for the download any more")
        if wanted not in (-1, got):
            raise OSError(f"{got} of {wanted} bytes came")


def download(session: Any, link: Any, file: BinaryIO, most: int) -> int:
    """Downloads what the file lacks, over as many connections as it takes, and returns the exit status."""
    tries = TRIES
    while True:
        before = file.seek(0, os.SEEK_END)
        try:
            rest(session, link, file, most)
            return 0
        except TooMuchError:
            return TOO_MUCH
        except Exception as error:
            full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
            came = not full and file.seek(0, os.SEEK_END) > before
            tries = TRIES if came else tries - 1
            if full or tries == 0:
                print(error, file=sys.stderr)
                return 1
        time.sleep(1)


def alone(file: BinaryIO) -> bool:
    """Whether nobody else writes the file. Nobody does from now on."""
    try:
        import fcntl
    except ImportError:  # on Windows; Conch's own lock is there, too
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def whole(file: BinaryIO, digest: str) -> bool:
    """Whether the file lacks nothing."""
    found = hashlib.sha256()
    file.seek(0)
    while data := file.read(CHUNK):
        found.update(data)
    return found.hexdigest() == digest


def main(folder: str, most: int, words: list[str]) -> int:
    """Does it, and returns the exit status."""
    try:
        link, session = find(words)
        if link.scheme not in ("http", "https") or not link.filename.endswith(".whl"):
            return ELSEWHERE
        if link.hash_name != "sha256" or not SHA256.fullmatch(link.hash):  # pip takes any text of the index for a hash
            return ELSEWHERE
        path = Path(folder, link.hash)
        file = path.open("ab+", buffering=0)
    except Exception as error:
        print(error, file=sys.stderr)
        return ELSEWHERE
    with file:
        if not alone(file):
            return ELSEWHERE
        told = {"name": link.filename, "sum": link.hash, "begun": file.seek(0, os.SEEK_END)}
        print(json.dumps(told), flush=True)
        if told["begun"] and whole(file, link.hash):
            return 0
        status = download(session, link, file, most)
    if status == TOO_MUCH:
        path.unlink()
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), sys.argv[3:]))
