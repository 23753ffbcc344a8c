"""Numbers that callers give: refused with words where they are none, or out of range."""

from __future__ import annotations

import operator
from typing import Any

#: No count or size is larger.
_MOST = 2**63 - 1
#: As many threads as the commands take at most.
_MOST_THREADS = 1024


def whole(name: str, value: Any, least: int = 0, most: int = _MOST) -> int:
    """A whole number; ``name`` is that of the argument."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is a whole number, not {value!r}") from None
    if not least <= number <= most:
        limits = f"of at least {least:,}" if most == _MOST else f"from {least:,} to {most:,}"
        raise ValueError(f"{name} is a whole number {limits}, not {number:,}")
    return number


def count(name: str, value: Any) -> int | None:
    """How many there are to be, at least one; None stays."""
    return None if value is None else whole(name, value, 1)


def memory_of(value: Any) -> int | None:
    """A number of bytes; None stays."""
    return None if value is None else whole("memory", value)


def threads_of(value: Any) -> int | None:
    """A number of threads; None stays."""
    return None if value is None else whole("threads", value, 1, _MOST_THREADS)
