"""Questions of a check to an AI that is a Python function, many at once, and their log."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from inspect import isawaitable, iscoroutine, iscoroutinefunction
from math import inf
from numbers import Real
from os import PathLike
from pathlib import Path
from queue import SimpleQueue
from threading import RLock, Thread
from time import monotonic
from typing import IO, Any
from warnings import warn

from ._oracle import Oracle

#: The number of questions that are open at once if the AI is asynchronous.
CONCURRENCY = 64


class NoMore(BaseException):
    """Raised inside an AI when the check's time is up or the check is interrupted."""


class OutOfQuestions(Exception):
    """All questions of ``max_questions`` have been asked."""


@dataclass(frozen=True)
class Fault:
    """No answer in time, or an exception; ``detail`` ends a sentence that begins with "the AI"."""

    is_timeout: bool
    detail: str


@dataclass(frozen=True)
class Limits:
    """How an AI is asked."""

    batch: bool
    cache: bool
    jobs: int | None
    concurrency: int | None
    move_timeout: float | None
    retries: int
    on_error: str
    max_questions: int | None
    cost: float | Callable[[Any, Any], float] | None

    def at_once(self, ai: Callable[..., Any]) -> int:
        """Return the number of questions that are open at once, or refuse what doesn't fit the AI."""
        if not callable(ai):
            raise TypeError(
                "an AI is a function from a position to a move, or the name of a builtin one"
            )
        if self.on_error not in ("raise", "fault"):
            raise ValueError(f'on_error is "raise" or "fault", not {self.on_error!r}')
        timeout = self.move_timeout
        if timeout is not None and not 0 < timeout < 1e9:
            raise ValueError(f"move_timeout is a number of seconds above 0, not {timeout!r}")
        if not (self.cost is None or callable(self.cost) or isinstance(self.cost, Real)):
            raise TypeError(
                "cost is the price of a question, or a function of the position and the move, not "
                f"{self.cost!r}"
            )
        if not (self.cost is None or callable(self.cost) or 0 <= self.cost < inf):
            raise ValueError(f"cost is a number of at least 0, or a function, not {self.cost!r}")
        if is_async(ai):
            if self.batch:
                raise ValueError("an async AI takes one position at a time, so batch doesn't go with it")
            if self.jobs is not None:
                raise ValueError("jobs goes with a plain function: an async AI has concurrency=")
            return CONCURRENCY if self.concurrency is None else self.concurrency
        if self.concurrency is not None:
            raise ValueError("concurrency goes with an async AI: a plain function has jobs=")
        if self.batch and (self.jobs not in (None, 1) or timeout is not None):
            raise ValueError("jobs and move_timeout go with an AI that takes one position at a time")
        if self.batch and (self.retries or self.on_error != "raise"):
            raise ValueError("retries and on_error go with an AI that takes one position at a time")
        return self.jobs or 1


def is_async(ai: Any) -> bool:
    """Return whether an AI is a coroutine function, or an object that is called as one."""
    return iscoroutinefunction(ai) or iscoroutinefunction(getattr(ai, "__call__", None))


def _price(cost: Callable[[Any, Any], float], position: Any, move: str) -> float:
    try:
        price = cost(position, move)
    except TypeError as error:
        error.add_note("cost= is a number, or a function of the position and the move")
        raise
    if not isinstance(price, Real) or not 0 <= price < inf:
        raise TypeError(
            f"cost= returned {price!r} at {position}: it returns the price of an answer, a number of "
            "at least 0"
        )
    return float(price)


