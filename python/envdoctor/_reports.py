"""The documents that the program writes, as frozen objects. Unknown fields are ignored, fields that
are missing have the value for "unknown", so older and newer programs can be read."""
from __future__ import annotations

import dataclasses
import typing
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Tuple, Type, TypeVar

T = TypeVar("T")


_known: Dict[Any, Dict[str, Any]] = {}


def _hints(cls: Any) -> Dict[str, Any]:
    if cls not in _known:
        _known[cls] = typing.get_type_hints(cls)
    return _known[cls]


def _value(hint: Any, given: Any) -> Any:
    """`given` converted to the type; None if it is of another type."""
    origin: Any = getattr(hint, "__origin__", None)
    inner: Tuple[Any, ...] = getattr(hint, "__args__", ())
    if hint is Any:
        return given
    if origin is typing.Union:
        return _value(inner[0], given)
    if origin is tuple:
        values = [_value(inner[0], item) for item in given] if isinstance(given, list) else None
        return None if values is None else tuple(v for v in values if v is not None)
    if origin in (dict, Mapping, getattr(Mapping, "__origin__", None)):
        return given if isinstance(given, dict) else None
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return read(hint, given) if isinstance(given, dict) else None
    if hint is float:
        return float(given) if isinstance(given, (int, float)) and not isinstance(given, bool) else None
    if hint is int and isinstance(given, bool):
        return None
    return given if isinstance(given, hint) else None


def read(cls: Type[T], document: Mapping[str, Any]) -> T:
    """An object of this class from a JSON object."""
    hints, values = _hints(cls), {}
    for name, hint in hints.items():
        if name in document:
            value = _value(hint, document[name])
            if value is not None:
                values[name] = value
    if "raw" in hints:
        values["raw"] = document
    return cls(**values)


@dataclass(frozen=True)
class Evidence:
    """One fact: a place and its value."""

    path: str = ""  #: JSON pointer into the snapshot; "log" for a line of a text
    value: str = ""
    source: str = ""  #: the file it was read from; "" for facts of the host
    line: int = 0  #: counted from 1; 0: not from a file
    cell: int = 0  #: of a notebook, counted from 1


@dataclass(frozen=True)
class Fix:
    """One step: in words and, where it is exact for this host, as a command. Read a command before you run it."""

    text: str = ""
    command: str = ""


@dataclass(frozen=True)
class Finding:
    """One diagnosis that holds here. The ids are stable; `envdoctor explain ID` describes one in full."""

    id: str = ""  #: "driver.too-old"
    severity: str = ""  #: "error", "warning" or "info"
    confidence: str = ""  #: "certain", "likely" or "possible"
    layer: str = ""
    subject: str = ""  #: "host", "gpu:0000:65:00.0", "framework:torch", ...
    title: str = ""
    explanation: str = ""
    evidence: Tuple[Evidence, ...] = ()
    fix: Tuple[Fix, ...] = ()
    root: bool = False  #: no other finding explains it
    caused_by: Tuple[str, ...] = ()  #: ids
    doc: str = ""


@dataclass(frozen=True)
class Layer:
    """One step from silicon to training, of one GPU."""

    layer: str = ""  #: "hardware", "kernel-driver", "device-node", "user-driver", "visibility", "runtime", ...
    state: str = ""  #: "ok", "broken", "unknown" or "not-applicable"
    why: str = ""


@dataclass(frozen=True)
class Stack:
    """The layers of one GPU through one vendor interface."""

    subject: str = ""  #: "gpu:0000:65:00.0"
    name: str = ""
    stack: str = ""  #: "cuda", "rocm", "level-zero" or "opencl"
    layers: Tuple[Layer, ...] = ()
    first_broken: Optional[str] = None

    def through_runtime(self) -> Optional[bool]:
        """Whether a program can use the GPU this way: True, False, or None where that is unknown."""
        before = [one for one in self.layers if one.layer not in ("framework", "compute", "use")]
        states = {one.state for one in before}
        if "broken" in states:
            return False
        if "unknown" in states or not states:
            return None
        proved = any(one.state == "ok" for one in before if one.layer in ("visibility", "runtime"))
        return proved  # otherwise the GPU was not granted here


@dataclass(frozen=True)
class Check:
    """The result of one diagnosis: "passed", "failed", "unknown" or "not-applicable"."""

    id: str = ""
    state: str = ""
    why: str = ""


