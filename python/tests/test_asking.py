"""Questions of a check: many at once, awaited, logged, resumed, limited and estimated."""

import asyncio
import json
import subprocess
import sys
import threading
from zlib import crc32

import numpy as np
import pytest

import zermelo

#: Seconds after which a test that hangs fails.
HANG = 60.0


@pytest.fixture(scope="module")
def table() -> zermelo.Oracle:
    return zermelo.solve("kalah", pits=3, seeds=2)


def last(table: zermelo.Oracle):
    return lambda position: table.moves(position)[-1][0]


def firsts(report: zermelo.Report) -> int:
    """The number of questions without those that were asked again."""
    return report["questions"] - report["asked_again"]["asked"]


def timeless(report: zermelo.Report) -> dict[str, object]:
    return dict(report) | {"seconds_per_move": 0}


class Together:
    """An AI that answers only when so many of its calls are open; the first and last are exempt."""

    def __init__(self, table: zermelo.Oracle, size: int, begin: int, end: int) -> None:
        self.answer, self.begin, self.end = last(table), begin, end
        self.size, self.lock, self.calls = size, threading.Lock(), 0
        self.barrier = threading.Barrier(size)

    def number(self) -> int:
        with self.lock:
            self.calls += 1
            return self.calls

    def __call__(self, position: str) -> str:
        if self.begin < self.number() <= self.end:
            self.barrier.wait(HANG)
        return self.answer(position)


@pytest.mark.parametrize(
    ("jobs", "size", "begin", "end", "options"),
    [
        (16, 9, 0, 9, {"sample": 10}),  # Questions about the rules.
        (16, 5, 9, 9 + 150, {"sample": 200}),  # Playouts, some of which come to the same positions.
        (16, 8, 9, 9 + 160, {"sample": 200, "by": "uniform"}),  # Positions, some of them twice.
        (64, 64, 9, 9 + 14 * 64, {}),
        (16, 16, 9, 9 + 14 * 16, {}),
    ],
)
def test_questions_are_open_at_once(table, jobs, size, begin, end, options):
    agent = Together(table, size, begin, end)
    report = zermelo.check(table, agent, jobs=jobs, **options)
    assert report["stopped_by"] is None and agent.calls >= end


def test_repeats_are_open_at_once(table):
    """The second questions about the worst mistakes wait for each other, in pairs."""
    positions = list(dict.fromkeys(table._in_playouts(40, False, np.random.default_rng(1))))
    once = zermelo.check(table, last(table), positions=positions, cache=False)
    in_line = {step["position"] for step in once["refutation_line"]["steps"]}
    worst = {of["position"] for of in once["worst"]} - in_line
    lock, seen, repeats, barrier = threading.Lock(), set(), 0, threading.Barrier(2)

    def agent(position):
        nonlocal repeats
        with lock:
            is_repeat = position in seen and position in worst
            repeats += is_repeat
            waits = is_repeat and repeats <= 4
            seen.add(position)
        if waits:
            barrier.wait(HANG)
        return table.moves(position)[-1][0]

    report = zermelo.check(table, agent, jobs=4, cache=False, positions=positions)
    assert repeats >= 4 and timeless(report) == timeless(once)


@pytest.mark.parametrize(
    "options",
    [{"sample": 60}, {"sample": 60, "by": "uniform"}, {"scope": "play"}, {"canonical": True}],
)
def test_the_report_and_the_questions_are_the_same_for_any_number(table, options):
    answer, asked = last(table), []

    def agent(position):
        asked.append(position)
        return answer(position)

    async def awaited(position):
        asked.append(position)
        await asyncio.sleep(0)
        return answer(position)

    first = None
    for ai, more in [
        (agent, {}), (agent, {"jobs": 16}), (agent, {"jobs": 64}), (awaited, {}),
        (awaited, {"concurrency": 3}),
    ]:
        asked.clear()
        report = zermelo.check(table, ai, **options, **more)
        assert len(asked) == report["questions"] and len(set(asked)) == firsts(report)
        found = timeless(report), sorted(asked)
        first = first or found
        assert found == first


