"""Positions: strings in the game's notation that know their parts."""

from __future__ import annotations

from typing import Literal

Side = Literal["first", "second"]


class Position(str):
    """A position in the game's notation.

    It is a string, equal to any other with the same letters, and may go wherever one may; what it
    consists of can be asked by name. Oracles give positions of the class that suits the game, and
    make one of any string: ``table.position("X...O....")``.
    """

    __slots__ = ()


class KalahPosition(Position):
    """A position of Kalah, such as ``2,2,2,2,0,3:1/2,2,2,2,2,2:0 first``.

    >>> p = KalahPosition("0,3:1/2,2:0 second")
    >>> p.pits, p.stores, p.side
    (((0, 3), (2, 2)), (1, 0), 'second')
    >>> p == "0,3:1/2,2:0 second"
    True
    """

    __slots__ = ()

    def _players(self) -> tuple[str, str]:
        first, second = self.split()[0].split("/")
        return first, second

    @property
    def pits(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The seeds in the first and the second player's pits, each from the owner's left."""
        first, second = (
            tuple(int(seeds) for seeds in player.split(":")[0].split(","))
            for player in self._players()
        )
        return first, second

    @property
    def stores(self) -> tuple[int, int] | None:
        """The seeds in the two stores; None if the notation leaves them out."""
        first, second = (player.partition(":")[2] for player in self._players())
        return (int(first), int(second)) if first and second else None

    @property
    def side(self) -> Side:
        """Whose turn it is."""
        return "second" if self.endswith("second") else "first"


class BoardPosition(Position):
    """A position on a board of cells, such as ``X...O....`` in tic-tac-toe.

    >>> p = TicTacToePosition("X...O....")
    >>> p.rows
    (('X', '.', '.'), ('.', 'O', '.'), ('.', '.', '.'))
    >>> p.side
    'first'
    """

    __slots__ = ()

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The cells' letters, row by row from the top."""
        return tuple(tuple(row) for row in self.split()[0].split("/"))

    @property
    def side(self) -> Side:
        """Whose turn it is."""
        letters = str(self)
        return "first" if letters.count("X") == letters.count("O") else "second"


class TicTacToePosition(BoardPosition):
    """A position of tic-tac-toe: nine letters ``X``, ``O`` and ``.``."""

    __slots__ = ()

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The cells' letters, row by row from the top."""
        return tuple(tuple(self[start : start + 3]) for start in (0, 3, 6))


class ReversiPosition(BoardPosition):
    """A position of Reversi, such as ``..../.WB./.BW./.... B``."""

    __slots__ = ()

    @property
    def side(self) -> Side:
        """Whose turn it is: Black's, who is first, or White's."""
        return "first" if self.endswith("B") else "second"


CLASSES: dict[str, type[Position]] = {
    "kalah": KalahPosition,
    "tictactoe": TicTacToePosition,
    "connect4": BoardPosition,
    "reversi4": ReversiPosition,
    "reversi24": ReversiPosition,
}
