"""What goes wrong, as exceptions."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Tuple

if TYPE_CHECKING:
    from ._reports import Report


class EnvdoctorError(Exception):
    """Base of all errors of this package."""


class ProgramError(EnvdoctorError):
    """The program could not be found or started, did not end in time, or wrote what is no report."""


class UsageError(EnvdoctorError, ValueError):
    """The program refused what it was given: a file that cannot be read, an unknown name, an option that makes no sense.
    The text says what to do."""


class Unavailable(EnvdoctorError):
    """What was required is not there. `str()` begins with the id of the cause: "driver.too-old: ..."."""

    def __init__(self, cause: str, id: str, known: bool, report: "Optional[Report]" = None) -> None:
        super().__init__(cause)
        self.cause = cause
        self.id = id  #: of the diagnosis, such as "driver.too-old"; "incomplete" where nobody knows
        self.known = known  #: False: nothing proves that it is missing, but it could not be shown to be there
        self.report = report

    def __reduce__(self) -> Tuple[Any, ...]:  # a pool of processes sends it
        return type(self), (self.cause, self.id, self.known, self.report)
