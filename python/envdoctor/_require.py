"""Whether the requirements of a program or a test are met, and if not, why. The program judges; this module only
counts the GPUs that it calls usable."""
from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple

from ._api import check, diagnose
from ._errors import Unavailable, UsageError
from ._reports import Finding, Report

FRAMEWORKS = ("torch", "tensorflow", "jax")


@dataclass(frozen=True)
class Requirement:
    """At least `count` GPUs that can be used, each with `memory_gib` of memory and of `arch`, listed by `framework`."""

    count: int = 1
    memory_gib: float = 0
    framework: Optional[str] = None  #: "torch", "tensorflow" or "jax"
    arch: Optional[str] = None  #: "sm_80": this compute capability or a newer one; "gfx942": exactly this

    def __post_init__(self) -> None:
        if not isinstance(self.count, int) or isinstance(self.count, bool) or self.count < 1:
            raise UsageError(f"count={self.count!r}: a number of GPUs from 1 on is needed")
        if not isinstance(self.memory_gib, (int, float)) or isinstance(self.memory_gib, bool) or not self.memory_gib >= 0:
            raise UsageError(f"memory_gib={self.memory_gib!r}: a number of GiB is needed")
        if self.framework is not None and self.framework not in FRAMEWORKS:
            raise UsageError(f"framework={self.framework!r}: one of {', '.join(FRAMEWORKS)} is needed")
        if self.arch is not None and not re.fullmatch(r"sm_\d{2,3}|gfx[0-9a-f]{3,5}", str(self.arch)):
            raise UsageError(f"arch={self.arch!r}: a name such as sm_80 or gfx942 is needed")


def _devices(snapshot: Mapping[str, Any]) -> Dict[str, Dict[str, Any]]:
    """The known facts of each device, by PCI address in lower case."""
    found: Dict[str, Dict[str, Any]] = {}
    for section, lists in (("nvidia", ("cuda_devices", "devices")), ("rocm", ("devices",)), ("level_zero", ("devices",))):
        facts = snapshot.get(section)
        for name in lists:
            rows = facts.get(name) if isinstance(facts, dict) else None
            for row in rows if isinstance(rows, list) else ():
                address = row.get("pci_address") if isinstance(row, dict) else None
                if isinstance(address, str):
                    known = {key: value for key, value in row.items() if not isinstance(value, dict)}  # {"failed": why}
                    found.setdefault(address.lower(), {}).update(known)
    return found


def _capability(text: Any) -> Optional[Tuple[int, int]]:
    parts = re.fullmatch(r"(\d+)\.(\d+)", text) if isinstance(text, str) else None
    return (int(parts.group(1)), int(parts.group(2))) if parts else None


def _fits_arch(device: Mapping[str, Any], arch: str) -> Optional[bool]:
    if arch.startswith("gfx"):
        gfx = device.get("gfx")
        return gfx == arch if isinstance(gfx, str) else (False if "compute_capability" in device else None)
    have = _capability(device.get("compute_capability"))
    if have is None:
        return False if "gfx" in device else None
    return have >= (int(arch[3:-1]), int(arch[-1]))


@dataclass(frozen=True)
class Missing:
    """Why a requirement is not met."""

    cause: str  #: "driver.too-old: the driver is too old for CUDA 12"
    id: str
    known: bool  #: False: it could not be determined


def _because(finding: Finding) -> Missing:
    return Missing(f"{finding.id}: {finding.title}", finding.id, finding.confidence != "possible")


def _error(report: Report, framework: Optional[str] = None) -> Optional[Finding]:
    """The first root that is an error. framework: a finding about it, or else one about no other framework."""
    roots = [one for one in report.findings if one.root and one.severity == "error" and not one.id.startswith("expect.")]
    if framework:
        own = f"framework:{framework}"
        roots = [one for one in roots if one.subject == own] + [one for one in roots if not one.subject.startswith("framework:")]
    return roots[0] if roots else None


