"""Checks of an AI's moves against exact scores."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple
from warnings import warn

from ._arguments import count, whole
from ._asker import Asker, Limits, Log, Logged, OutOfQuestions, is_async, logged
from ._games import open, solve
from ._labels import axes_of, no_score
from ._oracle import Oracle
from ._progress import Progress, Tell, telling

Verdict = Literal["perfect", "imperfect", "faulty", "unfinished"]


class Paged(Mapping[str, Any]):
    """A mapping that has an HTML page, which a notebook shows."""

    #: The title of the page in a notebook.
    _title = ""

    def __init__(self, values: dict[str, Any], page: str) -> None:
        self._values = values
        self._page = page

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def html(self) -> str:
        """The HTML page."""
        return self._page

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to a file."""
        Path(path).write_text(self._page, encoding="utf-8")

    def _repr_html_(self) -> str:
        # The page's styles must not affect those of the notebook.
        return (
            f'<iframe srcdoc="{escape(self._page)}" sandbox="" loading="lazy" '
            f'style="width: 100%; height: 40em; border: 0" title="{self._title}"></iframe>'
        )


class Report(Paged):
    """The result of a check: a mapping with the keys of ``check-ai --json``.

    For a game of your own, positions and moves are the game's values.

    A notebook shows the report as the page that ``check-ai --report`` writes.
    """

    _title = "Report of the check"

    def __init__(
        self,
        values: dict[str, Any],
        page: str,
        answers: dict[str, str] | None = None,
        table: Oracle | None = None,
    ) -> None:
        super().__init__(values, page)
        #: The moves of an AI that is a function at all positions that it was asked about, as texts.
        #: ``check(resume=…)`` takes them. Timeouts and exceptions are not among them.
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

    def __repr__(self) -> str:
        used = self.get("from_log")
        earlier = f", {used:,} answers from an earlier check" if used else ""
        return (
            f"<zermelo.Report {self.verdict}: {self['best_moves']:,} best moves of "
            f"{self['asked']:,}, at {self['game']}{earlier}>"
        )

    @property
    def verdict(self) -> Verdict:
        """``perfect``, ``imperfect``, ``faulty`` or ``unfinished``."""
        verdict: Verdict = self._values["verdict"]
        return verdict

    def plot(self, ax: Any = None) -> Any:
        """Draw the mean regret in each layer of the game; return matplotlib's axes."""
        ax = axes_of(ax)
        layers = [of for of in self["by_layer"] if of["regret"]["mean"] is not None]
        ax.bar([of["layer"] for of in layers], [of["regret"]["mean"] for of in layers])
        ax.set(xlabel=self["layer_name"], ylabel="mean regret")
        return ax