@dataclass(frozen=True)
class DecisiveLine:
    source: str = ""
    line: int = 0
    text: str = ""


@dataclass(frozen=True)
class Undetermined:
    """What is known about a text with an error for which no cause was found."""

    lines: int = 0  #: number of lines read
    decisive: Tuple[DecisiveLine, ...] = ()
    excluded: Tuple[str, ...] = ()  #: ids that the facts rule out
    missing: Tuple[str, ...] = ()  #: the missing facts, in words
    next_command: str = ""


@dataclass(frozen=True)
class Report:
    """What `check`, `diagnose` and `verify` found."""

    verdict: str = "incomplete"  #: "pass", "warn", "fail" or "incomplete"
    verdict_why: str = ""
    findings: Tuple[Finding, ...] = ()  #: in order of importance, roots first
    stacks: Tuple[Stack, ...] = ()
    checks: Tuple[Check, ...] = ()
    undetermined: Optional[Undetermined] = None
    snapshot: Mapping[str, Any] = field(default_factory=dict, repr=False)  #: the evidence, docs/schema/snapshot-1.json
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)  #: the whole document, docs/schema/report-1.json

    @property
    def ok(self) -> bool:
        """Nothing at error severity was found, and nothing that is needed stayed unknown."""
        return self.verdict in ("pass", "warn")

    @property
    def cause(self) -> Optional[Finding]:
        """The likeliest cause: the first root finding that is an error, or else a warning."""
        roots = [one for one in self.findings if one.root]
        for severity in ("error", "warning"):
            for one in roots:
                if one.severity == severity:
                    return one
        return None

    def finding(self, id: str) -> Optional[Finding]:
        """The finding of this id; None: it was not found here."""
        return next((one for one in self.findings if one.id == id), None)


@dataclass(frozen=True)
class Filter:
    """Something that hides devices from a program, such as CUDA_VISIBLE_DEVICES."""

    name: str = ""
    value: str = ""
    effect: str = ""


@dataclass(frozen=True)
class Device:
    name: str = ""
    uuid: str = ""
    pci_address: str = ""
    by: str = ""  #: of a hidden device: the filter that hides it
    why: str = ""  #: of a hidden device


@dataclass(frozen=True)
class VisibleStack:
    """What a program sees through one interface or framework."""

    stack: str = ""  #: "cuda", "rocm", "level-zero", "sycl", "opencl", "tensorflow", "torch" or "jax"
    filters: Tuple[Filter, ...] = ()
    devices: Optional[Tuple[Device, ...]] = None  #: in the program's own order; None: unknown
    hidden: Tuple[Device, ...] = ()
    observed: bool = False  #: False: derived from variables, the runtime was not queried
    order_guessed: bool = False


@dataclass(frozen=True)
class Visible:
    """What `visible` lists: per stack the filters in order and the devices that a program sees."""

    stacks: Tuple[VisibleStack, ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def stack(self, name: str) -> Optional[VisibleStack]:
        return next((one for one in self.stacks if one.stack == name), None)


@dataclass(frozen=True)
class ArrayDifference:
    """Two arrays that should be equal. Numbers are of B relative to A, the reference."""

    name: str = ""  #: in an archive; "" for the only array
    summary: str = ""  #: one sentence
    error: str = ""  #: shapes differ, or the array is in one file only: nothing was compared
    type_a: str = ""
    type_b: str = ""
    shape: Tuple[int, ...] = ()
    count: int = 0
    differing: int = 0
    where: str = ""  #: "none", "one", "row", "column", "rows", "columns", "tail", "block", "spread" or "all"
    worst_place: Optional[Tuple[int, ...]] = None  #: the index of the largest difference, such as (17, 5)
    worst_a: str = ""
    worst_b: str = ""
    max_ulp: Optional[float] = None  #: in units in the last place of the coarser type
    max_absolute: Optional[float] = None
    max_relative: Optional[float] = None
    beyond: int = 0  #: how many exceed the limit
    judgement: Optional[str] = None  #: the mildest arithmetic that explains it: "float32-rounding", "tf32-or-half-inputs", ...
    explanation: str = ""
    hint: str = ""


@dataclass(frozen=True)
class Comparison:
    """What `compare` says of arrays or of hosts."""

    alike: bool = False  #: the same, or explained by rounding or the tolerance; of hosts: results cannot differ
    known: bool = False  #: False: nothing was compared, or something that is needed is unknown
    arrays: Tuple[ArrayDifference, ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)  #: for hosts the only content
