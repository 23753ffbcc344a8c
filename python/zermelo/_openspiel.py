"""Games of OpenSpiel."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from importlib import import_module
from typing import Any, Literal

from ._errors import SolveError
from ._symmetries import MoveMap, moved

#: What OpenSpiel calls the player of a finished state.
_OVER = -4
#: Escape sequences that colour a terminal's text.
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def _unmarked(state: Any) -> str:
    """Return what a state shows without the mark of the last move."""
    return str(state).replace("[", " ").replace("]", " ")


def _unnumbered(state: Any) -> str:
    """Return what a state shows without the number of moves."""
    return re.sub(r"Move number: \d+", "", str(state))


def _unowned(state: Any) -> str:
    """Return the lines that a state shows, and how many boxes each player has."""
    shown = str(state)
    lines = shown.replace("1", " ").replace("2", " ")
    return f"{shown.count('1')}-{shown.count('2')} {lines}"


#: What matters of the states of a game that shows more.
_BOARDS: dict[str, Callable[[Any], str]] = {
    "y": _unmarked,
    "havannah": _unmarked,
    "mancala": _unnumbered,
    "dots_and_boxes": _unowned,
}


def _mancala_margin(state: Any) -> int:
    row = str(state).split("\n")[1].split("-")
    return int(row[-1]) - int(row[0])


def _oware_margin(state: Any) -> int:
    stores = {player: int(score) for player, score in re.findall(r"Player (\d) score = (\d+)", str(state))}
    return stores["0"] - stores["1"]


#: The first player's margin in games that tell only who has won.
_MARGINS: dict[str, Callable[[Any], int]] = {"mancala": _mancala_margin, "oware": _oware_margin}


def _pyspiel() -> Any:
    try:
        return import_module("pyspiel")
    except ImportError as error:
        error.add_note("OpenSpiel is a package of its own: pip install open_spiel")
        raise


def _refusal(kind: Any, players: int) -> str | None:
    """Return why a game can't be solved, or None."""
    types = _pyspiel().GameType
    if players != 2:
        return f"has {players} players, not two"
    if kind.dynamics != types.Dynamics.SEQUENTIAL:
        return "lets players move at the same time"
    if kind.chance_mode != types.ChanceMode.DETERMINISTIC:
        return "has chance: dice or dealt cards"
    if kind.information != types.Information.PERFECT_INFORMATION:
        return "has secrets: players don't see everything"
    if kind.utility != types.Utility.ZERO_SUM:
        return "isn't zero-sum: what one player wins is not what the other loses"
    return None


def _short(name: str) -> str:
    """Return a name of at most 60 letters, with a digest of what is left out."""
    if len(name) <= 60:
        return name
    return f"{name[:51].rstrip('-')}-{sha256(name.encode()).hexdigest()[:8]}"


#: Maps of actions, or a function from a position to pairs of an image and a map of actions.
Symmetries = Iterable[MoveMap] | Callable[[str], Iterable[tuple[Any, MoveMap]]]


