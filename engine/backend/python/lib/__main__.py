"""Start the worker: `python FOLDER` runs this file, with the folder first on Python's path."""

import sys


def refuse(why: str) -> None:
    """Tell why this Python runs no models. The engine knows the status, and says nothing but the reason."""
    sys.stderr.write(why + "\n")
    sys.exit(78)


if __name__ == "__main__":
    if sys.version_info < (3, 9):  # noqa: UP036
        refuse("Python models need Python 3.9 or newer; this is " + sys.version.split()[0] + ", " + sys.executable)
    try:
        import numpy  # noqa: F401
    except ImportError as error:
        refuse(
            "Python models need NumPy, and "
            + sys.executable
            + " does not find it ("
            + str(error)
            + "): install it there, name another interpreter by CONCH_PYTHON, or put an environment into the "
            "model's folder as .venv"
        )
    from conch_worker.main import main

    main()
