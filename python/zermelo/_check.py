"""Checks of an AI's moves against exact scores."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass
from html import escape
from inspect import iscoroutinefunction
from math import inf
from os import PathLike
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any, Literal, cast

from ._arguments import count, whole
from ._games import open, solve
from ._labels import axes_of
from ._oracle import NO_SCORE, Oracle
from ._progress import Progress, telling

Verdict = Literal["perfect", "imperfect", "faulty", "unfinished"]


class NoMore(BaseException):
    """Raised inside an AI when the check's time is up or the check is interrupted."""


class Report(Mapping[str, Any]):
    """The result of a check: a mapping with the keys of ``check-ai --json``.

    For a game of your own, positions and moves are the game's values.

    A notebook shows the report as the page that ``check-ai --report`` writes.
    """

    def __init__(
        self,
        values: dict[str, Any],
        page: str,
        answers: dict[str, str] | None = None,
        table: Oracle | None = None,
    ) -> None:
        self._values = values
        self._page = page
        #: The moves of an AI that is a function at all positions that it was asked about, as texts.
        #: ``check(resume=…)`` takes them, also from a file of JSON. Timeouts and exceptions are not
        #: among them.
        self.answers: dict[str, str] = answers or {}
        self._table = table

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_table": None}

    def mistakes(self, table: Oracle | None = None) -> list[dict[str, Any]]:
        """Return all answers that are not best moves, the worst first.

        These include answers that the report's numbers leave out: about the rules, in games that
        led to positions, and in a refutation.

        Each has ``position``, ``move``, ``best``, ``score`` (of the position), ``after`` (the move's
        score) and ``regret``; illegal moves have None for the last two, and come first.
        ``pandas.DataFrame(report.mistakes())`` makes a frame of them. A report from a pickle needs
        its ``table``.
        """
        table, found = table or self._table, []
        if table is None:
            raise ValueError(
                "this report has no table: pass it, if the report is from a pickle; of built-in AIs "
                "there are no answers"
            )
        for text, name in self.answers.items():
            position = table._read(text)
            moves = table.moves(position)
            named = {table._name(move): (move, score) for move, score in moves}
            best, (made, after) = moves[0][1], named.get(name, (name, None))
            if after != best:
                found.append({
                    "position": position,
                    "move": made,
                    "best": [move for move, score in moves if score == best],
                    "score": best,
                    "after": after,
                    "regret": None if after is None else best - after,
                })
        return sorted(found, key=lambda one: -(one["regret"] or (1 << 20)))

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

    def plot(self, ax: Any = None) -> Any:
        """Draw the mean regret in each layer of the game; return matplotlib's axes."""
        ax = axes_of(ax)
        layers = [of for of in self["by_layer"] if of["regret"]["mean"] is not None]
        ax.bar([of["layer"] for of in layers], [of["regret"]["mean"] for of in layers])
        ax.set(xlabel=self["layer_name"], ylabel="mean regret")
        return ax

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
    cache: bool = True,
    history: bool = False,
    masks: bool = False,
    jobs: int = 1,
    move_timeout: float | None = None,
    retries: int = 0,
    on_error: Literal["raise", "fault"] = "raise",
    on_answer: Callable[[Any, Any], object] | None = None,
    resume: Report | Mapping[str, str] | None = None,
    stop: Literal["raise", "report"] = "raise",
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

    A game of your own with symmetries is first solved without them, in memory, unless ``canonical``
    is true; without symmetries, ``canonical`` raises ``ValueError``.

    ``timeout`` limits the whole check, and ``budget`` the search for the score of one move, both in
    seconds. When the time is up, an exception that is not an ``Exception`` ends the AI's answer.
    The check waits for an AI that is not written in Python.

    A function is asked once about each position, even if the check looks at it again: ``cache=False``
    asks every time, and notices answers that change. ``jobs`` threads ask at once. An answer that
    takes longer than ``move_timeout`` seconds is a fault; its thread goes on. A call that raises an
    exception is repeated up to ``retries`` times. Then it ends the check, and is raised with a note
    that names the position; with ``on_error="fault"`` it is a fault.

    With ``history``, the function also gets the list of moves that lead from the start to the
    position: a shortest one. All positions of the game must fit into memory.

    With ``masks``, as policies of Gymnasium and PettingZoo expect it, the function gets the numbers
    of the position (``table.columns``) and an array of booleans, which moves of ``table.all_moves``
    are legal. It returns the index of a move. With ``batch``, these are arrays with a row per
    position, and it returns an index for each.

    ``on_answer(position, move)`` is called after each answer. With ``stop="report"``, Ctrl-C or
    an exception ends the check with a report on the answers so far, whose ``stopped_by`` is
    ``interrupt``. While no answer counts yet, the exception is raised, as with ``stop="raise"``; it
    has the answers as its attribute ``answers``. ``report.answers`` has the answers,
    and ``resume=`` takes them, or such a report: those positions are not asked again.

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
        batch=batch, is_builtin=isinstance(ai, str), history=history, masks=masks,
    )
    table = table._asked_in_check(canonical, progress)
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
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    options["misreadings"] = table._misreadings()
    if stop not in ("raise", "report"):
        raise ValueError(f'stop is "raise" or "report", not {stop!r}')
    asker = None
    if not isinstance(ai, str):
        known = _known(table, resume)
        if masks:
            ai = _masked(table, ai, batch)
        if history:
            graph, told = table.graph(), cast(Callable[[Any, list[str]], Any], ai)

            def with_moves(position: Any) -> Any:
                return told(position, graph.path(position))

            ai = with_moves

        asker = _Asker(
            table, ai, batch, cache, whole("jobs", jobs, 1), move_timeout,
            whole("retries", retries), on_error, on_answer, known,
        )
    try:
        asked: Any = asker or ai
        with telling(progress) as tell:
            text, page, error = table._inner.check(asked, options, tell)
        if error is not None and stop == "raise":
            raise error
    except BaseException as error:
        if asker is not None:
            error.answers = asker.answers  # type: ignore[attr-defined]
        raise
    values = json.loads(text)
    if asker is None:
        return Report(table._own_report(values), page)
    values["questions"] = asker.questions
    return Report(table._own_report(values), page, asker.answers, table)