def _counted(report: Report, need: Requirement) -> Optional[Missing]:
    states: Dict[str, Optional[bool]] = {}
    for stack in report.stacks:
        state, before = stack.through_runtime(), states.get(stack.subject, False)
        states[stack.subject] = True if state or before else (None if state is None or before is None else False)
    devices, wrong, unknown, good = _devices(report.snapshot), [], [], 0
    for subject, state in states.items():
        device = devices.get(subject[len("gpu:"):].lower(), {}) if subject.startswith("gpu:") else {}
        doubts: List[str] = [] if state else ["whether it can be used"] if state is None else []
        short: List[str] = [] if state is not False else ["cannot be used"]
        memory = device.get("memory_total_mib")
        if not isinstance(memory, (int, float)):
            doubts += ["its memory"] if need.memory_gib else []
        elif memory < need.memory_gib * 1024:
            short.append(f"has {memory / 1024:.1f} GiB")
        fits = _fits_arch(device, need.arch) if need.arch else True
        if fits is None:
            doubts.append("its architecture")
        elif not fits:
            have = device.get("gfx") or "sm_" + str(device.get("compute_capability", "?")).replace(".", "")
            short.append(f"is {have}")
        if short:
            wrong.append(f"{subject} {' and '.join(short)}")
        elif doubts:
            unknown.append(f"{subject}: {' and '.join(doubts)} is not known")
        else:
            good += 1
    if good >= need.count:
        return None
    if good + len(unknown) >= need.count:
        return Missing(f"incomplete: {'; '.join(unknown)}", "incomplete", False)
    found = _error(report)
    if found:
        return _because(found)
    if not states and report.verdict == "incomplete":
        return Missing(f"incomplete: {report.verdict_why}", "incomplete", False)
    wanted = [f"{need.count} GPU{'s' * (need.count != 1)}", *([f"{need.memory_gib:g} GiB"] if need.memory_gib else []),
              *([need.arch] if need.arch else [])]
    details = f" ({'; '.join(wrong + unknown)})" if wrong or unknown else ""
    return Missing(f"expect.gpus: {', '.join(wanted)} needed, {good} usable{details}", "expect.gpus", True)


def missing(report: Report, need: Requirement) -> Optional[Missing]:
    """Why the requirement is not met on the host of this report; None: it is met. For a framework's part the program is
    run again on the same evidence."""
    why = _counted(report, need)
    if why or not need.framework:
        return why
    asked = diagnose(json.dumps({"schema": "envdoctor.report/1", "snapshot": report.snapshot}), expect=f"framework={need.framework}")
    unmet = asked.finding("expect.framework")
    if not unmet:
        return None
    found = _error(asked, need.framework)
    if found:
        return _because(found)
    return Missing(f"expect.framework: {unmet.explanation}", unmet.id, unmet.confidence != "possible")


def require(gpus: int = 1, framework: Optional[str] = None, *, memory_gib: float = 0, arch: Optional[str] = None,
            report: Optional[Report] = None, timeout: float = 120) -> Report:
    """Raises Unavailable, with the cause, unless this host has so many usable GPUs.

    gpus: at least so many. framework: "torch", "tensorflow" or "jax" must list a GPU in this interpreter's environment; it is
    asked in a child, which takes seconds. memory_gib: of each, in GiB. arch: "sm_80" (this compute capability or a newer
    one) or "gfx942" (exactly this). report: judge this one instead of looking again. timeout: seconds.

    A fact that could not be determined counts as missing; then the error's `known` is False. Returns the report."""
    try:
        need = Requirement(gpus, memory_gib, framework, arch)
    except UsageError as error:
        raise UsageError(str(error).replace("count=", "gpus=", 1)) from None
    seen = report if report is not None else check(quick=framework is None, timeout=timeout)
    why = missing(seen, need)
    if why:
        raise Unavailable(why.cause, why.id, why.known, seen)
    return seen