def check(
    table: Oracle | str | PathLike[str] | Any,
    ai: str | Callable[..., Any],
    *,
    batch: bool = False,
    scope: Literal["all", "play"] = "all",
    criterion: Literal["score", "outcome"] | None = None,
    side: Literal["first", "second"] | None = None,
    positions: Iterable[Any] | None = None,
    canonical: bool = False,
    sample: int | None = None,
    seed: int = 1,
    by: str | None = None,
    max_faults: int = 10,
    timeout: float | None = None,
    budget: float | None = None,
    cache: bool = True,
    history: bool = False,
    masks: bool = False,
    jobs: int | None = None,
    concurrency: int | None = None,
    move_timeout: float | None = None,
    retries: int = 0,
    on_error: Literal["raise", "fault"] = "raise",
    on_answer: Callable[[Any, Any], object] | None = None,
    max_questions: int | None = None,
    cost: float | Callable[[Any, Any], float] | None = None,
    log: str | PathLike[str] | None = None,
    resume: Report | Mapping[Any, str] | str | PathLike[str] | None = None,
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
    ``by`` says how these are sampled: ``"playouts"`` from random games, ``"uniform"`` from a table,
    which must have as many. With ``scope="play"`` the AI must preserve the game's value in every
    line of play against it; ``side`` restricts this to one side. With ``criterion="outcome"``, the
    default in games that count plies, only the loss of a win or a draw is a mistake. Arguments that
    don't go together raise ``ValueError``.

    A game of your own with symmetries is first solved without them, in memory, unless ``canonical``
    is true; without symmetries, ``canonical`` raises ``ValueError``.

    ``timeout`` limits the whole check, and ``budget`` the search for the score of one move, both in
    seconds. When the time is up, an exception that is not an ``Exception`` ends the AI's answer.
    The check waits for an AI that is not written in Python.

    A function is asked once about each position, even if the check looks at it again;
    ``cache=False`` asks every time. At the end it is asked again about the mistakes and the line
    that the report shows, and ``report["asked_again"]`` says whether answers change. ``jobs``
    threads ask at once. An ``async`` function is awaited in an event loop of its own thread, and
    ``concurrency`` questions, by default 64, are open at once. Neither changes the report.
    ``zermelo.questions`` estimates their number.

    An answer that takes longer than ``move_timeout`` seconds is a fault; its thread goes on, and
    its task is cancelled. A call that raises an exception is repeated up to ``retries`` times, and
    each call counts as a question. Then it ends the check, and is raised with a note that names the
    position; with ``on_error="fault"`` it is a fault.

    With ``history``, the function also gets the list of moves that lead from the start to the
    position: a shortest one. All positions of the game must fit into memory.

    With ``masks``, as policies of Gymnasium and PettingZoo expect it, the function gets the numbers
    of the position (``table.columns``) and an array of booleans, which moves of ``table.all_moves``
    are legal. It returns the index of a move. With ``batch``, these are arrays with a row per
    position, and it returns an index for each.

    ``on_answer(position, move)`` is called after each answer. ``log`` is a file to which each
    answer is appended as it comes, a line of JSON. ``resume`` takes such a file, a report, or its
    ``answers``: those positions are not asked again. The same file may be both. The file's first
    line has the game, and the options that choose the positions; a file with others raises
    ``ValueError``. Another AI goes unnoticed: ``report["from_log"]`` is the number of earlier
    answers.

    ``max_questions`` limits the calls. If a sample or ``positions`` may need more, fewer are asked
    about, with a warning, and ``report["left_out"]`` is the number of the others. Other checks end
    at the limit with a report, whose ``stopped_by`` is ``questions``. ``cost`` is the price of a
    call, or a function of the position and the move that is called for answers only;
    ``report["spent"]`` is the sum. ``questions`` and ``spent`` of a resumed check leave out the
    earlier one. Ctrl-C and exceptions end the check, too. They are raised, and have the report on
    the answers so far as their attribute ``report``; with ``stop="report"`` it is returned. Its
    ``stopped_by`` is ``interrupt``.

    >>> import zermelo
    >>> table = zermelo.solve("tictactoe")
    >>> def first_free(position):
    ...     square = position.index(".")
    ...     return "abc"[square % 3] + "123"[square // 3]
    >>> report = zermelo.check(table, first_free)
    >>> report
    <zermelo.Report imperfect: 2,267 best moves of 4,520, at tictactoe(shortest)>
    >>> report["worst"][0]["regret"]
    5
    """
    if not isinstance(table, Oracle):
        table = open(table) if isinstance(table, (str, PathLike)) else solve(table)
    _fit(
        scope=scope, side=side, positions=positions, canonical=canonical, sample=sample, by=by,
        batch=batch, is_builtin=isinstance(ai, str), history=history, masks=masks,
    )
    if table.is_table and not len(table):
        raise ValueError(f"the start of {table.name} is finished, so that there is no move to ask for")
    table = table._asked_in_check(canonical, progress)
    limits = Limits(
        batch, cache, None if jobs is None else whole("jobs", jobs, 1, 1024),
        None if concurrency is None else whole("concurrency", concurrency, 1, 1024), move_timeout,
        whole("retries", retries), on_error, count("max_questions", max_questions), cost,
    )
    options = _options(
        table, scope, criterion, side, positions, canonical, sample, seed, by,
        max_faults=whole("max_faults", max_faults, 1, 10_000), timeout=timeout, budget=budget,
        jobs=jobs,
    )
    _must_have(table, options.get("sample"), by)
    if stop not in ("raise", "report"):
        raise ValueError(f'stop is "raise" or "report", not {stop!r}')
    if isinstance(ai, str):
        for name, given in {
            "concurrency": concurrency, "move_timeout": move_timeout, "retries": retries or None,
            "on_answer": on_answer, "max_questions": max_questions, "cost": cost, "log": log,
            "resume": resume,
        }.items():
            if given is not None:
                raise ValueError(f"{name} goes with an AI that is a function, not with a built-in one")
        with telling(progress) as tell:
            text, page, ended_by = table._inner.check(ai, options, tell)
        report = Report(table._own_report(json.loads(text)), page)
    else:
        options["jobs"] = limits.at_once(ai)
        if resume is not None and not cache:
            raise ValueError("resume goes with cache=True: without it, every position is asked again")
        header = _header(table, options)
        known = _known(table, resume, log, header)
        left_out = 0
        if limits.max_questions is not None:
            left_out = _fit_into(table, options, cache, known.answers, limits.max_questions)
        asker = Asker(
            table, _prepared(table, ai, batch, history, masks), limits, on_answer, known,
            None if log is None else Log(log, header), left_out,
        )
        report, ended_by = _asked(table, asker, options, progress, left_out)
    if ended_by is not None and stop == "raise":
        ended_by.report = report  # type: ignore[union-attr]
        raise ended_by
    return report


def _asked(
    table: Oracle,
    asker: Asker,
    options: dict[str, Any],
    progress: Progress,
    left_out: int,
) -> tuple[Report, BaseException | None]:
    """Check an AI that is a function; return the report, and the exception that ended the check."""
    try:
        with telling(progress) as tell:
            if tell is not None:
                expected = _questions(table, options, asker.uses_cache, asker.answers).expected
                tell = _telling(tell, asker, expected)
            text, page, ended_by = table._inner.check(asker, options, tell)
            values = json.loads(text)
    finally:
        asker.close()
    values["questions"], values["from_log"] = asker.questions, asker.from_log
    if asker.costs:
        values["spent"] = asker.spent
    if left_out:
        values["left_out"] = left_out
    if isinstance(ended_by, OutOfQuestions):
        ended_by, values["stopped_by"] = None, "questions"
    elif ended_by is not None:
        # The first questions may have been answered all.
        values["stopped_by"] = values["stopped_by"] or "interrupt"
    return Report(table._own_report(values), page, asker.answers, table), ended_by


def _options(
    table: Oracle,
    scope: str,
    criterion: str | None,
    side: str | None,
    positions: Iterable[Any] | None,
    canonical: bool,
    sample: int | None,
    seed: int,
    by: str | None,
    **more: Any,
) -> dict[str, Any]:
    """Return the options of a check for the extension module."""
    given = {
        "scope": scope,
        "criterion": criterion,
        "side": side,
        "positions": None if positions is None else [table._say(one) for one in positions],
        "canonical": canonical,
        "sample": count("sample", sample),
        "seed": whole("seed", seed),
        "by": by,
        "suite": table._is_suite,
        "misreadings": table._misreadings(),
    } | more
    return {name: value for name, value in given.items() if value is not None}


def _telling(tell: Callable[[str, int, int | None, str], object], asker: Asker, expected: int) -> Tell:
    """Return a function that passes on the progress in questions, and what they cost."""

    def questions(phase: str, done: int, total: int | None, unit: str) -> None:
        spent = f", {asker.spent:,.2f} spent" if asker.costs else ""
        tell(f"asking{spent}", asker.questions, max(expected, asker.questions), "questions")

    return questions


#: The most mistakes that are asked again besides those in the line.
_MOST_WORST = 10


class Questions(NamedTuple):
    """The number of questions that a check will ask, with an interval."""

    expected: int
    low: int
    high: int


def questions(
    table: Oracle,
    *,
    scope: Literal["all", "play"] = "all",
    criterion: Literal["score", "outcome"] | None = None,
    side: Literal["first", "second"] | None = None,
    positions: Iterable[Any] | None = None,
    canonical: bool = False,
    sample: int | None = None,
    seed: int = 1,
    by: str | None = None,
    cache: bool = True,
    resume: Report | Mapping[Any, str] | str | PathLike[str] | None = None,
) -> Questions:
    """Estimate how many questions a check with these options will ask.

    Built-in AIs take the place of yours: the number depends on its play, unless all positions are
    asked. The interval holds for most AIs, with questions that are asked again. Retries come on top.

    >>> import zermelo
    >>> table = zermelo.solve("tictactoe")
    >>> zermelo.questions(table).low
    4520
    """
    _fit(
        scope=scope, side=side, positions=positions, canonical=canonical, sample=sample, by=by,
        batch=False, is_builtin=False, history=False, masks=False,
    )
    table = table._asked_in_check(canonical, None)
    options = _options(
        table, scope, criterion, side, positions, canonical, sample, seed, by, jobs=1
    )
    _must_have(table, options.get("sample"), by)
    known = _known(table, resume, None, _header(table, options)).answers
    return _questions(table, options, cache, known)


def _header(table: Oracle, options: dict[str, Any]) -> dict[str, Any]:
    """Return the first line of a log: the game, and the options that choose the positions."""
    names = ["scope", "side", "canonical", "sample", *(["seed", "by"] if "sample" in options else [])]
    chosen = {name: options[name] for name in names if options.get(name) not in (None, False, "all")}
    return {"game": table.name, **chosen}


def _fit_into(
    table: Oracle, options: dict[str, Any], cache: bool, known: Mapping[str, str], most: int
) -> int:
    """Reduce the sample or the list in ``options``, so that ``most`` questions suffice.

    Return the number of positions left out. The number doesn't depend on the AI, so that it is the
    same for any number of questions that are open at once.
    """
    name = "sample" if "sample" in options else "positions"
    if name not in options:
        return 0
    whole, size = options[name], options[name] if name == "sample" else len(options[name])

    def high(size: int) -> int:
        some = size if name == "sample" else whole[:size]
        return _questions(table, options | {name: some}, cache, known).high

    # Each position takes a question, unless its answer is known or it comes twice.
    tried = size if known or name == "positions" else min(size, most + 1)
    if high(tried) <= most:
        return 0
    fits, fails = 0, tried
    while fails - fits > 1:
        middle = (fits + fails) // 2
        fits, fails = (middle, fails) if high(middle) <= most else (fits, middle)
    if not fits:
        raise ValueError(
            f"max_questions={most:,} is too few: a check of one position may take {high(1):,} questions"
        )
    options[name] = fits if name == "sample" else whole[:fits]
    if not table._is_suite:
        warn(
            f"max_questions={most:,} is too few for {size:,} positions: {fits:,} are asked about",
            stacklevel=3,
        )
    return int(size) - fits


class _Counted:
    """A built-in AI that counts the questions."""

    error, seconds_per_move, note = None, None, ""

    def __init__(self, table: Oracle, ai: str, cache: bool, known: Mapping[str, str]) -> None:
        self._table, self._ai, self._cache, self._known = table, ai, cache, known
        self._asked: dict[str, str] = {}
        self.questions = 0

    def begin_again(self) -> None:
        """Count no more: the report says how many questions are repeated."""

    def __call__(self, texts: list[str]) -> list[str]:
        return [self._answer(text) for text in texts]

    def _answer(self, text: str) -> str:
        key = self._table._key(text)
        move = self._known.get(key) or self._asked.get(key)
        if move is None or not self._cache:
            self.questions += 1
            move = self._asked[key] = move or self._table._inner.choose(text, self._ai)
        return move


def _questions(
    table: Oracle, options: dict[str, Any], cache: bool, known: Mapping[str, str]
) -> Questions:
    """Estimate the number of questions by checks of built-in AIs."""
    if table._is_suite:
        total = len(set(options["positions"]) - known.keys())
        return Questions(total, total, total)
    options = options | {"jobs": 1, "max_faults": 10_000, "misreadings": []}
    options.pop("timeout", None)
    if not table.is_table:
        # The scores don't matter, so don't search for them.
        options["budget"] = 0.0
    chosen = {"positions", "sample", "by"} & options.keys() or options["canonical"]
    is_whole = options["scope"] == "all" and not chosen
    if is_whole and cache and not known and type(table)._key is Oracle._key:
        # A check of all positions asks about nothing else, except for what it asks again.
        report = json.loads(table._inner.check("first", options, None)[0])
        total, again = report["asked"], report["asked_again"]["asked"]
        return Questions(total + again, total, total + _MOST_WORST + 2 * again)
    counts, repeats = [], []
    for ai in ("random:1", "random:2", "first", "greedy"):
        counted = _Counted(table, ai, cache, known)
        report = json.loads(table._inner.check(counted, options, None)[0])
        counts.append(counted.questions)
        repeats.append(report["asked_again"]["asked"] if cache else 0)
    low, high = min(counts), max(counts)
    # Measured with ten AIs at Kalah and Reversi.
    if options["scope"] == "play":
        low, high = low // 2, high + high // 2
    elif "sample" in options and options.get("by", "playouts") in ("playouts", "self"):
        low, high = low - low // 12, high + high // 5
    expected = round((sum(counts) + sum(repeats)) / len(counts))
    return Questions(expected, max(low - 3, 0), high + max(repeats) + 3)


def _prepared(
    table: Oracle, ai: Callable[..., Any], batch: bool, history: bool, masks: bool
) -> Callable[[Any], Any]:
    """Return the AI as a function of a position, or with ``batch`` of positions."""
    if masks:
        return _masked(table, ai, batch)
    if not history:
        return ai
    graph = table.graph()
    if is_async(ai):

        async def awaited(position: Any) -> Any:
            return await ai(position, graph.path(position))

        return awaited
    return lambda position: ai(position, graph.path(position))


def _masked(table: Oracle, ai: Callable[..., Any], batch: bool) -> Callable[[Any], Any]:
    """Wrap an AI that takes rows and masks of legal moves, and returns indices of moves."""
    if not (table.columns and table.all_moves):
        raise ValueError(f"{table.name} has no rows and columns of moves for masks")
    names = table.all_moves

    def told(positions: list[Any]) -> tuple[Any, Any]:
        texts = [table._say(position) for position in positions]
        scores = table.move_scores(texts)
        return table.to_rows(texts), scores != no_score(scores)

    def alone(position: Any) -> Any:
        rows, are_legal = told([position])
        return ai(rows[0], are_legal[0])

    async def awaited(position: Any) -> str:
        move: Awaitable[Any] = alone(position)
        return names[int(await move)]

    if is_async(ai):
        return awaited
    if batch:
        return lambda positions: [names[int(index)] for index in ai(*told(positions))]
    return lambda position: names[int(alone(position))]


def _known(
    table: Oracle,
    resume: Report | Mapping[Any, str] | str | PathLike[str] | None,
    log: str | PathLike[str] | None,
    header: dict[str, Any],
) -> Logged:
    """Return the answers of an earlier check."""
    for name, given in {"log": log, "resume": resume}.items():
        if isinstance(given, (str, PathLike)) and Path(given).is_dir():
            raise ValueError(
                f"{name} is a file, and {given} is a directory: pass {str(Path(given, 'answers.jsonl'))!r}"
            )
    is_file = isinstance(resume, (str, PathLike))
    is_log = is_file and log is not None and Path(resume).resolve() == Path(log).resolve()  # type: ignore[arg-type]
    if log is not None and not is_log and Path(log).exists() and Path(log).stat().st_size:
        raise ValueError(f"{log} has answers: pass resume={str(log)!r}, too, or another log")
    if resume is None or is_log and not Path(log).exists():  # type: ignore[arg-type]
        return Logged({}, {})
    again: Mapping[Any, str] = {}
    if isinstance(resume, (str, PathLike)):
        found = logged(resume, header)
        answers: Mapping[Any, str] = found.answers
        again = found.again
    else:
        answers = resume.answers if isinstance(resume, Report) else resume

    def by_key(answers: Mapping[Any, str]) -> dict[str, str]:
        known = {table._key(table._say(position)): move for position, move in answers.items()}
        for text, move in known.items():
            if move is None:
                raise ValueError(f"resume has no move at {text}")
            table._inner.side(text)
        return {text: table._name(move) for text, move in known.items()}

    return Logged(by_key(answers), by_key(again))


def _must_have(table: Oracle, sample: int | None, by: str | None) -> None:
    """Refuse a sample that is larger than what it is taken from."""
    if sample is not None and by == "uniform" and table.is_table and sample > len(table):
        raise ValueError(
            f"sample={sample:,} is more than the {len(table):,} positions of {table.name} that "
            'by="uniform" samples: ask about fewer, or leave out sample and by to ask about all'
        )


def _fit(
    *,
    scope: str,
    side: str | None,
    positions: object,
    canonical: bool,
    sample: object,
    by: str | None,
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
    must(by is None or sample is not None, "by goes with sample")
    must(not (masks and history), "masks and history don't go together")
    must(not (history and batch), "history goes with an AI that takes one position at a time")
    must(not (batch and is_builtin), "batch goes with an AI that is a function, and not with the name of a builtin one")
    if scope == "play":
        must(not names, f"{''.join(names)} doesn't go with scope=\"play\", which follows lines of play")
    else:
        must(side is None, 'side goes with scope="play"; scope="all" asks about both sides')