def _masked(table: Oracle, ai: Callable[..., Any], batch: bool) -> Callable[[Any], Any]:
    """Wrap an AI that takes rows and masks of legal moves, and returns indices of moves."""
    if not (table.columns and table.all_moves):
        raise ValueError(f"{table.name} has no rows and columns of moves for masks")
    names = table.all_moves

    def together(positions: list[Any]) -> list[str]:
        texts = [table._say(position) for position in positions]
        rows, are_legal = table.to_rows(texts), table.move_scores(texts) != NO_SCORE
        if batch:
            return [names[int(index)] for index in ai(rows, are_legal)]
        return [names[int(ai(row, mask))] for row, mask in zip(rows, are_legal)]

    return together if batch else lambda position: together([position])[0]


def _known(table: Oracle, resume: Report | Mapping[Any, str] | None) -> dict[str, str]:
    """Return the answers of an earlier check."""
    if resume is None:
        return {}
    answers = resume.answers if isinstance(resume, Report) else resume
    known = {table._key(table._say(position)): move for position, move in answers.items()}
    for text, move in known.items():
        if move is None:
            raise ValueError(f"resume has no move at {text}")
        table._inner.side(text)
    return {text: table._name(move) for text, move in known.items()}


def _fit(
    *,
    scope: str,
    side: str | None,
    positions: object,
    canonical: bool,
    sample: object,
    draw: str | None,
    batch: bool,
    is_builtin: bool,
    history: bool,
    masks: bool,
) -> None:
    """Refuse combinations of arguments of which one would be ignored."""

    def must(holds: bool, problem: str) -> None:
        if not holds:
            raise ValueError(problem)

    chosen = {"positions": positions is not None, "canonical": canonical, "sample": sample is not None}
    names = [name for name, is_chosen in chosen.items() if is_chosen]
    must(len(names) < 2, f"{' and '.join(names)} don't go together: each says what to ask about")
    must(draw is None or sample is not None, "draw goes with sample")
    must(not (masks and history), "masks and history don't go together")
    must(not (history and batch), "history goes with an AI that takes one position at a time")
    must(not (batch and is_builtin), "batch goes with an AI that is a function, and not with the name of a builtin one")
    if scope == "play":
        must(not names, f"{''.join(names)} doesn't go with scope=\"play\", which follows lines of play")
    else:
        must(side is None, 'side goes with scope="play"; scope="all" asks about both sides')


@dataclass(frozen=True)
class Fault:
    """No answer in time, or an exception; ``detail`` ends a sentence that begins with "the AI"."""

    is_timeout: bool
    detail: str


