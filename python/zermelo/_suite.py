"""The Zermelo suite: frozen positions of several games with the exact score of every legal move."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from os import PathLike
from pathlib import Path
from time import monotonic
from typing import Any, Literal, cast

from . import _zermelo
from ._arguments import count
from ._asker import is_async
from ._check import Paged, Report, check
from ._oracle import Oracle

#: The options of a check on how to ask.
_OPTIONS = (
    "jobs", "concurrency", "move_timeout", "retries", "on_error", "on_answer", "max_questions", "cost",
    "log", "resume", "stop", "timeout", "criterion", "progress",
)
#: Reasons why other options of a check don't go with a suite.
_REFUSED = {
    "max_faults": "max_faults doesn't go with a suite: faults don't end its check",
    "batch": "batch doesn't go with a suite, whose AI takes one Question: jobs= asks several at once",
    "history": "history doesn't go with a suite, whose AI takes a Question",
    "masks": "masks doesn't go with a suite, whose AI takes a Question",
    "positions": "positions doesn't go with a suite: split= and games= choose them",
    "sample": "sample doesn't go with a suite: split= and games= choose the positions",
}

Split = Literal["train", "validation", "test"]


@dataclass(frozen=True)
class SuitePosition:
    """A position of a suite, with the answer."""

    #: The game's name, such as ``"kalah-6-4"``.
    game: str
    position: str
    split: Split
    #: ``"opening"``, ``"middle"`` or ``"end"``.
    phase: str
    #: ``"easy"``, ``"medium"`` or ``"hard"``, by the share of best moves.
    difficulty: str
    #: The exact score of every legal move, for the side to move.
    moves: Mapping[str, int] = field(repr=False)


@dataclass(frozen=True)
class Question:
    """A position without the answer, as :meth:`Suite.check` gives it to an AI."""

    #: The game's name, such as ``"kalah-6-4"``.
    game: str
    position: str
    #: The legal moves, of which the AI returns one.
    moves: tuple[str, ...]
    #: The rules, the board and the legal moves in words, for a language model.
    prompt: str = field(repr=False)


class Scorecard(Paged):
    """The result of :meth:`Suite.check`: a mapping with the keys of ``check-ai --suite 1 --json``."""

    _title = "Scorecard"

    def __init__(self, values: dict[str, Any], page: str, reports: dict[str, Report]) -> None:
        super().__init__(values, page)
        #: The report of the check at each game.
        self.reports = reports

    def __repr__(self) -> str:
        whole = self["all"]
        if not whole["asked"]:
            return f"<zermelo.Scorecard suite {self['suite']}, {self['split']}: no answers>"
        return (
            f"<zermelo.Scorecard suite {self['suite']}, {self['split']}: "
            f"{whole['best_moves']['rate']:.1%} best moves of {whole['asked']:,}, "
            f"{whole['faults']:,} faults>"
        )


class _SuiteOracle(Oracle):
    """The scores of a suite's positions of one game."""

    _is_suite = True


def _of_game(option: str, value: Any, game: str) -> Any:
    """Return the value of an option at one game: files have the game in their name."""
    if option not in ("log", "resume") or not isinstance(value, (str, PathLike)):
        return value
    path = Path(value)
    own = path.with_name(f"{path.stem}-{game}{path.suffix}")
    return own if option == "log" or own.exists() else None


