/**
 * Returns the nine squares, row by row from the top, and the mark to move.
 *
 * A square is "X", "O", or "." if it is empty. X moves first.
 */
function parse(line) {
  const squares = [...line.trim()];
  const empty = squares.filter((square) => square === ".").length;
  return { squares, mark: empty % 2 === 1 ? "X" : "O" };
}

/** Returns the names of the empty squares: a1 is top left, c3 bottom right. */
function legalMoves(position) {
  const names = ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"];
  return names.filter((name, number) => position.squares[number] === ".");
}
