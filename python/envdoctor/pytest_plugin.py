"""GPU tests that say why they were skipped, and fail where a GPU is required.

    @pytest.mark.gpu(count=1, memory_gib=20, framework="torch", arch="sm_80")
    def test_training(assert_agrees): ...

The host is probed once for a session, when the first such test is there; under pytest-xdist the first worker that needs it
does so and the others read its report. No framework is imported: it is queried in a child."""
from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import tempfile
from typing import Any, Callable, Iterator, List, Optional, Tuple

import pytest

from ._api import compare, document, _looking
from ._arrays import shape_text
from ._errors import EnvdoctorError, UsageError
from ._reports import ArrayDifference, Report, read
from ._require import FRAMEWORKS, Missing, Requirement, missing

_LIMIT_S = 120.0
_REFUSED = pytest.StashKey[bool]()  # marks a test that was failed before its fixtures


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("envdoctor")
    group.addoption("--gpu-required", action="store_true", default=False,
                    help="tests marked gpu fail, instead of being skipped, where the GPU they need is not there")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "gpu(count=1, memory_gib=0, framework=None, arch=None): needs so many usable GPUs; "
                                       "skipped with the cause where they are not there (see --gpu-required)")
    config.pluginmanager.register(_Session(config), "envdoctor-session")


def _requirement(item: pytest.Item) -> Optional[Requirement]:
    marks = list(item.iter_markers("gpu"))
    if not marks:
        return None
    names = ("count", "memory_gib", "framework", "arch")
    wanted: dict[str, Any] = {}
    for mark in reversed(marks):  # the closest mark counts
        if len(mark.args) > len(names) or set(mark.kwargs) - set(names):
            raise pytest.UsageError(f"{item.nodeid}: @pytest.mark.gpu takes {', '.join(names)}")
        wanted.update(dict(zip(names, mark.args)), **mark.kwargs)
    try:
        return Requirement(**wanted)
    except UsageError as error:
        raise pytest.UsageError(f"{item.nodeid}: @pytest.mark.gpu: {error}") from None


def _skipped_anyway(item: pytest.Item) -> bool:
    """Whether the test's own skip or skipif mark holds, which pytest evaluates and reports later."""
    try:
        from _pytest.skipping import evaluate_skip_marks
    except ImportError:
        return False
    return evaluate_skip_marks(item) is not None


def _framework(report: Report, name: str) -> str:
    """A framework that was queried, with its version and the CUDA that it was built for: "torch 2.4.1 (CUDA 12.4)"."""
    facts = report.snapshot.get(name)
    version, cuda = (facts.get(key) if isinstance(facts, dict) else None for key in ("version", "cuda_version"))
    if not isinstance(version, str):
        return ""
    return f"{name} {version}" + (f" (CUDA {cuda})" if isinstance(cuda, str) else "")


