"""The exceptions of this package."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Tuple

if TYPE_CHECKING:
    from ._reports import Report


class EnvdoctorError(Exception):
    """Base of all errors of this package."""


class ProgramError(EnvdoctorError):
    """The program could not be found or started, did not end in time, or wrote no valid report."""


class UsageError(EnvdoctorError, ValueError):
    """The program refused its input: a file that cannot be read, an unknown name, an option that makes no sense.
    The text says what to do."""


class Unavailable(EnvdoctorError):
    """A requirement is not met. `str()` begins with the id of the cause: "driver.too-old: ..."."""

    def __init__(self, cause: str, id: str, known: bool, report: "Optional[Report]" = None) -> None:
        super().__init__(cause)
        self.cause = cause
        self.id = id  #: of the diagnosis, such as "driver.too-old"; "incomplete" where it is unknown
        self.known = known  #: False: nothing proves that it is missing, but it could not be shown to exist
        self.report = report

    def __reduce__(self) -> Tuple[Any, ...]:  # a pool of processes sends it
        return type(self), (self.cause, self.id, self.known, self.report)