@pytest.mark.parametrize("max_faults", [1, 4, 10, 25, 10_000])
def test_faults_end_a_check_at_the_same_place_for_any_number(table, max_faults):
    def agent(position):
        number = crc32(position.encode())
        if number % 11 == 0:
            raise LookupError("none")
        return "x" if number % 13 == 0 else table.moves(position)[-1][0]

    reports = [
        zermelo.check(
            table, agent, sample=100, jobs=jobs, on_error="fault", max_faults=max_faults
        )
        for jobs in (1, 3, 16)
    ]
    assert sum(reports[0]["faults"].values()) > 0
    for report in reports:
        # Questions that were open at the end have been asked, but don't count.
        assert timeless(report) | {"questions": 0} == timeless(reports[0]) | {"questions": 0}


def test_an_async_ai_is_awaited_also_within_a_running_loop(table):
    answer, open_calls, most = last(table), 0, 0
    full = None

    async def agent(position):
        nonlocal open_calls, most, full
        full = full or asyncio.Event()
        open_calls += 1
        most = max(most, open_calls)
        if open_calls == 64:
            full.set()
        if open_calls > 16 or most > 16:
            await asyncio.wait_for(full.wait(), HANG)
        await asyncio.sleep(0)
        open_calls -= 1
        return answer(position)

    async def notebook():
        return zermelo.check(table, agent, concurrency=64)

    report = asyncio.run(notebook())
    assert most == 64
    assert timeless(report) == timeless(zermelo.check(table, answer))


def test_async_answers_time_out_are_cancelled_and_repeated(table):
    cancelled, calls = [], {}

    async def agent(position):
        calls[position] = calls.get(position, 0) + 1
        if position == table.start:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                cancelled.append(position)
                raise
        if calls[position] == 1:
            raise TimeoutError("of the network")
        while position == positions[1] and not cancelled:
            await asyncio.sleep(0.01)
        return table.best_moves(position)[0]

    positions = [table.start, table.play(table.start, "1")]
    options = {"positions": positions, "move_timeout": 2.0, "retries": 1, "concurrency": 1}
    report = zermelo.check(table, agent, **options)
    assert cancelled == [table.start] and calls[positions[1]] == 2
    assert report["faults"]["timeout"] == 1 == sum(report["faults"].values())
    assert "gave no answer within 2.0 s" in str(report["fault_list"])
    calls.clear()
    with pytest.raises(TimeoutError, match="of the network") as caught:
        zermelo.check(table, agent, positions=positions[1:])
    assert "about the position" in caught.value.__notes__[0]


def test_async_agents_take_moves_and_masks(table):
    class Policy:
        async def __call__(self, row, mask):
            return int(mask.argmax())

    async def told(position, moves):
        assert table.play(table.start, *moves) == position
        return table.best_moves(position)[0]

    masked = zermelo.check(table, Policy(), masks=True, canonical=True)
    assert masked["mistakes"] == zermelo.check(table, "first", canonical=True)["mistakes"]
    assert zermelo.check(table, told, history=True).verdict == "perfect"


def test_arguments_that_do_not_fit_the_agent_are_refused(table, tmp_path):
    async def agent(position):
        raise AssertionError

    for ai, wrong, match in [
        (agent, {"jobs": 4}, "concurrency="),
        (agent, {"batch": True}, "one position at a time"),
        (agent, {"concurrency": 0}, "from 1 to"),
        (last(table), {"concurrency": 4}, "jobs="),
        (last(table), {"cost": -1.0}, "at least 0"),
        (last(table), {"max_questions": 0}, "at least 1"),
        (last(table), {"resume": {}, "cache": False}, "cache=True"),
        ("first", {"log": tmp_path / "log"}, "is a function"),
        ("first", {"max_questions": 5}, "is a function"),
    ]:
        with pytest.raises(ValueError, match=match):
            zermelo.check(table, ai, **wrong)
    with pytest.raises(TypeError, match="pass the async function itself"):
        zermelo.check(table, lambda position: agent(position))
    with pytest.raises(FileNotFoundError):
        zermelo.check(table, last(table), resume=tmp_path / "none")
    assert not (tmp_path / "log").exists()


KILLED = """
import os, sys, zermelo
table = zermelo.solve("kalah", pits=3, seeds=2)
log, asked = sys.argv[1], []

def agent(position):
    asked.append(position)
    if len(asked) == 150:
        os._exit(9)
    return table.moves(position)[-1][0]

zermelo.check(table, agent, sample=200, jobs=int(sys.argv[2]), log=log, resume=log)
"""