class _Asker:
    """The AI as a function from a list of texts to a list of texts."""

    def __init__(
        self,
        table: Oracle,
        ai: Callable[[Any], Any],
        batch: bool,
        cache: bool,
        jobs: int,
        move_timeout: float | None,
        retries: int,
        on_error: str,
        on_answer: Callable[[Any, Any], object] | None,
        answers: dict[str, str],
    ) -> None:
        if not callable(ai):
            raise TypeError(
                "an AI is a function from a position to a move, or the name of a builtin one"
            )
        if iscoroutinefunction(ai) or iscoroutinefunction(getattr(ai, "__call__", None)):
            raise TypeError(
                "the AI is an async function, which check doesn't await: pass "
                "lambda position: asyncio.run(ai(position))"
            )
        if on_error not in ("raise", "fault"):
            raise ValueError(f'on_error is "raise" or "fault", not {on_error!r}')
        if move_timeout is not None and not 0 < move_timeout < 1e9:
            raise ValueError(f"move_timeout is a number of seconds above 0, not {move_timeout!r}")
        if batch and (jobs > 1 or move_timeout is not None):
            raise ValueError("jobs and move_timeout go with an AI that takes one position at a time")
        self._of, self._name, self._key = table._read, table._name, table._key
        self._ai, self._batch, self._cache = ai, batch, cache
        self._timeout, self._retries = move_timeout, retries
        self._is_fault, self._on_answer = on_error == "fault", on_answer
        self.answers = answers
        #: Timeouts and exceptions, which an earlier check's answers don't have.
        self._faults: dict[str, Fault] = {}
        #: Number of positions about which the AI was asked.
        self.questions = 0
        #: The exception that ended the check.
        self.error: BaseException | None = None
        self._jobs = jobs

    def __call__(self, texts: list[str]) -> list[str | Fault]:
        # Your own game's position may be the same for both sides.
        keys = [self._key(text) for text in texts]
        answered: list[str | Fault] = []
        step = len(keys) if self._batch else self._jobs
        for start in range(0, len(keys), max(step, 1)):
            some = keys[start : start + step]
            unknown = [
                key for key in dict.fromkeys(some) if not self._cache or self._known(key) is None
            ]
            try:
                moves = self._together(unknown) if self._batch else self._one_by_one(unknown)
                self.questions += len(unknown)
                for key, move in zip(unknown, moves):
                    if isinstance(move, Fault):
                        self._faults[key] = move
                        continue
                    # No other text can hold half a character.
                    self.answers[key] = move = move.encode(errors="backslashreplace").decode()
                    if self._on_answer is not None:
                        self._on_answer(self._of(key), move)
            except NoMore:
                break
            except (Exception, KeyboardInterrupt) as error:
                # The check ends, with the answers so far.
                self.error = error
                for found in map(self._known, some):
                    if found is None:
                        break
                    answered.append(found)
                return answered
            answered += [one for key in some if (one := self._known(key)) is not None]
        return answered

    def _known(self, key: str) -> str | Fault | None:
        # An empty text is an answer, if a malformed one.
        answer = self.answers.get(key)
        return self._faults.get(key) if answer is None else answer

    def _one_by_one(self, keys: list[str]) -> list[str | Fault]:
        if self._jobs == 1 and self._timeout is None:
            return [self._answer(key) for key in keys]
        futures = [self._in_a_thread(key) for key in keys]
        until = monotonic() + (self._timeout or inf)
        moves: list[str | Fault] = []
        for future in futures:
            # In short waits, so that the end of the check interrupts them.
            while not future.done() and monotonic() < until:
                wait([future], min(0.1, until - monotonic()))
            late = Fault(True, f"gave no answer within {self._timeout} s")
            moves.append(future.result() if future.done() else late)
        return moves

    def _in_a_thread(self, key: str) -> Future[str | Fault]:
        """Ask in a thread for which nobody has to wait, unlike those of an executor."""
        future: Future[str | Fault] = Future()

        def work() -> None:
            try:
                future.set_result(self._answer(key))
            except BaseException as error:
                future.set_exception(error)

        Thread(target=work, daemon=True).start()
        return future

    def _answer(self, key: str) -> str | Fault:
        """Return the move at a position, or what went wrong where that is a fault."""
        for left in range(self._retries, -1, -1):
            try:
                return self._name(self._ai(self._of(key)))
            except Exception as error:
                if left:
                    continue
                if self._is_fault:
                    return Fault(False, f"raised {type(error).__name__}: {error}")
                error.add_note(f"The AI was asked about the position {key}")
                raise
        raise AssertionError

    def _together(self, texts: list[str]) -> list[str | Fault]:
        if not texts:
            return []
        try:
            given = self._ai([self._of(text) for text in texts])
            moves: list[str | Fault] = [self._name(move) for move in given]
        except Exception as error:
            error.add_note(f"The AI was asked about {len(texts)} positions, the first {texts[0]}")
            raise
        if len(moves) != len(texts):
            raise ValueError(f"the AI gave {len(moves)} moves for {len(texts)} positions")
        return moves
