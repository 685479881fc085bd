"""The command `envdoctor`, and `python -m envdoctor`: becomes the program, so that its signals and statuses are its own."""
import os
import signal
import sys
from typing import Mapping

from ._program import program


def search_path(path: str, prefix: str, environment: Mapping[str, str]) -> str:
    """The user's own PATH. uvx puts the environment that it created for this command first, without
    activating it, but the diagnosis is about the user's Python."""
    first, _, rest = path.partition(":")
    made_by_uvx = "UV" in environment and environment.get("VIRTUAL_ENV") != prefix and first == os.path.join(prefix, "bin")
    return rest if made_by_uvx else path


def main() -> int:
    path = program()
    # A package without a program searches PATH, which may contain this very command.
    if path is None or os.path.realpath(path) == os.path.realpath(sys.argv[0]):
        sys.stderr.write("envdoctor: this package holds no program for this machine; install it again: "
                         "pip install --force-reinstall gpu-envdoctor\n")
        return 2
    # Python ignores these, and ignored signals stay ignored in the program.
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    if "PATH" in os.environ:
        os.environ["PATH"] = search_path(os.environ["PATH"], sys.prefix, os.environ)
    try:
        os.execv(path, ["envdoctor"] + sys.argv[1:])
    except OSError as error:
        sys.stderr.write("envdoctor: %s cannot be started: %s\n" % (path, error.strerror))
        return 2


if __name__ == "__main__":
    sys.exit(main())