class Suite:
    """Frozen positions of several games, with the exact score of every legal move.

    Scores are seen from the side to move. In games that count plies, a win in ``d`` plies is
    ``1000 - d`` and a loss ``d - 1000``.

    >>> import zermelo
    >>> suite = zermelo.suite("1")
    >>> suite.positions("test", "kalah-6-4")[0].split
    'test'
    """

    def __init__(self, version: str) -> None:
        text = _zermelo.suite(version)
        content = json.loads(text)
        #: The version.
        self.version: str = content["suite"]
        self.licence: str = content["licence"]
        #: The digest of the suite's file, ``data/suite-1.json``.
        self.sha256 = sha256(text.encode()).hexdigest()
        self._positions = [
            SuitePosition(game["game"], **one)
            for game in content["games"]
            for one in game["positions"]
        ]
        #: The names of the games.
        self.games: tuple[str, ...] = tuple(game["game"] for game in content["games"])
        self._oracles: dict[str, Oracle] = {}

    def __repr__(self) -> str:
        return (
            f"<zermelo.Suite {self.version}: {len(self):,} positions of {len(self.games)} games>"
        )

    def __len__(self) -> int:
        return len(self._positions)

    def __iter__(self) -> Iterator[SuitePosition]:
        return iter(self._positions)

    def positions(self, split: Split | None = None, game: str | None = None) -> list[SuitePosition]:
        """Return the positions of a split and a game; by default of all."""
        if split not in (None, "train", "validation", "test"):
            raise ValueError(f'split is "train", "validation" or "test", not {split!r}')
        if game is not None:
            self._check_game(game)
        return [
            one
            for one in self._positions
            if split in (None, one.split) and game in (None, one.game)
        ]

    def oracle(self, game: str) -> Oracle:
        """Return an oracle that has the rules of a game, and the scores of its positions here."""
        self._check_game(game)
        if game not in self._oracles:
            self._oracles[game] = _SuiteOracle(_zermelo.suite_oracle(self.version, game))
        return self._oracles[game]

    def question(self, position: SuitePosition) -> Question:
        """Return a position as an AI gets it, without scores."""
        oracle = self.oracle(position.game)
        moves = tuple(sorted(position.moves))
        side = "first" if oracle._inner.side(position.position) == 0 else "second"
        # Other games say so in their rules.
        hurry = "Win in as few moves as possible, or lose in as many.\n\n"
        hurry = hurry if oracle._inner.counts_plies else ""
        prompt = (
            f"You are the {side} player of a game of {oracle._inner.title}, and it is your turn.\n\n"
            f"{oracle._inner.rules_in_words}\n\n{hurry}"
            f"The board:\n\n{oracle.board(position.position)}\n\n"
            f"The position in one line: {position.position}\n"
            f"The legal moves: {', '.join(moves)}\n\n"
            "Which move is best? Answer with one of the legal moves and nothing else.\n"
        )
        text = oracle._read(position.position)
        return Question(position.game, text, moves, prompt)

    def check(
        self,
        ai: str | Callable[[Question], str] | Callable[[Question], Awaitable[str]],
        *,
        split: Split = "test",
        games: str | Iterable[str] | None = None,
        name: str | None = None,
        **options: Any,
    ) -> Scorecard:
        """Ask an AI about the positions of a split, and return its scorecard.

        ``ai`` is a function, perhaps ``async``, from a :class:`Question` to one of its moves, or the
        name of a built-in AI. An answer that is no legal move is a fault; faults don't end the check.
        ``games`` restricts the check to one game or several. ``name`` is the AI's name in the
        scorecard.

        Other options are those of :func:`zermelo.check` on how to ask: ``jobs``, ``concurrency``,
        ``move_timeout``, ``retries``, ``on_error``, ``on_answer``, ``max_questions``, ``cost``,
        ``log``, ``resume``, ``stop``, ``timeout``, ``criterion`` and ``progress``.
        ``log="answers.jsonl"`` writes a file for each game, such as ``answers-kalah-6-4.jsonl``, and
        ``resume=`` reads such files. ``max_questions`` and ``timeout`` hold for all games together.
        The scorecard has the number of ``questions`` and what was ``spent``, unless the AI is a
        built-in one.

        >>> import zermelo
        >>> suite = zermelo.suite("1")
        >>> scorecard = suite.check(lambda question: question.moves[0], games=["tictactoe"])
        >>> scorecard["all"]["faults"]
        0
        """
        for option in options:
            if option not in _OPTIONS:
                raise TypeError(
                    _REFUSED.get(option, f"suite.check has no option {option!r}")
                    + f". The options on how to ask are: {', '.join(_OPTIONS)}"
                )
        chosen = [games] if isinstance(games, str) else list(self.games if games is None else games)
        if not chosen:
            raise ValueError(f"games is empty: name some of {', '.join(self.games)}, or leave it out")
        for game in chosen:
            self._check_game(game)
        reports: dict[str, Report] = {}
        left, is_cut = count("max_questions", options.pop("max_questions", None)), False
        until = None if options.get("timeout") is None else monotonic() + options["timeout"]
        for game in dict.fromkeys(chosen):
            is_late = False
            if until is not None and reports:
                options["timeout"] = until - monotonic()
                is_late = options["timeout"] < 0.1  # Too short for a question.
            if is_cut := is_cut or is_late or left == 0:
                break
            positions = self.positions(split, game)
            asked = ai if isinstance(ai, str) else self._by_question(ai, positions)
            own = {key: _of_game(key, value, game) for key, value in options.items()}
            report = reports[game] = check(
                self.oracle(game),
                asked,
                positions=[one.position for one in positions],
                max_faults=len(positions) + 1,
                max_questions=left,
                **own,
            )
            is_cut = report["stopped_by"] is not None or "left_out" in report
            if left is not None:
                left -= report["questions"]
        results = [
            (
                game,
                report["asked"],
                report["best_moves"],
                report["outcome_preserved"],
                sum(report["faults"].values()),
                None if (mean := report["scaled_regret"]) is None else tuple(mean.values()),
            )
            for game, report in reports.items()
        ]
        default = ai if isinstance(ai, str) else getattr(ai, "__name__", type(ai).__name__)
        called = str(default if name is None else name)
        text, page = _zermelo.scorecard(self.version, split, called, results, is_cut)
        values = json.loads(text)
        for key in ("questions", "spent"):
            if any(key in report for report in reports.values()):
                values[key] = sum(report[key] for report in reports.values())
        return Scorecard(values, page, reports)

    def _by_question(
        self, ai: Callable[[Question], Any], positions: list[SuitePosition]
    ) -> Callable[[Any], Any]:
        """Return the AI as a function of a position."""
        known = {one.position: one for one in positions}

        def by_question(position: Any) -> Any:
            return ai(self.question(known[str(position)]))

        async def awaited(position: Any) -> Any:
            return await cast(Awaitable[Any], by_question(position))

        return awaited if is_async(ai) else by_question

    def _check_game(self, game: str) -> None:
        if game not in self.games:
            raise ValueError(f"suite {self.version} has no game {game!r}: {', '.join(self.games)}")


def suite(version: str = "1") -> Suite:
    """Return a suite by its version. There is only ``"1"`` so far."""
    if not isinstance(version, str):
        raise TypeError(f'a suite\'s version is a string such as "1", not {version!r}')
    return Suite(version)
