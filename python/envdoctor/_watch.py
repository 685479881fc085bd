"""Whether a GPU worked while a block of this process ran."""
from __future__ import annotations

import json
import os
import subprocess
from types import TracebackType
from typing import Any, Mapping, Optional, Type

from ._api import _environment, _program
from ._errors import ProgramError, Unavailable

_LONGEST = 86400  # seconds, the program's limit


class Watch:
    """Reports after a block whether a GPU worked for this process while it ran:

        with envdoctor.Watch() as watch:
            train()
        print(watch.line)      # ran on GPU 0 (83 % busy, peak 5.1 GiB)
        watch.require()        # raises Unavailable unless a GPU worked

    The program looks at this process and its descendants from outside, for half a percent of a core: which GPU nodes they
    hold open and, through NVML, how busy they kept which GPU. Where it cannot look (inside most containers NVML's process
    numbers are others), and for blocks of less than a second, the answer is "unknown", never a guess.

    use: "ran", "idle" (a GPU was opened and hardly used), "never-opened" or "unknown"; "unknown" until the block has ended.
    worked: True, False, or None for unknown. line: the same in a sentence. raw: all that was seen.
    Errors of the block itself pass unchanged; where the program cannot be started, entering raises ProgramError."""

    def __init__(self, pid: Optional[int] = None) -> None:
        self._pid = os.getpid() if pid is None else pid
        self._child: Optional["subprocess.Popen[bytes]"] = None
        self.use = "unknown"
        self.worked: Optional[bool] = None
        self.line = "the block has not ended"
        self.raw: Mapping[str, Any] = {}

    def __enter__(self) -> "Watch":
        command = [_program(), "pid", str(self._pid), "--seconds", str(_LONGEST), "--until-input-ends", "--format", "json"]
        try:
            self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=_environment())
        except OSError as error:
            raise ProgramError(f"{command[0]} cannot be started: {error}") from None
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        try:
            text, said = child.communicate(timeout=20)  # closes its standard input first
            seen = json.loads(text)
            verdict = seen["verdict"]
            self.raw, self.use, self.line = seen, str(verdict["use"]), str(verdict["line"])
            self.worked = True if verdict["worked"] else False if self.use in ("idle", "never-opened") else None
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            self.line = "could not determine whether it used a GPU: the watcher gave no answer within 20 s"
        except (ValueError, KeyError, TypeError):
            self.line = "could not determine whether it used a GPU: " + said.decode("utf-8", "replace").strip()[-300:]

    def require(self) -> None:
        """Raises Unavailable unless a GPU worked in the block."""
        if not self.worked:
            raise Unavailable(f"usage.{self.use}: {self.line}" if self.use != "unknown" else f"incomplete: {self.line}",
                              "incomplete" if self.worked is None else f"usage.{self.use}", self.worked is not None)