@pytest.mark.parametrize("jobs", [1, 8])
def test_a_killed_check_is_resumed_from_its_log(table, tmp_path, jobs):
    log, asked = tmp_path / "answers.jsonl", []
    killed = subprocess.run([sys.executable, "-c", KILLED, str(log), str(jobs)], timeout=HANG)
    assert killed.returncode == 9
    header, *lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert header == {"game": "kalah(3,2)", "sample": 200, "seed": 1}
    assert 149 - jobs < len(lines) < 150
    with log.open("a") as file:
        file.write('{"position": "torn')

    def agent(position):
        asked.append(position)
        return table.moves(position)[-1][0]

    with pytest.raises(ValueError, match="has answers: pass resume="):
        zermelo.check(table, agent, sample=200, log=log)
    # On another machine, which has a copy.
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(log.read_bytes())
    with pytest.warns(UserWarning, match="torn"):
        report = zermelo.check(table, agent, sample=200, resume=copy, jobs=16)
    first = [line["position"] for line in lines]
    assert len(set(first) & set(asked)) <= report["asked_again"]["asked"]
    assert report["from_log"] == len(lines) and "answers from an earlier check" in repr(report)
    whole = zermelo.check(table, agent, sample=200)
    assert report["questions"] == whole["questions"] - len(lines)
    differs = {"questions": 0, "from_log": 0}
    assert timeless(report) | differs == timeless(whole) | differs
    with pytest.warns(UserWarning, match="torn"):
        zermelo.check(table, agent, sample=200, log=log, resume=log)
    assert zermelo.check(table, agent, sample=200, log=log, resume=str(log))["questions"] == 0
    assert len(log.read_text().splitlines()) == whole["questions"] + 1
    copy.write_text('torn\n{"position": "%s", "move": "1"}\n' % table.start)
    with pytest.raises(ValueError, match="line 1"):
        zermelo.check(table, agent, resume=copy)


def test_faults_are_logged_and_asked_again(table, tmp_path):
    log = tmp_path / "log"

    def fails(position):
        raise LookupError("no network")

    zermelo.check(table, fails, sample=10, on_error="fault", log=log)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert lines[1]["move"] is None and "no network" in lines[1]["fault"]
    assert zermelo.check(table, last(table), sample=10, log=log, resume=log)["questions"] > 10


@pytest.mark.parametrize("answers", [0, 5, 40, 230])
@pytest.mark.parametrize("jobs", [1, 4])
def test_whatever_stops_a_check_there_is_a_report(table, answers, jobs):
    lock, count = threading.Lock(), 0

    def agent(position):
        nonlocal count
        with lock:
            count += 1
            if count > answers:
                raise stopping
        return table.moves(position)[-1][0]

    for stopping in (KeyboardInterrupt(), LookupError("gone")):
        for stop in ("raise", "report"):
            count = 0
            if stop == "raise":
                with pytest.raises(type(stopping)) as caught:
                    zermelo.check(table, agent, sample=150, jobs=jobs)
                report = caught.value.report
            else:
                report = zermelo.check(table, agent, sample=150, jobs=jobs, stop="report")
            assert report["stopped_by"] == "interrupt" and report.html
            assert len(report.answers) == answers
            assert report.verdict in ("unfinished", "imperfect")
            # It goes on from there.
            again = zermelo.check(table, last(table), sample=150, resume=report)
            assert again["stopped_by"] is None and len(again.answers) == firsts(again) + answers


def test_a_budget_of_questions_reduces_the_sample(table):
    answer, first = last(table), None

    async def agent(position):
        await asyncio.sleep(0)
        return answer(position)

    for ai, more in [
        (answer, {}), (answer, {"jobs": 8}), (agent, {"concurrency": 1}), (agent, {"concurrency": 8}),
        (agent, {"concurrency": 64}),
    ]:
        with pytest.warns(UserWarning, match="max_questions=150 is too few for 100 positions"):
            report = zermelo.check(table, ai, sample=100, max_questions=150, cost=0.25, **more)
        assert report["stopped_by"] is None and report["asked"] == 100 - report["left_out"] > 20
        assert report["questions"] <= 150 and report["spent"] == report["questions"] / 4
        assert f"{report['left_out']} positions, for which" in report.html
        first = first or timeless(report)
        assert timeless(report) == first
    positions = list(dict.fromkeys(table._in_playouts(100, False, np.random.default_rng(1))))
    with pytest.warns(UserWarning, match="max_questions"):
        report = zermelo.check(table, answer, positions=positions, max_questions=90)
    assert 20 < report["asked"] == len(positions) - report["left_out"] and report["questions"] <= 90
    with pytest.raises(ValueError, match=r"a check of one position may take \d+ questions"):
        zermelo.check(table, answer, sample=100, max_questions=3)
    whole = zermelo.check(table, answer, sample=100, max_questions=10_000)
    assert "left_out" not in whole and whole["asked"] == 100


