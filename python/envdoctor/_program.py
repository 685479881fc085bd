"""Where the program is: in the package itself, or else where ENVDOCTOR says, or else on PATH."""
from __future__ import annotations

import os
import shutil
from typing import Optional


def program() -> Optional[str]:
    """The path of the program, or None where there is none."""
    inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "envdoctor")
    if os.access(inside, os.X_OK):
        return inside
    return os.environ.get("ENVDOCTOR") or shutil.which("envdoctor")
