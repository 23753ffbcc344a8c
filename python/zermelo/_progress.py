"""Progress of long work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

#: ``True`` prints a line to standard error. A function receives the name of the phase, the amount
#: done, the total (or None if it is unknown), and the unit in the plural.
Progress: TypeAlias = bool | Callable[[str, int, int | None, str], object] | None

Tell: TypeAlias = Callable[[str, int, int | None, str], object] | None


@contextmanager
def telling(progress: Progress) -> Iterator[Tell]:
    """Provide the function that receives the progress of some work, or None."""
    if progress is None or progress is False:
        yield None
    elif progress is True:
        line = _Line()
        try:
            yield line.tell
        finally:
            line.end()
    elif callable(progress):
        yield progress
    else:
        raise TypeError(f"progress is True, or a function that is told of it, not {progress!r}")


class _Line:
    """A line on standard error that is updated in place."""

    def __init__(self) -> None:
        self._is_begun = False

    def tell(self, phase: str, done: int, total: int | None, unit: str) -> None:
        self._is_begun = True
        count = f"{done:,} of {total:,} {unit}" if total else f"{done:,} {unit}"
        print(f"\r{phase}: {count}\x1b[K", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """End the line, so that other output starts on a new one."""
        if self._is_begun:
            print(file=sys.stderr, flush=True)