def test_a_budget_of_questions_is_never_exceeded(table):
    answer, asked = last(table), []

    def agent(position):
        asked.append(position)
        return answer(position)

    for jobs, most in [(1, 3), (4, 40), (16, 600)]:
        asked.clear()
        report = zermelo.check(table, agent, jobs=jobs, max_questions=most, cost=0.25)
        assert len(asked) == report["questions"] == most and report["spent"] == most / 4
        assert report["stopped_by"] == "questions"
    asked.clear()
    report = zermelo.check(
        table, lambda some: [agent(one) for one in some], batch=True, canonical=True,
        max_questions=100, cost=lambda position, move: 2,
    )
    assert len(asked) == 100 and report["spent"] == 200 and 80 <= report["asked"] <= 100


@pytest.mark.parametrize("jobs", [1, 8])
def test_retries_are_questions_that_are_counted_and_paid(table, jobs):
    lock, calls = threading.Lock(), 0

    def fails(position):
        nonlocal calls
        with lock:
            calls += 1
        raise LookupError

    report = zermelo.check(
        table, fails, jobs=jobs, retries=4, on_error="fault", max_faults=10_000, max_questions=203,
        cost=0.5,
    )
    assert calls == report["questions"] == 203 and report["spent"] == 101.5
    assert report["stopped_by"] == "questions" and "raised LookupError:" not in report.html


@pytest.mark.parametrize("jobs", [1, 8])
def test_answers_are_asked_for_again(table, jobs, tmp_path):
    lock, seen, log = threading.Lock(), {}, tmp_path / "log"

    def unstable(position):
        with lock:
            seen[position] = seen.get(position, 0) + 1
        return table.moves(position)[-1 if seen[position] == 1 else 0][0]

    report = zermelo.check(table, unstable, sample=60, jobs=jobs, log=log)
    again, line = report["asked_again"], report["refutation_line"]
    assert 5 < again["changed"] <= again["asked"] and not line["confirmed"]
    assert sorted(seen.values())[-again["asked"] :] == [2] * again["asked"]
    position, one, other = again["example"]
    assert one == report.answers[position] == table.moves(position)[-1][0] != other
    assert "Answers vary" in report.html and "This can happen" not in report.html
    # A resumed check takes both answers from the log.
    resumed = zermelo.check(table, unstable, sample=60, jobs=jobs, log=log, resume=log)
    assert resumed["questions"] == 0 and resumed["asked_again"] == again
    stable = zermelo.check(table, last(table), sample=60, jobs=jobs)
    assert stable["asked_again"]["changed"] == 0 and stable["refutation_line"]["confirmed"]
    assert "This can happen" in stable.html


def test_faults_of_second_answers_are_changes(table):
    seen = set()

    def once(position):
        if position in seen:
            raise LookupError("gone")
        seen.add(position)
        return table.moves(position)[-1][0]

    report = zermelo.check(table, once, sample=60, on_error="fault")
    assert report["asked_again"]["asked"] == report["asked_again"]["changed"] == 3
    assert report["asked_again"]["example"][2] == "crash" and not report["refutation_line"]["confirmed"]
    seen.clear()
    report = zermelo.check(table, once, sample=60, stop="report")
    assert report["stopped_by"] == "interrupt" and report["asked"] == 60


def test_the_time_per_move_is_that_of_calls(table, monkeypatch):
    now = [0.0]

    def slow(position):
        now[0] += 2.0
        return table.moves(position)[-1][0]

    monkeypatch.setattr("zermelo._asker.monotonic", lambda: now[0])
    report = zermelo.check(table, slow, sample=40)
    assert report["seconds_per_move"] == 2.0 and ">2.0s<" in report.html
    known = zermelo.check(table, slow, sample=40, resume=report)
    assert known["seconds_per_move"] in (None, 2.0)
    batch = zermelo.check(table, lambda some: list(map(slow, some)), batch=True, sample=40)
    assert batch["seconds_per_move"] == 2.0


