"""Exceptions of the package."""


class NotInTable(KeyError):
    """A position without a score in the table: it is not reachable in the game.

    >>> import zermelo
    >>> table = zermelo.solve("kalah", pits=2, seeds=1)
    >>> "2,0:0/2,0:0" in table
    False
    >>> table.get("2,0:0/2,0:0", "unknown")
    'unknown'
    """

    def __str__(self) -> str:
        # A KeyError shows its message in quotes.
        return str(self.args[0]) if self.args else ""


class TableError(ValueError):
    """A file that is not an undamaged table of a known game."""


class SolveError(ValueError):
    """A game that can't be solved, because its rules are faulty or a position can repeat."""

    #: Whether the message names the position.
    _names_position = False


def placed(message: str) -> SolveError:
    """Return an error whose message names the position."""
    error = SolveError(message)
    error._names_position = True
    return error
