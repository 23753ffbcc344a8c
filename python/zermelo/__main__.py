"""`python -m zermelo` is the command line."""

from ._commands import zermelo

if __name__ == "__main__":
    zermelo()
