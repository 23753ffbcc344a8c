"""Checks of an AI's moves against exact scores."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from ._arguments import count, whole
from ._games import open, solve
from ._oracle import Oracle
from ._progress import Progress, telling

Verdict = Literal["perfect", "imperfect", "faulty", "unfinished"]


class NoMore(BaseException):
    """Raised inside an AI when the check's time is up or the check is interrupted."""


class Report(Mapping[str, Any]):
    """The result of a check: a mapping with the keys of ``check-ai --json``.

    For a game of your own, positions and moves are the game's values.

    A notebook shows the report as the page that ``check-ai --report`` writes.
    """

    def __init__(self, values: dict[str, Any], page: str) -> None:
        self._values = values
        self._page = page

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __iter__(self) -> Any:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return (
            f"<zermelo.Report {self.verdict}: {self['best_moves']:,} best moves of "
            f"{self['asked']:,}, at {self['game']}>"
        )

    @property
    def verdict(self) -> Verdict:
        """``perfect``, ``imperfect``, ``faulty`` or ``unfinished``."""
        verdict: Verdict = self._values["verdict"]
        return verdict

    @property
    def html(self) -> str:
        """The report as an HTML page."""
        return self._page

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to a file."""
        Path(path).write_text(self._page, encoding="utf-8")

    def _repr_html_(self) -> str:
        # The page's styles must not affect those of the notebook.
        return (
            f'<iframe srcdoc="{escape(self._page)}" sandbox="" loading="lazy" '
            'style="width: 100%; height: 40em; border: 0" title="Report of the check"></iframe>'
        )


def check(
    table: Oracle | str | PathLike[str] | Any,
    ai: str | Callable[[Any], Any],
    *,
    batch: bool = False,
    scope: Literal["all", "play"] = "all",
    criterion: Literal["score", "outcome"] | None = None,
    side: Literal["first", "second"] | None = None,
    positions: Iterable[Any] | None = None,
    canonical: bool = False,
    sample: int | None = None,
    seed: int = 1,
    draw: str | None = None,
    max_faults: int = 10,
    timeout: float | None = None,
    budget: float | None = None,
    progress: Progress = None,
) -> Report:
    """Compare the moves of an AI with exact scores.

    ``table`` is a table, the path of one, or a game of your own, which is solved first.

    ``ai`` is a function from a position to a move, or with ``batch=True`` from a list of positions
    to a list of moves. It may also be the name of a built-in AI, such as ``"greedy"``. Moves are
    strings in the game's notation; integers are valid where moves are numbers.

    By default the AI is asked about all reachable positions. ``canonical`` asks about one position
    of each class, ``positions`` about the given ones, and ``sample`` about that many random ones.
    ``draw`` says how these are sampled: ``"plays"`` from random games, ``"uniform"`` from a table.
    With ``scope="play"`` the AI must preserve the game's value in every line of play against it;
    ``side`` restricts this to one side. With ``criterion="outcome"``, the default in games that
    count plies, only the loss of a win or a draw is a mistake. Arguments that don't go together raise ``ValueError``.

    ``timeout`` limits the whole check, and ``budget`` the search for the score of one move, both in
    seconds. When the time is up, an exception that is not an ``Exception`` ends the AI's answer.
    The check waits for an AI that is not written in Python.

    An exception in the AI ends the check and is raised with a note that names the position.

    >>> import zermelo
    >>> table = zermelo.solve("tictactoe")
    >>> def first_free(position):
    ...     cell = position.index(".")
    ...     return "abc"[cell % 3] + "123"[cell // 3]
    >>> report = zermelo.check(table, first_free)
    >>> report
    <zermelo.Report imperfect: 2,267 best moves of 4,520, at tictactoe(shortest)>
    >>> report["worst"][0]["regret"]
    5
    """
    if not isinstance(table, Oracle):
        table = open(table) if isinstance(table, (str, PathLike)) else solve(table)
    _fit(
        scope=scope, side=side, positions=positions, canonical=canonical, sample=sample, draw=draw,
        batch=batch and isinstance(ai, str),
    )
    given = {
        "scope": scope,
        "criterion": criterion,
        "side": side,
        "positions": None if positions is None else [table._say(one) for one in positions],
        "canonical": canonical,
        "sample": count("sample", sample),
        "seed": whole("seed", seed),
        "draw": draw,
        "max_faults": whole("max_faults", max_faults, 1, 10_000),
        "timeout": timeout,
        "budget": budget,
    }
    options = {name: value for name, value in given.items() if value is not None}
    asked: Any = ai if isinstance(ai, str) else _asked(table, ai, batch)
    with telling(progress) as tell:
        text, page = table._inner.check(asked, options, tell)
    return Report(table._own_report(json.loads(text)), page)


def _fit(
    *,
    scope: str,
    side: str | None,
    positions: object,
    canonical: bool,
    sample: object,
    draw: str | None,
    batch: bool,
) -> None:
    """Refuse combinations of arguments of which one would be ignored."""

    def must(holds: bool, problem: str) -> None:
        if not holds:
            raise ValueError(problem)

    chosen = {"positions": positions is not None, "canonical": canonical, "sample": sample is not None}
    names = [name for name, is_chosen in chosen.items() if is_chosen]
    must(len(names) < 2, f"{' and '.join(names)} don't go together: each says what to ask about")
    must(draw is None or sample is not None, "draw goes with sample")
    must(not batch, "batch goes with an AI that is a function, and not with the name of a builtin one")
    if scope == "play":
        must(not names, f"{''.join(names)} doesn't go with scope=\"play\", which follows lines of play")
    else:
        must(side is None, 'side goes with scope="play"; scope="all" asks about both sides')


def _asked(
    table: Oracle, ai: Callable[[Any], Any], batch: bool
) -> Callable[[list[str]], list[str]]:
    """Wrap the AI as a function from a list of texts to a list of texts."""
    if not callable(ai):
        raise TypeError(
            "an AI is a function from a position to a move, or the name of a builtin one"
        )
    of, name = table._read, table._name

    def one_by_one(texts: list[str]) -> list[str]:
        moves = []
        for text in texts:
            try:
                moves.append(name(ai(of(text))))
            except NoMore:
                break
            except Exception as error:
                error.add_note(f"The AI was asked about the position {text}")
                raise
        return moves

    def together(texts: list[str]) -> list[str]:
        try:
            return [name(move) for move in ai([of(text) for text in texts])]
        except Exception as error:
            error.add_note(f"The AI was asked about {len(texts)} positions, the first {texts[0]}")
            raise

    return together if batch else one_by_one
