"""Positions: strings in the game's notation with attributes."""

from __future__ import annotations

from html import escape
from typing import Literal

Side = Literal["first", "second"]


class Position(str):
    """A position in the game's notation.

    It is a string, equal to any other with the same text, and works wherever a string does. Its
    attributes are the parts of the position. Oracles return positions of the class for their game,
    and convert strings: ``table.position("X...O....")``.
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        return f"<code>{escape(self)}</code>"


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
        """The seeds in the first and the second player's pits, each from its owner's left."""
        first, second = (
            tuple(int(seeds) for seeds in player.split(":")[0].split(","))
            for player in self._players()
        )
        return first, second

    @property
    def stores(self) -> tuple[int, int] | None:
        """The seeds in the two stores; None if the notation omits them."""
        first, second = (player.partition(":")[2] for player in self._players())
        return (int(first), int(second)) if first and second else None

    @property
    def side(self) -> Side:
        """The side to move."""
        return "second" if self.endswith("second") else "first"

    def _repr_html_(self) -> str:
        (first, second), stores = self.pits, self.stores or ("", "")
        upper = "".join(f"<td>{seeds}</td>" for seeds in reversed(second))
        lower = "".join(f"<td>{seeds}</td>" for seeds in first)
        return (
            f'<table><tr><td rowspan="2">{stores[1]}</td>{upper}<td rowspan="2">{stores[0]}</td></tr>'
            f"<tr>{lower}</tr></table><p>{self.side} player to move</p>"
        )


class BoardPosition(Position):
    """A position on a board of squares, such as ``X...O....`` in tic-tac-toe.

    >>> p = TicTacToePosition("X...O....")
    >>> p.rows
    (('X', '.', '.'), ('.', 'O', '.'), ('.', '.', '.'))
    >>> p.side
    'first'
    """

    __slots__ = ()

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The letters of the squares, row by row from the top."""
        return tuple(tuple(row) for row in self.split()[0].split("/"))

    def _repr_html_(self) -> str:
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(letter)}</td>" for letter in row) + "</tr>"
            for row in self.rows
        )
        return f"<table>{rows}</table><p>{self.side} player to move</p>"

    @property
    def side(self) -> Side:
        """The side to move."""
        letters = str(self)
        return "first" if letters.count("X") == letters.count("O") else "second"


class TicTacToePosition(BoardPosition):
    """A position of tic-tac-toe: nine letters ``X``, ``O`` and ``.``."""

    __slots__ = ()

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The letters of the squares, row by row from the top."""
        return tuple(tuple(self[start : start + 3]) for start in (0, 3, 6))


class ReversiPosition(BoardPosition):
    """A position of Reversi, such as ``..../.WB./.BW./.... B``."""

    __slots__ = ()

    @property
    def side(self) -> Side:
        """The side to move: Black is first, White second."""
        return "first" if self.endswith("B") else "second"


CLASSES: dict[str, type[Position]] = {
    "kalah": KalahPosition,
    "tictactoe": TicTacToePosition,
    "connect4": BoardPosition,
    "reversi4": ReversiPosition,
    "reversi24": ReversiPosition,
}
