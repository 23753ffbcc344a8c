"""Checks of the numbers that callers pass."""

from __future__ import annotations

import operator
from typing import Any

#: The largest count or size.
_MOST = 2**63 - 1
#: The most threads, as on the command line.
_MOST_THREADS = 1024


def whole(name: str, value: Any, least: int = 0, most: int = _MOST) -> int:
    """Return a whole number; ``name`` is the name of the argument."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is a whole number, not {value!r}") from None
    if not least <= number <= most:
        is_low = most == _MOST and number < least
        limits = f"of at least {least:,}" if is_low else f"from {least:,} to {most:,}"
        raise ValueError(f"{name} is a whole number {limits}, not {number:,}")
    return number


def number(name: str, value: Any) -> float:
    """Return a number; ``name`` is the name of the argument."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is a number, not {value!r}") from None


def count(name: str, value: Any) -> int | None:
    """Return a count of at least one, or None."""
    return None if value is None else whole(name, value, 1)


def memory_of(value: Any) -> int | None:
    """Return a number of bytes, or None."""
    return None if value is None else whole("memory", value)


def threads_of(value: Any) -> int | None:
    """Return a number of threads, or None."""
    return None if value is None else whole("threads", value, 1, _MOST_THREADS)
