"""The program's commands as functions. Each starts the program once, in a child; none imports a framework."""
from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import tempfile
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple, Union

from . import _arrays
from ._errors import ProgramError, UsageError
from ._program import program
from ._reports import Comparison, Report, Visible, read

Path = Union[str, "os.PathLike[str]"]


def _names(option: str, names: Union[None, str, Iterable[str]]) -> List[str]:
    listed = [names] if isinstance(names, str) else list(names or ())
    return [option, ",".join(listed)] if listed else []


def _program() -> str:
    found = program()
    if not found:
        raise ProgramError("the program envdoctor was not found: install gpu-envdoctor, put envdoctor on PATH, or name it "
                           "in the environment variable ENVDOCTOR")
    return found


def _environment() -> Dict[str, str]:
    # On GitHub the program would also print annotations.
    return {name: value for name, value in os.environ.items() if name != "GITHUB_ACTIONS"}


def run(arguments: List[str], timeout: float, given: Optional[bytes] = None) -> Tuple[int, bytes, str]:
    """Exit status, standard output and standard error. Raises ProgramError and UsageError (exit status 2)."""
    command = [_program(), *arguments]
    try:
        done = subprocess.run(command, input=given, stdin=subprocess.DEVNULL if given is None else None, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=timeout, env=_environment())
    except subprocess.TimeoutExpired:
        raise ProgramError(f"envdoctor {arguments[0]} has not ended within {timeout:g} s") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in an argument
        raise ProgramError(f"{command[0]} cannot be started: {error}") from None
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode == 2:
        raise UsageError(said[len("envdoctor: "):] if said.startswith("envdoctor: ") else said)
    if done.returncode not in (0, 1, 3):
        raise ProgramError(f"envdoctor {arguments[0]} ended with status {done.returncode}: {said[-400:]}")
    return done.returncode, done.stdout, said


def document(arguments: List[str], timeout: float, given: Optional[bytes] = None) -> Tuple[int, Mapping[str, Any]]:
    """Exit status, and the printed JSON object."""
    status, text, said = run([*arguments, "--format", "json"], timeout, given)
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ProgramError(f"envdoctor {arguments[0]} wrote no report: {said[-400:]}")
    return status, found


def _looking(quick: bool, python: Optional[Path], timeout: float) -> List[str]:
    return [*(["--quick"] if quick else []), "--python", os.fspath(python or sys.executable),
            "--timeout", str(max(1, min(86400, int(timeout))))]


def _judging(only: Union[None, str, Iterable[str]], skip: Union[None, str, Iterable[str]],
             expect: Union[None, str, Iterable[str]]) -> List[str]:
    wanted = [expect] if isinstance(expect, str) else list(expect or ())
    return [*_names("--only", only), *_names("--skip", skip), *(word for one in wanted for word in ("--expect", one))]


def check(*, quick: bool = False, python: Optional[Path] = None, only: Union[None, str, Iterable[str]] = None,
          skip: Union[None, str, Iterable[str]] = None, expect: Union[None, str, Iterable[str]] = None,
          timeout: float = 120) -> Report:
    """Probes this host and diagnoses it.

    quick: files and driver libraries only, no framework is started (a second instead of up to a minute).
    python: the Python environment to diagnose, as a path, an environment's name or a Jupyter kernel; this interpreter's
    by default.
    only, skip: ids or families, such as "driver". expect: requirements such as "gpus=8".
    timeout: seconds for the whole run.

    Frameworks are asked in children of the program, never in this process. Raises UsageError, ProgramError."""
    arguments = ["check", *_looking(quick, python, timeout), *_judging(only, skip, expect)]
    return read(Report, document(arguments, timeout + 15)[1])


def _is_document(begin: bytes) -> bool:
    return begin.lstrip()[:1] in (b"{", b"[")


