"""The command `zermelo`."""

import signal
import sys
from typing import NoReturn

from . import _zermelo


def zermelo() -> NoReturn:
    """Run the command line."""
    # The program handles Ctrl-C itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_zermelo.command(["zermelo", *sys.argv[1:]]))
