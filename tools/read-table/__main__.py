"""Reads a table without zermelo: scores of all positions, or of some.

    python3 tools/read-table TABLE              every class that the table holds, a line each
    python3 tools/read-table TABLE --absent     and every class that it could hold and doesn't
    python3 tools/read-table TABLE --walk       every position that can come up, found by the rules
    python3 tools/read-table TABLE -p POSITION  one position, or more of them

A line is a position, as in docs/reference/games.md, a blank and the score, seen from the side to move, or "-"
if the table has none. The exit code is 0, or 2 if something that was read is damaged or doesn't fit
together. All classes are counted, too, and the counts compared with those in the file.

Written from docs/reference/table-format.md and docs/reference/games.md alone, to show that they suffice. It needs
Python 3.9 and nothing else, and is meant to be read, not to be fast. Of a game that it doesn't know
it prints the keys and their scores.
"""

import argparse
import sys

sys.dont_write_bytecode = True

import games  # noqa: E402
from contents import Contents  # noqa: E402
from damage import Damaged  # noqa: E402
from file import File  # noqa: E402


def write(lines):
    for position, score in lines:
        print(position, "-" if score is None else score)


def walk(game, contents):
    """Returns every reachable unfinished position with its score."""
    start = game.start()
    known = {start}
    to_do = [start]
    while to_do:
        position = to_do.pop()
        if game.final_score(position) is not None:
            continue
        yield game.write(position), contents.score(position)
        for child, _ in game.children(position):
            if child not in known:
                known.add(child)
                to_do.append(child)


def run(options):
    file = File(options.table)
    game = games.of_rules(file.metadata.rules)
    if game is None:
        if options.position or options.walk:
            raise ValueError(f"this reader doesn't know the rules of {file.metadata.rules}")
        codes = []
        for key, code in file.layout.entries():
            codes.append(code)
            print(hex(key), file.layout.score(code))
        file.layout.check_totals(codes)
        return
    contents = Contents(file, game)
    if options.position:
        for text in options.position:
            write([(text, contents.score(game.read(text)))])
    elif options.walk:
        write(walk(game, contents))
    else:
        write(contents.classes(options.absent))


def main():
    parser = argparse.ArgumentParser(
        prog="read-table", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("table", help="the file")
    parser.add_argument("--absent", action="store_true", help="also classes without a score")
    parser.add_argument("--walk", action="store_true", help="every position that can come up")
    parser.add_argument("-p", "--position", action="append", help="the score of this position")
    try:
        run(parser.parse_args())
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(2)
    except (Damaged, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)


main()