@contextlib.contextmanager
def _locked(path: str) -> Iterator[None]:
    import fcntl
    with open(path, "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class _Session:
    """One for each process: the controller's and each worker's share a private folder with the one report."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._worker: Optional[dict[str, Any]] = getattr(config, "workerinput", None)
        shared = self._worker.get("envdoctor_folder") if self._worker else None
        self._folder: Optional[str] = shared if shared and os.path.isdir(shared) else None  # a worker may be on another host
        self._own = self._folder is None
        self._needs: List[Requirement] = []
        self._seen: Optional[Tuple[Optional[Report], str]] = None  # the report, or why there is none
        self._answers: dict[Requirement, Optional[Missing]] = {}

    def _shared(self) -> str:
        if self._folder is None:
            self._folder = tempfile.mkdtemp(prefix="envdoctor-pytest-")
        return self._folder

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:  # xdist: one for each worker
        node.workerinput["envdoctor_folder"] = self._shared()

    @pytest.hookimpl(tryfirst=True)  # before the terminal reports the collection
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._needs = [need for need in map(_requirement, session.items) if need]

    def pytest_report_collectionfinish(self, config: pytest.Config) -> List[str]:
        if not self._needs or config.getoption("collectonly", False):
            return []
        return self._lines()

    # The report for this session: probed here if no other process has done so.
    def _report(self) -> Tuple[Optional[Report], str]:
        if self._seen is None:
            place = os.path.join(self._shared(), "report.json")
            with _locked(place + ".lock"):
                if not os.path.exists(place):
                    self._probe(place)
                with open(place, encoding="utf-8") as file:
                    found = json.load(file)
            self._seen = (read(Report, found["report"]) if found["report"] else None, found["error"])
        return self._seen

    def _probe(self, place: str) -> None:
        """Writes the program's report; a framework is only queried where a test needs one."""
        quick = not any(need.framework for need in self._needs)
        found: dict[str, Any] = {"report": None, "error": ""}
        try:
            found["report"] = dict(document(["check", *_looking(quick, sys.executable, _LIMIT_S)], _LIMIT_S + 15)[1])
        except EnvdoctorError as error:
            found["error"] = str(error)
        with open(place + ".new", "w", encoding="utf-8") as file:
            json.dump(found, file)
        os.replace(place + ".new", place)

    def _missing(self, need: Requirement) -> Optional[Missing]:
        if need not in self._answers:
            report, error = self._report()
            try:
                self._answers[need] = missing(report, need) if report else Missing(f"incomplete: {error}", "incomplete", False)
            except EnvdoctorError as failed:
                self._answers[need] = Missing(f"incomplete: {failed}", "incomplete", False)
        return self._answers[need]

    @pytest.hookimpl(tryfirst=True)  # before any fixture or hook that would touch the GPU
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        need = _requirement(item)
        why = self._missing(need) if need and not _skipped_anyway(item) else None
        if why and self._config.getoption("gpu_required"):
            item.stash[_REFUSED] = True
            pytest.fail(f"{why.cause} (--gpu-required is given)", pytrace=False)
        if why:
            pytest.skip(why.cause)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)  # after all other hooks, such as xfail's
    def pytest_runtest_makereport(self, item: pytest.Item, call: "pytest.CallInfo[None]") -> Iterator[None]:
        outcome: Any = yield
        if call.when == "setup" and item.stash.get(_REFUSED, False):
            report = outcome.get_result()
            report.when, report.outcome = "call", "failed"  # in the setup it would be an error, which looks like a broken fixture
            report.__dict__.pop("wasxfail", None)

    # The environment, in words and as names with values; without a probe.
    def _known(self) -> Optional[Tuple[Optional[Report], str]]:
        if self._seen is None and self._folder and os.path.exists(os.path.join(self._folder, "report.json")):
            return self._report()
        return self._seen

    def _properties(self) -> List[Tuple[str, str]]:
        known = self._known()
        if not known:
            return []
        report, error = known
        if not report:
            return [("envdoctor.verdict", "incomplete"), ("envdoctor.why", error)]
        gpus = {stack.subject: stack.name for stack in report.stacks}
        nvidia = report.snapshot.get("nvidia")
        driver = nvidia.get("kernel_driver_version") if isinstance(nvidia, dict) else None
        rows = [("envdoctor.verdict", report.verdict), ("envdoctor.why", report.verdict_why),
                ("envdoctor.cause", report.cause.id if report.cause else ""),
                ("envdoctor.gpus", "; ".join(f"{name} ({subject[4:]})" if subject.startswith("gpu:") else subject for subject, name in gpus.items())),
                ("envdoctor.nvidia_driver", driver if isinstance(driver, str) else ""),
                ("envdoctor.frameworks", "; ".join(filter(None, (_framework(report, name) for name in FRAMEWORKS))))]
        tool = report.raw.get("tool")
        rows.append(("envdoctor.version", str(tool.get("version", "")) if isinstance(tool, dict) else ""))
        return [(name, value) for name, value in rows if value]

    def _lines(self) -> List[str]:
        if self._seen is None and self._own:
            self._report()
        rows = dict(self._properties())
        if not rows:
            return []
        parts = [rows[key] for key in ("envdoctor.gpus",) if key in rows]
        parts += [f"NVIDIA driver {rows['envdoctor.nvidia_driver']}"] if "envdoctor.nvidia_driver" in rows else []
        parts += [rows["envdoctor.frameworks"]] if "envdoctor.frameworks" in rows else []
        cause = f"{rows['envdoctor.cause']}: " if "envdoctor.cause" in rows else ""
        return [f"envdoctor: {rows['envdoctor.verdict']}, {cause}{rows.get('envdoctor.why', '')}", *([f"envdoctor: {', '.join(parts)}"] if parts else [])]

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        if self._worker is not None:
            return
        try:
            from _pytest.junitxml import xml_key
        except ImportError:
            return
        xml = self._config.stash.get(xml_key, None)
        if xml:
            for name, value in self._properties():
                xml.add_global_property(name, value)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self._needs or self._worker is not None:  # reported after the collection
            return
        for line in self._lines() if self._known() else ():
            terminalreporter.write_line(line)

    def pytest_unconfigure(self) -> None:
        if self._own and self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)


def _described(one: ArrayDifference, op: Optional[str]) -> str:
    """The most important fact in the first line, because pytest's summary shows only that."""
    summary = one.summary or one.error
    said = [summary]
    if one.error and one.error not in summary:
        said.append(one.error)
    if one.differing and one.judgement:
        said.insert(0, f"{'unexplained' if one.judgement == 'none' else one.judgement}: {one.explanation}")
    if one.worst_place is not None and one.differing:
        by = f", a difference of {one.max_absolute:g}" if one.max_absolute is not None else ""
        said.append(f"worst at {shape_text(one.worst_place)}: {one.worst_b}, expected {one.worst_a}{by}")
    if one.differing and not one.judgement:
        lacking = "depth=, the number of products or terms in each sum" if op else "op= (and depth= for sums), which say what was computed"
        said.append(f"not judged: {one.explanation or f'give {lacking}'}")
    said += [one.hint] if one.hint else []
    return (f"{one.name}: " if one.name else "") + "\n".join(said)


@pytest.fixture(scope="session")
def assert_agrees() -> Callable[..., None]:
    """assert_agrees(actual, expected, op=None, depth=None, rtol=None, atol=None): fails unless rounding in their own type
    explains the difference, as `envdoctor compare --op` judges it. op: what computed them, such as "matmul"; depth: how many
    products or terms each sum has. The message has the difference's name and the index of the worst element."""

    def agrees(actual: Any, expected: Any, op: Optional[str] = None, depth: Optional[int] = None, rtol: Optional[float] = None,
               atol: Optional[float] = None) -> None:
        __tracebackhide__ = True
        try:
            found = compare(expected, actual, op=op, depth=depth, rtol=rtol, atol=atol)
        except EnvdoctorError as error:
            raise error.with_traceback(None) from None  # the test's line matters, not ours
        if found.alike:
            return
        text = "\n".join(_described(one, op) for one in found.arrays) or "nothing was compared"
        if not found.known:
            text = f"nothing was compared: {text}"
        raise AssertionError(f"{text}\n(A is what was expected, B what was computed)")

    return agrees