@pytest.mark.parametrize("is_async", [True, False])
def test_a_cancelled_call_is_an_exception_of_the_agent(table, is_async):
    calls = {}

    def cancelled(position):
        calls[position] = calls.get(position, 0) + 1
        if position == table.start:
            raise asyncio.CancelledError
        return table.best_moves(position)[0]

    async def awaited(position):
        return cancelled(position)

    agent, some = awaited if is_async else cancelled, {"positions": [table.start]}
    report = zermelo.check(table, agent, **some, retries=2, on_error="fault")
    assert calls[table.start] == 3 and report["faults"]["crash"] == 1
    assert "raised CancelledError" in str(report["fault_list"])
    with pytest.raises(RuntimeError, match="it raised CancelledError") as caught:
        zermelo.check(table, agent, **some)
    assert table.start in caught.value.__notes__[0] and caught.value.report["questions"] > 0


def test_a_log_of_other_options_is_refused(table, tmp_path):
    log, answer = tmp_path / "log", last(table)
    with pytest.warns(UserWarning, match="too few for 100"):
        part = zermelo.check(table, answer, sample=100, max_questions=100, log=log)
    for options in ({"sample": 99}, {"sample": 100, "seed": 2}, {"sample": 100, "by": "uniform"}, {}):
        with pytest.raises(ValueError, match="is the log of a check of kalah.*sample=100, seed=1"):
            zermelo.check(table, answer, **options, log=log, resume=log)
    other = zermelo.solve("kalah", pits=3, seeds=1)
    with pytest.raises(ValueError, match=r"this is a check of kalah\(3,1\)"):
        zermelo.check(other, "12".find, sample=100, resume=log)
    # A larger budget resumes the check.
    whole = zermelo.check(table, answer, sample=100, max_questions=1000, log=log, resume=log)
    assert whole["asked"] == 100 > part["asked"] and 50 < whole["from_log"] <= part["questions"]


def test_a_sample_is_no_larger_than_its_table(table):
    most = len(table)
    for ask in (lambda **of: zermelo.check(table, "first", **of),
                lambda **of: zermelo.questions(table, **of)):
        with pytest.raises(ValueError, match=f"more than the {most:,} positions"):
            ask(sample=most + 1, by="uniform")
    assert zermelo.check(table, "first", sample=most, by="uniform")["asked"] == most


def test_messages_name_the_mistake(table, tmp_path):
    answer = last(table)
    for wrong, error, match in [
        ({"log": tmp_path}, ValueError, "log is a file, and .* is a directory: pass "),
        ({"resume": tmp_path}, ValueError, "resume is a file"),
        ({"cost": "x"}, TypeError, "cost is the price of a question.*not 'x'"),
        ({"cost": lambda position, move: None}, TypeError, "cost= returned None at .*at least 0"),
        ({"batch": True, "retries": 1}, ValueError, "one position at a time"),
    ]:
        with pytest.raises(error, match=match):
            zermelo.check(table, answer, sample=10, **wrong)
    with pytest.raises(TypeError) as caught:
        zermelo.check(table, answer, sample=10, cost=lambda position: 1)
    assert "a function of the position and the move" in caught.value.__notes__[0]


@pytest.mark.parametrize("options", [{"sample": 200}, {"sample": 200, "by": "random"},
                                     {"sample": 200, "by": "uniform"}, {"canonical": True}, {}])
def test_the_number_of_questions_is_known_before(table, options):
    told = zermelo.questions(table, **options)
    assert told.low <= told.expected <= told.high
    for ai in ("perfect", "random:7", "level:3"):
        report = zermelo.check(table, lambda p: table.choose(p, ai), **options)
        assert told.low <= report["questions"] <= told.high
    assert zermelo.questions(table, **options, resume=report).high < told.high / 2 + 100


def test_progress_tells_questions_and_what_they_cost(table):
    told = []

    def agent(position):
        release.wait(0.005)
        return table.moves(position)[-1][0]

    release = threading.Event()
    report = zermelo.check(
        table, agent, sample=100, jobs=2, cost=0.5, progress=lambda *of: told.append(of)
    )
    phase, done, total, unit = told[-1]
    assert (done, unit) == (report["questions"], "questions") and total >= done
    assert phase == f"asking, {report['spent']:,.2f} spent" and report["spent"] == done / 2
