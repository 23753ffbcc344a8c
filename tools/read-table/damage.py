"""Errors of damaged files, and checked decompression."""

import zlib


class Damaged(Exception):
    """The file is damaged or inconsistent."""


def demand(condition, problem):
    if not condition:
        raise Damaged(problem)


def inflate(data, at_most):
    """Inflates a complete raw deflate stream of at most the given number of bytes."""
    inflater = zlib.decompressobj(wbits=-15)
    try:
        inflated = inflater.decompress(data, at_most + 1)
    except zlib.error as error:
        raise Damaged(f"a deflated stream is damaged: {error}") from error
    demand(inflater.eof and not inflater.unused_data, "a deflated stream is longer or shorter")
    return inflated