def diagnose(text_or_path: Union[Path, bytes], *, only: Union[None, str, Iterable[str]] = None,
             skip: Union[None, str, Iterable[str]] = None, expect: Union[None, str, Iterable[str]] = None,
             timeout: float = 120) -> Report:
    """Diagnoses a log, a snapshot or a JSON report; reads nothing of this host.

    text_or_path: a path object, or a text. A text that names an existing file stands for it; one that reads like a file's
    name (one word without blanks) and names none is a FileNotFoundError, not a log of one word.
    timeout: seconds.

    Raises UsageError for any other file, FileNotFoundError, ProgramError."""
    given: Optional[bytes] = text_or_path if isinstance(text_or_path, bytes) else None
    if isinstance(text_or_path, str):
        one_line = len(text_or_path) < 4096 and "\n" not in text_or_path and "\0" not in text_or_path
        if not (one_line and os.path.isfile(text_or_path)):
            if one_line and len(text_or_path.split()) == 1 and not _is_document(text_or_path.encode("utf-8", "replace")):
                raise FileNotFoundError(f"no such file: {text_or_path}")
            given = text_or_path.encode("utf-8", "replace")
    judging = _judging(only, skip, expect)
    if given is not None or isinstance(text_or_path, bytes):
        begin, name = (given or b"")[:4096], "-"
    else:
        name = os.path.abspath(os.fspath(text_or_path))
        with open(name, "rb") as file:
            begin = file.read(4096)
    ways = [["diagnose", name], ["diagnose", "--log", name]] if _is_document(begin) else [["diagnose", "--log", name]]
    refused: Optional[UsageError] = None
    for way in ways:
        try:
            return read(Report, document([*way, *judging], timeout, given)[1])
        except UsageError as error:  # a text that begins like JSON may still be a log
            refused = refused or error
    assert refused is not None
    raise refused


def visible(snapshot: Optional[Path] = None, *, timeout: float = 120) -> Visible:
    """For CUDA, HIP, Level Zero, SYCL, OpenCL and each framework: the filters in order, the devices that a program sees in
    its own order, and why others are missing. Of this host and interpreter, or of a snapshot's file."""
    arguments = ["visible", *([os.path.abspath(os.fspath(snapshot))] if snapshot else _looking(False, None, timeout))]
    status, found = document(arguments, timeout + 15)
    return read(Visible, found)


def verify(*, kernels: Union[None, str, Iterable[str]] = None, devices: Union[None, str, Iterable[str]] = None, quick: bool = True,
           framework: Optional[str] = None, python: Optional[Path] = None, timeout: float = 120) -> Report:
    """Runs reference kernels on devices and compares each element with the CPU's, within derived bounds.

    kernels, devices: names, such as "gemm" and "cuda:0" or "gpu"; all by default. framework: through this
    framework's own operations ("torch", "tensorflow", "jax"). quick: small sizes. timeout: seconds.

    The figures are in report.snapshot["compute"]: sizes in elements, times in ms. Raises UsageError, ProgramError."""
    arguments = ["verify", *_looking(quick, python, timeout), *_names("--kernel", kernels), *_names("--device", devices),
                 *(["--framework", framework] if framework else [])]
    return read(Report, document(arguments, timeout + 15)[1])


def compare(a: Any, b: Any, *, op: Optional[str] = None, depth: Optional[int] = None, rtol: Optional[float] = None,
            atol: Optional[float] = None, timeout: float = 600) -> Comparison:
    """Compares two arrays, or two hosts.

    a: the reference; b: what is compared with it. Each is a path (.npy, .npz, .safetensors, .pt, a snapshot, a JSON report), or an
    array: of NumPy, PyTorch, TensorFlow, JAX or CuPy, anything with __array__ or a buffer, nested lists of numbers. Shapes
    must be equal. Arrays are written to a private temporary folder that is removed afterwards.
    op: what computed them, such as "matmul", and depth: how many products or terms each sum has; they decide how far apart
    rounding may bring the two (docs/commands/compare.md). Without op only equal numbers, or numbers off by one unit in the
    last place, are alike. rtol, atol: a network's outputs may differ by atol + rtol * |a|.

    Raises UsageError for something that is no array, an unknown op, or a file that cannot be read; ProgramError."""
    options = [*(["--op", op] if op else []), *(["--depth", str(int(depth))] if depth else []),
               *(["--rtol", repr(float(rtol))] if rtol is not None else []),
               *(["--atol", repr(float(atol))] if atol is not None else [])]
    with tempfile.TemporaryDirectory(prefix="envdoctor-") as folder:  # readable only for this user
        files = []
        for name, value in (("a.npy", a), ("b.npy", b)):
            if _arrays.is_path(value):
                files.append(os.path.abspath(os.fspath(value)))
            else:
                files.append(os.path.join(folder, name))
                _arrays.write(value, files[-1])
        status, found = document(["compare", *files, *options], timeout)
    return dataclasses.replace(read(Comparison, found), alike=status == 0, known=status != 3)
