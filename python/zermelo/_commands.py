"""The commands `zermelo`, `solve` and `check-ai`."""

import signal
import sys
from typing import NoReturn

from . import _zermelo


def _run(*words: str) -> NoReturn:
    # The program handles Ctrl-C itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_zermelo.command([*words, *sys.argv[1:]]))


def zermelo() -> NoReturn:
    """Run the command line."""
    _run("zermelo")


def solve() -> NoReturn:
    """Run `zermelo solve`."""
    _run("zermelo", "solve")


def check_ai() -> NoReturn:
    """Run `zermelo check-ai`."""
    _run("zermelo", "check-ai")
