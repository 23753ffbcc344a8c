"""Exact scores of small games: Kalah, tic-tac-toe, Connect Four, Reversi, and your own.

>>> import zermelo
>>> table = zermelo.solve("kalah", pits=4, seeds=2)
>>> table.score(table.start)
6
>>> table.moves(table.start)[0]
('4', 6)
"""

from ._check import Questions, Report, check, questions
from ._conformance import test_game
from ._errors import NotInTable, SolveError, TableError
from ._graph import Graph, Mistake
from ._games import connect4, kalah, open, reversi4, search, solve, tictactoe, verify
from ._labels import Export, Labels, Verdict
from ._oracle import NO_SCORE, WON, Oracle
from ._openspiel import OpenSpielGame, from_openspiel
from ._own import Game, OwnOracle, RowGame
from ._own_search import OwnSearch
from ._play import Estimate, Opponent, Play, opponent, simulate
from ._positions import (
    BoardPosition,
    KalahPosition,
    Position,
    ReversiPosition,
    TicTacToePosition,
)
from ._suite import Question, Scorecard, Suite, SuitePosition, suite
from ._symmetries import GridSymmetries, grid_symmetries
from ._zermelo import VERSION as __version__

__all__ = [
    "NO_SCORE",
    "WON",
    "BoardPosition",
    "Estimate",
    "Export",
    "Game",
    "Graph",
    "GridSymmetries",
    "KalahPosition",
    "Labels",
    "Mistake",
    "NotInTable",
    "OpenSpielGame",
    "Opponent",
    "Oracle",
    "OwnOracle",
    "OwnSearch",
    "Play",
    "Position",
    "Question",
    "Questions",
    "Report",
    "ReversiPosition",
    "RowGame",
    "Scorecard",
    "SolveError",
    "Suite",
    "SuitePosition",
    "TableError",
    "TicTacToePosition",
    "Verdict",
    "__version__",
    "check",
    "connect4",
    "from_openspiel",
    "grid_symmetries",
    "kalah",
    "open",
    "opponent",
    "questions",
    "reversi4",
    "search",
    "simulate",
    "solve",
    "suite",
    "test_game",
    "tictactoe",
    "verify",
]
