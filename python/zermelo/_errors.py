"""What goes wrong, besides Python's own exceptions."""


class NotInTable(KeyError):
    """A position that the table has no score of: it can't come up in the game.

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
    """A file that is no undamaged table of a known game."""


class SolveError(ValueError):
    """A game that can't be solved: its rules contradict themselves, or a position comes up twice."""
