"""Tables opened and made, and games searched."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from os import PathLike
from os.path import abspath
from typing import Any

from . import _zermelo
from ._arguments import count, memory_of, threads_of
from ._labels import Verdict
from ._oracle import Oracle
from ._own import COMPARED, OwnOracle, must_be_of, proven_of, solve_own
from ._progress import Progress, telling


def _values(parameters: dict[str, Any]) -> dict[str, str]:
    def text(value: object) -> str:
        if isinstance(value, bool):
            return "yes" if value else "no"
        return str(value)

    return {name: text(value) for name, value in parameters.items() if value is not None}


def open(path: str | PathLike[str], *, game: Any = None, mmap: bool = False) -> Oracle:
    """Open a table that ``solve`` has written; for one of a game in Python, ``game`` is that game,
    which is compared with the table at its first positions and in some random games.
    :func:`verify` compares all of it.

    ``mmap=True`` maps the file into memory, which is a little faster. If another program then cuts the
    file off, the system ends Python; without it that is an error.

    Raises ``FileNotFoundError``, ``TableError`` for what is no undamaged table, or ``ValueError``
    if ``game`` is another game than the table's.

    >>> import tempfile, zermelo
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = zermelo.solve("tictactoe", out=f"{folder}/ttt.bin")
    ...     zermelo.open(f"{folder}/ttt.bin")
    <zermelo.Oracle tictactoe(shortest), a table of 627 classes>
    """
    inner = _zermelo.open(path, mmap)
    if game is not None:
        must_be_of(inner, game, COMPARED)
    again = partial(open, abspath(path), game=game, mmap=mmap)
    return Oracle(inner, again) if game is None else OwnOracle(inner, game, again)


def solve(
    game: str | Any,
    *,
    out: str | PathLike[str] | None = None,
    force: bool = False,
    threads: int | None = None,
    memory: int | None = None,
    max_positions: int | None = None,
    progress: Progress = None,
    **parameters: Any,
) -> Oracle:
    """Solve a game: compute the exact score of every position that can come up.

    ``game`` is ``kalah``, ``tictactoe``, ``connect4``, ``reversi4``, ``reversi24`` or ``eight``, and
    its parameters are those of ``zermelo solve``. The table goes into the file ``out``, or without
    one stays in memory. If the file is a table of the game already, it is opened, unless ``force``
    is true. A run that was stopped, with Ctrl-C for example, goes on from where it was, if it had
    kept anything: parts of the work that took more than 5 seconds are kept.

    Or it is a game of your own (:class:`Game`), of which each position that can come up is explored
    once, after the checks of :func:`test_game`. More than ``max_positions`` positions are a
    ``SolveError``: pass it if your game may have no end. A file that is there already is a ``FileExistsError`` then, unless ``force`` is true, for
    only your rules could tell whether it is of the same game; and a run that was stopped begins
    anew. Such a game is solved with a thread for each core.

    ``progress`` is true for a line on standard error, or a function that is called with the name of
    the phase, what is done, how much it is in all or None, and the unit. ``threads`` is from 1 to
    1024, by default one for each core. ``memory`` is in bytes; by default nine tenths of what is
    available. What would take more is refused with a ``MemoryError``, before any work where that is
    known.

    >>> import zermelo
    >>> table = zermelo.solve("kalah", pits=4, seeds=2)
    >>> len(table), table.score(table.start)
    (66265, 6)
    """
    if not isinstance(game, str):
        if parameters:
            raise TypeError("a game of your own has its parameters from you, not from solve()")
        if threads is not None:
            raise TypeError("threads= is for the games that come with the package")
        most = count("max_positions", max_positions)
        own = solve_own(game, out, force, most, memory_of(memory), progress)
        if out is not None:
            own._again = partial(open, abspath(out), game=game)
        return own
    if max_positions is not None:
        raise TypeError("max_positions= is for games of your own")
    values = _values(parameters)
    threads, memory = threads_of(threads), memory_of(memory)
    with telling(progress) as tell:
        inner = _zermelo.solve(game, values, out, force, threads, memory, tell)
    return Oracle(inner, None if out is None else partial(open, abspath(out)))


def search(
    game: str,
    *,
    threads: int | None = None,
    memory: int | None = None,
    endgame: str | PathLike[str] | None = None,
    **parameters: Any,
) -> Oracle:
    """An oracle that searches each position it is asked about, for games too large to solve.

    What it has learnt from one question serves the next. ``endgame`` is a table of Kalah's endgame
    (``solve("kalah", up_to=20)``).

    >>> import zermelo
    >>> zermelo.search("kalah", pits=3, seeds=3)
    <zermelo.Oracle kalah(3,3), by search>
    """
    if not isinstance(game, str):
        raise TypeError(
            "search() is for the games that come with the package: solve() explores one of your own"
        )
    values = _values(parameters)
    threads, memory = threads_of(threads), memory_of(memory)
    inner = _zermelo.search(game, values, threads, memory, endgame)
    place = None if endgame is None else abspath(endgame)
    again: Callable[[], Oracle] = partial(
        search, game, threads=threads, memory=memory, endgame=place, **parameters
    )
    return Oracle(inner, again)


def kalah(
    seeds: int = 4,
    pits: int = 6,
    *,
    empty_capture: bool = False,
    threads: int | None = None,
    memory: int | None = None,
    endgame: str | PathLike[str] | None = None,
) -> Oracle:
    """Kalah, searched.

    >>> import zermelo
    >>> game = zermelo.kalah(seeds=2, pits=4)
    >>> game.score(game.start)
    6
    """
    return search(
        "kalah",
        threads=threads,
        memory=memory,
        endgame=endgame,
        seeds=seeds,
        pits=pits,
        empty_capture=empty_capture,
    )


def connect4(
    columns: int = 7,
    rows: int = 6,
    connect: int = 4,
    *,
    threads: int | None = None,
    memory: int | None = None,
) -> Oracle:
    """Connect Four, searched.

    >>> import zermelo
    >>> game = zermelo.connect4(columns=4, rows=4)
    >>> game.outcome("1212")
    'draw'
    """
    return search(
        "connect4", threads=threads, memory=memory, columns=columns, rows=rows, connect=connect
    )


def tictactoe(scoring: str = "shortest") -> Oracle:
    """Tic-tac-toe, searched.

    >>> import zermelo
    >>> zermelo.tictactoe().score("XX..OO...")
    3
    """
    return search("tictactoe", scoring=scoring)


def reversi4(start: str = "cross") -> Oracle:
    """Reversi on 4×4 cells, searched.

    >>> import zermelo
    >>> zermelo.reversi4().score("..../.WB./.BW./.... B")
    -8
    """
    return search("reversi4", start=start)


def verify(
    table: Oracle | str | PathLike[str],
    *,
    game: Any = None,
    sample: int | None = None,
    seed: int = 1,
    memory: int | None = None,
    progress: Progress = None,
) -> Verdict:
    """Prove a table, or the file of one: :meth:`Oracle.verify`.

    The table of a game of your own is proved from its list of positions. With ``game`` all of that list
    is compared with the rules, too: the game is explored and solved anew.
    """
    if not isinstance(table, Oracle):
        table = open(table)
    if game is not None:
        reason = proven_of(table, game, progress)
        if reason is not None:
            return Verdict("refuted", 0, reason)
    return table.verify(sample=sample, seed=seed, memory=memory, progress=progress)
