"""Second questions after a check, which show if answers are stable, and the page of its report."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from time import monotonic
from typing import Any

from ._asker import Asker, Fault
from ._oracle import Oracle

#: The most mistakes that are asked again besides those in the line.
MOST_WORST = 10
#: The number of faults after which no more positions are asked again.
_MOST_FAULTS = 3


def ask_again(
    table: Oracle,
    asker: Asker,
    options: dict[str, Any],
    values: dict[str, Any],
    earlier: dict[str, str],
    began: float,
    tell: Callable[..., object] | None,
) -> BaseException | None:
    """Ask again for the moves that the report shows, and correct what it says about them.

    The check itself gets the first answers once more, since it can't tell an answer from a saved one.
    Return the exception that ended the questions early.
    """
    if not values["asked_again"]["asked"]:
        return None
    line, first = values["refutation_line"], dict(asker.answers)
    steps = line["steps"] if line else []
    in_line = [step["position"] for step in steps if step["side"] == line["side"]]
    texts = list(dict.fromkeys(in_line + [one["position"] for one in values["worst"]]))
    again, faults = asker.ask_again(dict(earlier))
    left = options.get("timeout", float("inf")) - (monotonic() - began)
    ended_by: BaseException | None = None
    if left > 0.1:
        # A check of a suite's positions asks about nothing else.
        asked = {
            "scope": "all", "canonical": False, "positions": texts, "suite": True, "misreadings": [],
            "max_faults": _MOST_FAULTS, "jobs": options["jobs"],
        }
        if "timeout" in options:
            asked["timeout"] = left
        if not table.is_table:
            # Scores don't matter, so don't search for them.
            asked["budget"] = 0.0
        ended_by = table._inner.check(asker, asked, tell)[2]
    values["asked_again"], repeated = _compared(table, texts, first, again, faults)
    if line:
        line["confirmed"] = repeated.issuperset(in_line)
    return ended_by


def _compared(
    table: Oracle,
    texts: list[str],
    first: dict[str, str],
    again: dict[str, str],
    faults: dict[str, Fault],
) -> tuple[dict[str, Any], set[str]]:
    """Return how the answers differ, and the positions with the same answer as before."""
    asked, changed, example, repeated = 0, 0, None, set()
    for text in texts:
        key = table._key(text)
        if key in again:
            answer = again[key]
        elif key in faults:
            answer = "timeout" if faults[key].is_timeout else "crash"
        else:
            # The check ended before.
            continue
        asked += 1
        if key in again and answer.strip() == first[key].strip():
            repeated.add(text)
            continue
        changed += 1
        example = example or [text, first[key], answer]
    return {"asked": asked, "changed": changed, "example": example}, repeated


def corrected(page: str, values: dict[str, Any]) -> str:
    """Return the page of a report with the values that are known only after the check."""
    seconds = values["seconds_per_move"]
    card = r'<div class="card"><div class="soft">Time</div><div class="big">[^<]*</div>'
    if seconds is None:
        page = re.sub(card + r'<div class="soft">[^<]*</div></div>', "", page, count=1)
    else:
        shown = f'<div class="card"><div class="soft">Time</div><div class="big">{_time(seconds)}</div>'
        page = re.sub(card, shown, page, count=1)
    line, again = values["refutation_line"], values["asked_again"]
    if line and not line["confirmed"]:
        side = line["side"]
        page = page.replace(
            f"This can happen: all moves of the {side} side are the AI's own.",
            f"All moves of the {side} side are answers of the AI, but asked again it did not give all "
            "of them.",
        )
        if line["why_not_from_start"]:
            claim = f"The line begins at the mistake: {line['why_not_from_start']}."
            page = page.replace(claim, f"{claim} Asked again, the AI did not give all of its moves.")
    notes = {}
    if again["example"] and "Answers vary" not in page:
        position, one, other = again["example"]
        notes["Answers vary"] = (
            f"asked again, the AI answered {again['changed']:,} of {again['asked']:,} positions "
            f"otherwise, such as {position}: {one}, then {other}"
        )
    if values.get("left_out"):
        notes["Left out"] = f"{values['left_out']:,} positions, for which max_questions is too few"
    if values["from_log"]:
        notes["Earlier answers"] = f"{values['from_log']:,} answers come from an earlier check"
    shown = "".join(f"<p><b>{name}: </b>{escape(what)}.</p>" for name, what in notes.items())
    return page.replace("<nav ", f"{shown}<nav ", 1)


def _time(seconds: float) -> str:
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.1f}{unit}"
    return f"{seconds * 1e9:.1f}ns"
