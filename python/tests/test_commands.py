"""The commands that the wheel brings."""

import subprocess
import sys
from pathlib import Path

import zermelo

BIN = Path(sys.executable).parent


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_the_commands_are_there() -> None:
    shown = run(str(BIN / "zermelo"), "--version")
    assert shown.returncode == 0 and zermelo.__version__ in shown.stdout
    for command in ("solve", "check-ai"):
        shown = run(str(BIN / command), "--help")
        assert shown.returncode == 0 and command in shown.stdout
    assert run(sys.executable, "-m", "zermelo", "query").returncode == 2


def test_they_make_and_ask_tables(tmp_path) -> None:
    path = tmp_path / "ttt.bin"
    made = run(str(BIN / "solve"), "tictactoe", "--out", str(path))
    assert made.returncode == 0, made.stderr
    asked = run(str(BIN / "zermelo"), "query", str(path), "first-player win?")
    assert (asked.returncode, asked.stdout[:3]) == (1, "no:")
    assert len(zermelo.open(path)) == 627
