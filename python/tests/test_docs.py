"""Runs the Python code in the documents unchanged."""

import ast
import doctest
import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent.parent
#: Beginning of a comment that states the value of its line.
RESULT = re.compile(r"#\s+(-?\d|['\"\[({<]|array\(|True|False|None)")


def blocks(path: Path) -> list[tuple[int, str]]:
    """The blocks of Python in a document, each with the number of its first line."""
    text = path.read_text(encoding="utf-8")
    found = re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [(text[: block.start()].count("\n") + 2, block[1]) for block in found]


def shown(line: str) -> str | None:
    """The value that a line's comment states, without an explanation after a colon; or None."""
    _, _, comment = line.rpartition("  #")
    comment = "#" + comment
    if "  #" not in line or not RESULT.match(comment):
        return None
    said = comment[1:].strip()
    return said if said.startswith("<") else said.partition(": ")[0]


def run(block: str, first: int, path: Path, names: dict[str, object]) -> int:
    """Run a block statement by statement, and compare the values with its comments."""
    lines, held = block.splitlines(), 0
    for statement in ast.parse(block).body:
        place = f"{path.name}, line {first + statement.lineno - 1}"
        ast.increment_lineno(statement, first - 1)
        said = shown(lines[(statement.end_lineno or 0) - first])
        if isinstance(statement, ast.Expr):
            code = compile(ast.Expression(statement.value), str(path), "eval")
            found = repr(eval(code, names))
            if said is not None:
                held += 1
                same = doctest.OutputChecker().check_output(said, found, doctest.ELLIPSIS)
                assert same, f"{place}: it gives {found}, not {said}"
        else:
            exec(compile(ast.Module([statement], []), str(path), "exec"), names)
    return held


@pytest.mark.parametrize(
    ("name", "least_blocks", "least_results"),
    [
        ("docs/reference/python.md", 3, 5),
        ("docs/how-to/labels.md", 5, 4),
        ("docs/how-to/measure-a-policy.md", 3, 6),
        ("docs/how-to/check-an-agent-that-costs-money.md", 3, 4),
        ("docs/how-to/score-a-language-model.md", 3, 2),
        ("docs/tutorials/solve-your-own-game-in-python.md", 6, 5),
        ("python/README.md", 1, 2),
    ],
)
def test_code_in_documents_runs(
    name: str,
    least_blocks: int,
    least_results: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = ROOT / name
    names: dict[str, object] = {"np": np, "__name__": "document"}
    found, held = blocks(path), 0
    # Indented blocks are parts of a class.
    found = [(line, block) for line, block in found if not block.startswith(" ")]
    assert len(found) >= least_blocks
    monkeypatch.chdir(tmp_path)
    for line, block in found:
        if "to_pandas" in block:
            try:
                import pandas  # noqa: F401
                import pyarrow  # noqa: F401
            except ImportError:
                continue
        held += run(block, line, path, names)
    assert held >= least_results


def test_errors_in_documents_are_found() -> None:
    with pytest.raises(AssertionError, match=r"line 8: it gives 4, not 5"):
        run("two = 2\ntwo + two   # 5: not so\n", 7, Path("document.md"), {})
    names: dict[str, object] = {}
    assert run("[1,\n 2]  # [1, 2]\nobject()  # <object ...>\n1 + 1  # two\n", 1, Path(), names) == 2
