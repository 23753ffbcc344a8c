/**
 * Returns the nine cells, row by row from the top, and the mark to move.
 *
 * A cell is "X", "O", or "." if it is empty. X moves first.
 */
function parse(line) {
  const cells = [...line.trim()];
  const empty = cells.filter((cell) => cell === ".").length;
  return { cells, mark: empty % 2 === 1 ? "X" : "O" };
}

/** Returns the names of the empty cells: a1 is top left, c3 bottom right. */
function legalMoves(position) {
  const names = ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"];
  return names.filter((name, number) => position.cells[number] === ".");
}