class Log:
    """A file to which each answer is appended as a line of JSON, after a line with the options.

    A new file begins with the header ``of``.
    """

    def __init__(self, path: str | PathLike[str], of: dict[str, Any]) -> None:
        path = Path(path)
        whole = path.read_bytes() if path.exists() else b""
        end = whole.rfind(b"\n") + 1
        if whole[end:] and _line_of(whole[end:]) is None:
            # A kill tore this line; the next one must not continue it.
            with path.open("r+b") as file:
                file.truncate(end)
            whole = whole[:end]
        elif whole[end:]:
            path.write_bytes(whole + b"\n")
        self._file: IO[str] = path.open("a", encoding="utf-8")
        if not whole.strip():
            self.add(**of)

    def add(self, **values: object) -> None:
        """Append a line."""
        self._file.write(json.dumps(values) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _line_of(line: bytes) -> dict[str, Any] | None:
    """Return a line of a log: an answer, or the header, which has no position."""
    try:
        read = json.loads(line)
        is_answer = isinstance(read.get("position"), str) and "move" in read
        return read if is_answer or isinstance(read.get("game"), str) else None
    except (ValueError, AttributeError):
        return None


@dataclass(frozen=True)
class Logged:
    """The answers in a log, without faults."""

    answers: dict[str, str]
    #: The answers to questions that were asked again.
    again: dict[str, str]


def logged(path: str | PathLike[str], of: dict[str, Any]) -> Logged:
    """Return the answers in a log; a torn last line is ignored with a warning.

    Raise ``ValueError`` if the log has another header than ``of``.
    """
    lines = Path(path).read_bytes().split(b"\n")
    found = Logged({}, {})
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        read = _line_of(line)
        if read is None and number < len(lines):
            raise ValueError(f"{path}, line {number}: no answer of a check: {line[:80]!r}")
        if read is None:
            warn(f"{path}: the last line is torn, and is ignored: {line[:80]!r}", stacklevel=4)
        elif "position" not in read:
            _must_be(path, read, of)
        elif read["move"] is not None:
            answers = found.again if read.get("again") else found.answers
            answers[read["position"]] = read["move"]
    return found


def _must_be(path: str | PathLike[str], header: dict[str, Any], of: dict[str, Any]) -> None:
    if header == of:
        return

    def words(header: dict[str, Any]) -> str:
        options = ", ".join(f"{name}={value!r}" for name, value in header.items() if name != "game")
        return f"a check of {header['game']}" + (f" with {options}" if options else "")

    raise ValueError(
        f"{path} is the log of {words(header)}, and this is {words(of)}: pass those options, or another "
        "log. A report's answers can be resumed with other options"
    )


class _Threads:
    """Threads for which nobody has to wait, unlike those of an executor."""

    def __init__(self) -> None:
        self._idle: list[SimpleQueue[Callable[[], None] | None]] = []
        self._is_closed = False

    def start(self, work: Callable[[], None]) -> None:
        """Do some work in a free thread, or in a new one."""
        try:
            queue = self._idle.pop()
        except IndexError:
            queue = SimpleQueue()
            Thread(target=self._run, args=(queue,), daemon=True).start()
        queue.put(work)

    def _run(self, queue: SimpleQueue[Callable[[], None] | None]) -> None:
        while (work := queue.get()) is not None:
            work()
            self._idle.append(queue)
            if self._is_closed:
                return

    def close(self) -> None:
        """End the free threads now, and the others after their work."""
        self._is_closed = True
        while self._idle:
            self._idle.pop().put(None)


class _Loop:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Begin some work."""
        asyncio.run_coroutine_threadsafe(work, self._loop)

    def close(self) -> None:
        """Cancel all work, and end the loop."""

        async def end() -> None:
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            # A task that refuses to end is left behind.
            await asyncio.wait(tasks, timeout=1.0) if tasks else None
            await self._loop.shutdown_asyncgens()
            self._loop.stop()

        asyncio.run_coroutine_threadsafe(end(), self._loop)
        self._thread.join(5.0)
        if not self._thread.is_alive():
            self._loop.close()


class Asker:
    """The AI as a function from a list of texts to a list of texts, for any number of threads."""

    def __init__(
        self,
        table: Oracle,
        ai: Callable[[Any], Any],
        limits: Limits,
        on_answer: Callable[[Any, Any], object] | None,
        known: Logged,
        log: Log | None,
        left_out: int = 0,
    ) -> None:
        self._of, self._name, self._key = table._read, table._name, table._key
        self._ai, self._limits, self._on_answer, self._log = ai, limits, on_answer, log
        self._lock = RLock()
        #: The moves by position, and those of the questions now: the first ones, or repeated ones.
        self.answers = self._now = known.answers
        self._again = known.again
        #: Timeouts and exceptions, which an earlier check's answers don't have.
        self._faults: dict[str, Fault] = {}
        self._open: dict[str, Future[str | Fault]] = {}
        #: Answers of an earlier check, and those of them that this check used.
        self._earlier, self._used = frozenset(known.answers), set[str]()
        self._left_out = left_out
        self._is_again = False
        #: Number of calls, retries among them, and the cost of the answers.
        self.questions, self.spent = 0, 0.0
        #: Number of answers that were timed, and the seconds that they took.
        self._timed, self._seconds = 0, 0.0
        #: The exception that ended the check.
        self.error: BaseException | None = None
        self.costs, self.uses_cache = limits.cost is not None, limits.cache
        self._threads: _Threads | None = None
        self._loop: _Loop | None = None
        if is_async(ai):
            self._loop = _Loop()
        elif limits.at_once(ai) > 1 or limits.move_timeout is not None:
            self._threads = _Threads()

    @property
    def from_log(self) -> int:
        """Number of answers that came from an earlier check."""
        return len(self._used)

    @property
    def seconds_per_move(self) -> float | None:
        """Mean time of the AI's calls that returned a move."""
        return self._seconds / self._timed if self._timed else None

    @property
    def note(self) -> str:
        """What to add to the positions that were asked about."""
        if not self._left_out:
            return ""
        return f"; without {self._left_out:,} positions, for which max_questions is too few"

    def begin_again(self) -> None:
        """Ask anew from now on, to compare the answers."""
        self._now, self._faults, self._is_again = self._again, {}, True
        self._earlier = frozenset()

    def close(self) -> None:
        """End the threads and the log."""
        for ended in (self._loop, self._threads):
            if ended is not None:
                ended.close()
        with self._lock:
            if self._log is not None:
                self._log.close()
                self._log = None

    def __call__(self, texts: list[str]) -> list[str | Fault]:
        # Your own game's position may be the same for both sides.
        keys = [self._key(text) for text in texts]
        answered: list[str | Fault] = []
        try:
            if self._limits.batch:
                return self._together(keys)
            for key in keys:
                answered.append(self._one(key))
                if self.error is not None:
                    break
        except NoMore:
            pass
        except (Exception, KeyboardInterrupt) as error:
            # The check ends, with the answers so far.
            self._end(error)
        return answered

    def _end(self, error: BaseException) -> None:
        with self._lock:
            self.error = self.error or error

    def _known(self, key: str) -> str | Fault | None:
        if not self._limits.cache:
            return None
        # An empty text is an answer, if a malformed one.
        answer = self._now.get(key)
        if answer is None:
            return self._faults.get(key)
        if key in self._earlier:
            self._used.add(key)
        return answer

    def _one(self, key: str) -> str | Fault:
        with self._lock:
            known = self._known(key)
            if known is not None:
                return known
            future = self._open.get(key) if self._limits.cache else None
            if future is None:
                self._begin(1)
                future = Future()
                if self._limits.cache:
                    self._open[key] = future
                if self._loop is not None:
                    self._loop.start(self._await(key, future))
                elif self._threads is not None:
                    self._threads.start(lambda: self._work(key, future))
                else:
                    self._work(key, future)
        return self._wait(key, future)

    def _begin(self, count: int) -> None:
        most = self._limits.max_questions
        if most is not None and self.questions + count > most:
            raise OutOfQuestions
        self.questions += count
        if self._limits.cost is not None and not callable(self._limits.cost):
            self.spent += count * self._limits.cost

    def _wait(self, key: str, future: Future[str | Fault]) -> str | Fault:
        limit = self._limits.move_timeout
        until = monotonic() + (limit or inf)
        # In short waits, so that the end of the check interrupts them.
        while not future.done():
            try:
                return future.result(min(0.1, max(until - monotonic(), 0)))
            except TimeoutError:
                if not future.done() and monotonic() >= until:
                    self._settle(key, future, self._late())
        return future.result()

    def _late(self) -> Fault:
        return Fault(True, f"gave no answer within {self._limits.move_timeout} s")

    def _tries(self, future: Future[str | Fault]) -> Iterator[bool]:
        """Yield for each call of the AI whether it is the last; a retry is a question, too."""
        for left in range(self._limits.retries, -1, -1):
            if left < self._limits.retries:
                with self._lock:
                    if future.done():
                        return
                    self._begin(1)
            yield not left

    def _work(self, key: str, future: Future[str | Fault]) -> None:
        """Ask for a move in this thread."""
        try:
            for is_last in self._tries(future):
                began = monotonic()
                try:
                    move = self._ai(self._of(key))
                    if isawaitable(move):
                        if iscoroutine(move):
                            move.close()
                        raise TypeError("the AI returned a coroutine: pass the async function itself")
                    answer = self._name(move)
                except (Exception, asyncio.CancelledError) as error:
                    if is_last:
                        self._settle(key, future, self._failure(key, error))
                else:
                    self._settle(key, future, answer, monotonic() - began)
                    return
        except NoMore:
            raise
        except BaseException as error:
            self._settle(key, future, error)

    async def _await(self, key: str, future: Future[str | Fault]) -> None:
        """Await a move in the event loop."""
        try:
            try:
                async with asyncio.timeout(self._limits.move_timeout) as limit:
                    await self._awaited(key, future)
            except TimeoutError:
                if not limit.expired():
                    raise
                self._settle(key, future, self._late())
        except BaseException as error:
            self._settle(key, future, error)

    async def _awaited(self, key: str, future: Future[str | Fault]) -> None:
        for is_last in self._tries(future):
            began = monotonic()
            try:
                move: Awaitable[Any] = self._ai(self._of(key))
                answer = self._name(await move)
            except (Exception, asyncio.CancelledError) as error:
                task = asyncio.current_task()
                if isinstance(error, asyncio.CancelledError) and task and task.cancelling():
                    # The time is up, or the check has ended.
                    raise
                if is_last:
                    self._settle(key, future, self._failure(key, error))
            else:
                self._settle(key, future, answer, monotonic() - began)
                return

    def _failure(self, key: str, error: BaseException) -> Fault:
        """Return an exception as a fault, or raise it."""
        name, text = type(error).__name__, str(error)
        if self._limits.on_error == "fault":
            return Fault(False, f"raised {name}: {text}" if text else f"raised {name}")
        if isinstance(error, asyncio.CancelledError):
            # Raised as it is, it would cancel the caller's task without a word.
            of, error = error, RuntimeError("the AI's call was cancelled: it raised CancelledError")
            error.__cause__ = of
        error.add_note(f"The AI was asked about the position {key}")
        raise error

    def _settle(
        self,
        key: str,
        future: Future[str | Fault],
        answer: str | Fault | BaseException,
        seconds: float | None = None,
    ) -> None:
        """Save the first answer to a question; a later one is discarded."""
        with self._lock:
            if future.done():
                return
            self._open.pop(key, None)
            if seconds is not None:
                self._timed += 1
                self._seconds += seconds
            if isinstance(answer, BaseException):
                future.set_exception(answer)
            else:
                future.set_result(self._saved(key, answer))

    @property
    def _mark(self) -> dict[str, bool]:
        return {"again": True} if self._is_again else {}

    def _saved(self, key: str, answer: str | Fault) -> str | Fault:
        """Save an answer, and tell those who want to know it."""
        try:
            if isinstance(answer, Fault):
                self._faults[key] = answer
                if self._log is not None:
                    self._log.add(position=key, move=None, fault=answer.detail, **self._mark)
                return answer
            # No other text can hold half a character.
            answer = answer.encode(errors="backslashreplace").decode()
            self._now[key] = answer
            if self._log is not None:
                self._log.add(position=key, move=answer, **self._mark)
            if callable(self._limits.cost):
                self.spent += _price(self._limits.cost, self._of(key), answer)
            if self._on_answer is not None:
                self._on_answer(self._of(key), answer)
        except (Exception, KeyboardInterrupt) as error:
            self._end(error)
        return answer

    def _together(self, keys: list[str]) -> list[str | Fault]:
        unknown = [key for key in dict.fromkeys(keys) if self._known(key) is None]
        most = self._limits.max_questions
        if most is not None and self.questions + len(unknown) > most:
            # The questions that are left go to the first positions.
            self._end(OutOfQuestions())
            unknown = unknown[: most - self.questions]
        fresh: dict[str, str | Fault] = {}
        try:
            self._begin(len(unknown))
            began = monotonic()
            given = self._ai([self._of(key) for key in unknown]) if unknown else []
            moves = [self._name(move) for move in given]
            if len(moves) != len(unknown):
                raise ValueError(f"the AI gave {len(moves)} moves for {len(unknown)} positions")
            self._timed += len(unknown)
            self._seconds += monotonic() - began
            fresh = {key: self._saved(key, move) for key, move in zip(unknown, moves)}
        except (Exception, KeyboardInterrupt) as error:
            if isinstance(error, Exception):
                error.add_note(f"The AI was asked about {len(unknown)} positions, the first {unknown[0]}")
            self._end(error)
        answered = []
        for key in keys:
            answer = fresh.get(key)
            answer = self._known(key) if answer is None else answer
            if answer is None:
                break
            answered.append(answer)
        return answered
