"""The command line, for `python -m zermelo`."""

from ._commands import zermelo

if __name__ == "__main__":
    zermelo()
