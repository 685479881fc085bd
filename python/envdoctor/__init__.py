"""Will a GPU really be used, and if not, why: the program envdoctor from Python.

    report = envdoctor.check(quick=True)
    print(report.verdict, report.cause and report.cause.title)
    envdoctor.require(gpus=1, framework="torch")     # raises envdoctor.Unavailable with the cause
    envdoctor.compare(cpu, gpu, op="matmul", depth=1024).alike

What is listed in __all__ is stable: names, arguments and fields stay and keep their meaning until version 2; fields,
optional arguments and ids may be added. Names that begin with an underscore may change at any time. Everything is thread-safe:
each call starts the program once, in a child."""
from ._api import check, compare, diagnose, verify, visible
from ._errors import EnvdoctorError, ProgramError, Unavailable, UsageError
from ._program import program
from ._reports import (ArrayDifference, Check, Comparison, DecisiveLine, Device, Evidence, Filter, Finding, Fix, Layer, Report, Stack,
                       Undetermined, Visible, VisibleStack)
from ._require import require
from ._watch import Watch

__all__ = ["ArrayDifference", "Check", "Comparison", "DecisiveLine", "Device", "EnvdoctorError", "Evidence", "Filter", "Finding", "Fix", "Layer",
           "ProgramError", "Report", "Stack", "Unavailable", "Undetermined", "UsageError", "Visible", "VisibleStack", "Watch", "check", "compare",
           "diagnose", "program", "require", "verify", "visible"]
