"""What is wrong with a file, and streams that must be right."""

import zlib


class Damaged(Exception):
    """The file isn't what it says."""


def demand(condition, problem):
    if not condition:
        raise Damaged(problem)


def inflate(data, at_most):
    """A raw deflate stream, all of it and not more than so many bytes."""
    inflater = zlib.decompressobj(wbits=-15)
    try:
        inflated = inflater.decompress(data, at_most + 1)
    except zlib.error as error:
        raise Damaged(f"a deflated stream is damaged: {error}") from error
    demand(inflater.eof and not inflater.unused_data, "a deflated stream is longer or shorter")
    return inflated
