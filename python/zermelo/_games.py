"""Opening and solving tables, and searching games."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from os import PathLike
from os.path import abspath
from typing import Any, overload
from uuid import uuid4

from . import _zermelo
from ._arguments import count, memory_of, threads_of
from ._compared import COMPARED, must_be_of
from ._labels import Verdict
from ._oracle import Oracle
from ._own import AnyGame, OwnOracle, proven_of, solve_own, starting
from ._own_search import OwnSearch
from ._progress import Progress, telling


#: The tables that other processes had in memory, by a name of each, and the most that are remembered.
_SOLVED: dict[str, Oracle] = {}
_MOST_SOLVED = 4


def _values(parameters: dict[str, Any]) -> dict[str, str]:
    def text(value: object) -> str:
        if isinstance(value, bool):
            return "yes" if value else "no"
        return str(value)

    return {name: text(value) for name, value in parameters.items() if value is not None}


def open(
    path: str | PathLike[str],
    *,
    game: AnyGame | None = None,
    start: Any = None,
    mmap: bool = False,
) -> Oracle:
    """Open a table that ``solve`` has written.

    For a table of a game in Python, ``game`` is that game, with the ``start`` that it was solved
    from. It is compared with the table at its
    first positions and in some random games; :func:`verify` compares everything.

    ``mmap=True`` maps the file into memory, which is a little faster. If another program then
    truncates the file, the system kills Python; without ``mmap`` that is an error.

    Raise ``FileNotFoundError``, ``TableError`` if the file is not an undamaged table, or
    ``ValueError`` if the table is of another game than ``game``.

    >>> import tempfile, zermelo
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = zermelo.solve("tictactoe", out=f"{folder}/ttt.bin")
    ...     zermelo.open(f"{folder}/ttt.bin")
    <zermelo.Oracle tictactoe(shortest), a table of 627 classes>
    """
    inner = _zermelo.open(path, mmap)
    again = partial(open, abspath(path), game=game, start=start, mmap=mmap)
    if game is not None:
        game = starting(game, start)
        must_be_of(inner, game, COMPARED)
    elif start is not None:
        raise TypeError("start= is for a game of your own, given as game=")
    return Oracle(inner, again) if game is None else OwnOracle(inner, game, again)


@overload
def solve(
    game: str,
    *,
    out: str | PathLike[str] | None = None,
    force: bool = False,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress = None,
    **parameters: Any,
) -> Oracle: ...
@overload
def solve(
    game: AnyGame,
    *,
    start: Any = None,
    out: str | PathLike[str] | None = None,
    force: bool = False,
    memory: int | None = None,
    max_positions: int | None = None,
    progress: Progress = None,
) -> OwnOracle: ...
def solve(
    game: str | AnyGame,
    *,
    start: Any = None,
    out: str | PathLike[str] | None = None,
    force: bool = False,
    threads: int | None = None,
    memory: int | None = None,
    max_positions: int | None = None,
    progress: Progress = None,
    **parameters: Any,
) -> Oracle:
    """Solve a game: compute the exact score of every reachable position.

    ``game`` is ``kalah``, ``tictactoe``, ``connect4``, ``reversi4``, ``reversi24`` or ``eight``,
    and its parameters are those of ``zermelo solve``. The table is written to the file ``out``;
    without it, the table stays in memory. A file that is already a table of the game is opened,
    unless ``force`` is true. A run that was stopped, for example with Ctrl-C, resumes from its last
    checkpoint. Only work that took more than 5 seconds is saved in checkpoints.

    ``game`` can also be a game of your own (:class:`Game`). After the checks of :func:`test_game`,
    each position is explored once that can be reached from its start, or from the position ``start``.
    A finished start is answered, with a warning if it is the game's own. More than ``max_positions`` positions raise
    ``SolveError``: pass this limit if your game may have no end. An existing file raises
    ``FileExistsError``, unless ``force`` is true, since only your rules could tell whether its game
    is the same. A stopped run starts again. Such a game is solved with a thread per core.

    ``progress`` is true for a line on standard error, or a function that receives the name of the
    phase, the amount done, the total or None, and the unit. ``threads`` is from 1 to 1024, by
    default one per core. ``memory`` is in bytes, by default nine tenths of the available memory. A
    game that needs more raises ``MemoryError``, before any work if the need is known.

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
        from_start = starting(game, start)
        own = solve_own(from_start, out, force, most, memory_of(memory), progress)
        in_memory = partial(solve, game, start=start, memory=memory, max_positions=most)
        own._again = partial(_once, uuid4().hex, in_memory)
        if out is not None:
            own._again = partial(open, abspath(out), game=game, start=start)
        return own
    for name, given in (("max_positions", max_positions), ("start", start)):
        if given is not None:
            raise TypeError(f"{name}= is for games of your own")
    values = _values(parameters)
    threads, memory = threads_of(threads), memory_of(memory)
    with telling(progress) as tell:
        inner = _zermelo.solve(game, values, out, force, threads, memory, tell)
    in_memory = partial(solve, game, threads=threads, memory=memory, **parameters)
    again = partial(_once, uuid4().hex, in_memory) if out is None else partial(open, abspath(out))
    return Oracle(inner, again)