class OpenSpielGame:
    """A game of OpenSpiel, as :func:`zermelo.solve` takes it: :func:`from_openspiel`.

    A position is a text: the player to move, 0 or 1, or ``over``, and what the state shows. A move
    is OpenSpiel's number of the action.
    """

    def __init__(
        self,
        game: Any,
        key: Callable[[Any], Any] | Literal["board"] | None,
        margin: bool,
        endless: Literal["draw"] | None,
        symmetries: Symmetries | None = None,
    ) -> None:
        load = _pyspiel().load_game
        if isinstance(game, str):
            game = load(game)
        kind = game.get_type()
        refusal = _refusal(kind, game.num_players())
        if refusal is not None:
            raise SolveError(f"{kind.short_name} {refusal}")
        if margin and "utility_margin" in kind.parameter_specification:
            game = load(kind.short_name, {**game.get_parameters(), "utility_margin": True})
        elif margin and kind.short_name not in _MARGINS:
            names = ", ".join(sorted([*_MARGINS, "dots_and_boxes"]))
            raise ValueError(f"{kind.short_name} has no margin: leave out margin=; it is for {names}")
        if key == "board" and kind.short_name not in _BOARDS:
            names = ", ".join(sorted(_BOARDS))
            raise ValueError(
                f'there is no key="board" for {kind.short_name}: it is for {names}; for other games '
                "pass a function from a state to its text"
            )
        #: OpenSpiel's game.
        self.game = game
        self.name = _short(re.sub(r"[^a-z0-9]+", "-", str(game).lower()).strip("-"))
        self.endless = endless
        self._key = _BOARDS[kind.short_name] if key == "board" else key
        self._margin = _MARGINS.get(kind.short_name) if margin else None
        #: By position: what all states that show it have in common, and the state met first.
        #:
        #: That is the score of a finished position, and the positions after the actions of others.
        self._known: dict[str, tuple[int | dict[int, str], Any]] = {}
        self._is_explored = False
        #: The images of positions, which take long to find.
        self._images: dict[str, list[tuple[str, MoveMap]]] = {}
        if symmetries is not None:
            self._symmetries = [*symmetries] if isinstance(symmetries, Iterable) else symmetries
            self.symmetries = self._symmetric

    def _symmetric(self, position: Any) -> list[tuple[str, MoveMap]]:
        position = self.format(position)
        if position not in self._images:
            told = self._symmetries
            images = (
                self._replayed(position, told) if isinstance(told, Iterable) else told(position)
            )
            self._images[position] = [(self.format(image), to) for image, to in images]
        return self._images[position]

    def _replayed(
        self, position: str, maps: Iterable[MoveMap]
    ) -> Iterator[tuple[str, MoveMap]]:
        """Play the images of the actions that led to a position."""
        _, state = self._found(position)
        for to in maps:
            image = self.game.new_initial_state()
            for action in state.history():
                there = moved(to, action)
                if there not in image.legal_actions():
                    raise SolveError(
                        f"a symmetry maps the action {action} to {there}, which isn't legal in "
                        f"{str(image)!r}: {to!r}"
                    )
                image.apply_action(there)
            yield self._met(image), to

    def _result(self, state: Any) -> int:
        if self._margin is not None:
            return self._margin(state)
        first, second = state.returns()
        score: int = round(first)
        if abs(first - score) > 1e-6 or abs(first + second) > 1e-6:
            raise SolveError(
                f"the returns are {first} and {second} after the actions {state.history()}: only whole "
                "numbers with the sum 0 can be scores"
            )
        return score

    def _text(self, state: Any, head: str) -> str:
        shown = str(state if self._key is None else self._key(state)).replace("\n", "/")
        if "\x1b" in shown:
            shown = _COLOURS.sub("", shown)
        return f"{head} {shown}".rstrip(" /")

    def _position(self, state: Any) -> str:
        """Return the text of the position that a state shows."""
        player = state.current_player()
        if player < 0 and player != _OVER:
            raise SolveError(f"{self.name} has a state in which no player moves: {state.history()}")
        return self._text(state, "over" if player == _OVER else str(player))

    def _met(self, state: Any) -> str:
        """Return the position of a state, which must be like all others that show the same."""
        position = self._position(state)
        facts: int | dict[int, str]
        if state.is_terminal():
            facts = self._result(state)
        else:
            facts = {action: self._position(state.child(action)) for action in state.legal_actions()}
        known, first = self._known.setdefault(position, (facts, state))
        if known != facts:
            raise self._ambiguous(position, first, state)
        return position

    def _ambiguous(self, position: str, first: Any, second: Any) -> SolveError:
        def way(state: Any) -> str:
            told = f"returns {state.returns()}" if state.is_terminal() else state.legal_actions()
            if leads:
                child = state.child(leads[0])
                told = f"action {leads[0]} leads to {str(child)!r}"
                told += f", returns {child.returns()}" if child.is_terminal() else ""
            return f"the actions {state.history()}: {told}"

        leads: list[int] = []
        if not first.is_terminal() and first.legal_actions() == second.legal_actions():
            both = ((self._position(one.child(action)) for one in (first, second)) for action in first.legal_actions())
            leads = [action for action, (one, other) in zip(first.legal_actions(), both) if one != other]
        return SolveError(
            f"two states show {position!r}, but have other moves or results: one after {way(first)}, "
            f"and one after {way(second)}; pass key=, a function from a state to a text with all "
            "that the rules depend on"
        )

    def _found(self, position: Any) -> tuple[int | dict[int, str], Any]:
        """Return what is known of a position, given as itself or as a state."""
        known = self._known.get(position)
        if known is not None:
            return known
        text = self.format(position)
        if text not in self._known and not self._is_explored:
            # Perhaps it hasn't been met yet, because the table was opened and not solved.
            self._explore()
        if text not in self._known:
            raise ValueError(f"{self.name} has no position {text!r}")
        return self._known[text]

    def _explore(self) -> None:
        """Meet all positions."""
        found = [self.start()]
        seen = set(found)
        for one in found:
            children = {self.play(one, action) for action in self.moves(one)}
            found.extend(children - seen)
            seen |= children
        self._is_explored = True

    def start(self) -> str:
        return self._met(self.game.new_initial_state())

    def side(self, position: Any) -> int:
        return int(self.format(position)[0] == "1")

    def moves(self, position: Any) -> list[int]:
        facts, _ = self._found(position)
        return list(facts) if isinstance(facts, dict) else []

    def play(self, position: Any, action: int) -> str:
        _, state = self._found(position)
        return self._met(state.child(action))

    def score(self, position: Any) -> int | None:
        facts, _ = self._found(position)
        return facts if isinstance(facts, int) else None

    def format(self, position: Any) -> str:
        """Return the text of a position, given as itself or as a state of OpenSpiel."""
        return position if isinstance(position, str) else self._met(position)

    def state(self, position: Any) -> Any:
        """Return a copy of a state of OpenSpiel at a position."""
        return self._found(position)[1].clone()


def from_openspiel(
    game: Any,
    *,
    key: Callable[[Any], Any] | Literal["board"] | None = None,
    margin: bool = False,
    endless: Literal["draw"] | None = None,
    symmetries: Symmetries | None = None,
) -> OpenSpielGame:
    """Return a game of OpenSpiel, given by name or as an object, that can be solved.

    It is a game of your own like any other, for ``zermelo.solve``, ``open`` and ``verify``. Where a
    position is wanted, you can pass a state of OpenSpiel.

    Two states are the same position if they have the same player to move and show the same text.
    They must have the same returns, or the same legal actions that lead to the same texts. Otherwise
    the game is refused with two ways to that text: in OpenSpiel's Oware, for example, a repeated board
    ends the game, so the score depends on how it went. Then pass ``key``, a function from a state to a text with all that matters. It can also
    merge states that differ only in what doesn't matter. ``key="board"`` does that for y, havannah,
    mancala and dots_and_boxes, which show the last move, its number or the owners of boxes.

    ``margin`` makes scores of who has more in dots_and_boxes, mancala and oware. ``endless="draw"`` is
    for games in which positions can repeat.

    Raise ``SolveError`` for games with chance, with secrets, with other than two players, or that
    aren't zero-sum.

    >>> import zermelo
    >>> game = zermelo.from_openspiel("tic_tac_toe")  # doctest: +SKIP
    >>> zermelo.solve(game).outcome(game.start())  # doctest: +SKIP
    'draw'
    """
    return OpenSpielGame(game, key, margin, endless, symmetries)
