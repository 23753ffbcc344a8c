"""Progress of long work."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeAlias

#: ``True`` prints a line to standard error; a function is called with the name of the phase, what
#: is done of it, how much it is in all (None if nobody knows), and the unit, in the plural.
Progress: TypeAlias = bool | Callable[[str, int, int | None, str], object] | None


def teller(progress: Progress) -> Callable[[str, int, int | None, str], object] | None:
    """What is called with progress."""
    if progress is None or progress is False:
        return None
    return _print if progress is True else progress


def _print(phase: str, done: int, total: int | None, unit: str) -> None:
    count = f"{done:,} of {total:,} {unit}" if total else f"{done:,} {unit}"
    print(f"\r{phase}: {count}\x1b[K", end="", file=sys.stderr, flush=True)