def _once(name: str, solve: Callable[[], Oracle]) -> Oracle:
    """Return a table in memory of another process, solved again when it is asked for first."""
    if name not in _SOLVED:
        # The oldest one makes room.
        for old in list(_SOLVED)[: len(_SOLVED) + 1 - _MOST_SOLVED]:
            del _SOLVED[old]
        _SOLVED[name] = solve()
        _SOLVED[name]._again = partial(_once, name, solve)
    return _SOLVED[name]


@overload
def search(
    game: str,
    *,
    threads: int | None = None,
    memory: int | None = None,
    endgame: str | PathLike[str] | None = None,
    **parameters: Any,
) -> Oracle: ...
@overload
def search(
    game: AnyGame, *, max_positions: int = 1_000_000, memory: int | None = None
) -> OwnSearch: ...
def search(
    game: str | AnyGame,
    *,
    threads: int | None = None,
    memory: int | None = None,
    endgame: str | PathLike[str] | None = None,
    **parameters: Any,
) -> Oracle | OwnSearch:
    """Return an oracle that searches each position, for games too large to solve.

    Results of one search speed up the next. ``endgame`` is a table of Kalah's endgame
    (``solve("kalah", up_to=20)``), or an opening book of Connect Four.

    ``game`` can also be a game of your own. Then everything that can follow a position is solved
    when you ask about it, if that are at most ``max_positions`` positions, by default a million.

    >>> import zermelo
    >>> zermelo.search("kalah", pits=3, seeds=3)
    <zermelo.Oracle kalah(3,3), by search>
    """
    if not isinstance(game, str):
        most = parameters.pop("max_positions", 1_000_000)
        if parameters or threads is not None or endgame is not None:
            raise TypeError("a search of a game of your own takes max_positions= and memory= only")
        return OwnSearch(game, most, memory_of(memory))
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
    """Return an oracle that searches Kalah.

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
    """Return an oracle that searches Connect Four.

    >>> import zermelo
    >>> game = zermelo.connect4(columns=4, rows=4)
    >>> game.outcome("1212")
    'draw'
    """
    return search(
        "connect4", threads=threads, memory=memory, columns=columns, rows=rows, connect=connect
    )


def tictactoe(scoring: str = "shortest") -> Oracle:
    """Return an oracle that searches tic-tac-toe.

    >>> import zermelo
    >>> zermelo.tictactoe().score("XX..OO...")
    3
    """
    return search("tictactoe", scoring=scoring)


def reversi4(start: str = "cross") -> Oracle:
    """Return an oracle that searches Reversi on 4×4 squares.

    >>> import zermelo
    >>> zermelo.reversi4().score("..../.WB./.BW./.... B")
    -8
    """
    return search("reversi4", start=start)


def verify(
    table: Oracle | str | PathLike[str],
    *,
    game: AnyGame | None = None,
    start: Any = None,
    sample: int | None = None,
    seed: int = 1,
    memory: int | None = None,
    progress: Progress = None,
) -> Verdict:
    """Prove a table, given as an object or a path: :meth:`Oracle.verify`.

    The table of a game of your own is proved from its explicit game graph. With ``game``, that
    whole graph is compared with the rules, too: the game is explored and solved again. All images
    of every position are compared with each other.
    """
    if not isinstance(table, Oracle):
        table = open(table)
    if game is None and start is not None:
        raise TypeError("start= is for a game of your own, given as game=")
    if game is not None:
        reason = proven_of(table, starting(game, start), progress)
        if reason is not None:
            return Verdict("refuted", 0, reason)
    return table.verify(sample=sample, seed=seed, memory=memory, progress=progress)
