/**
 * Returns the rows from the top, and the player to move, "X" or "O".
 *
 * In ".../.O./.X." the discs of both players are in the middle column. X moves first.
 */
function parse(line) {
  const rows = line.trim().split("/");
  const discs = [...line].filter((square) => square === "X" || square === "O").length;
  return { rows, player: discs % 2 === 0 ? "X" : "O" };
}

/** Returns the numbers of the columns that aren't full. The leftmost column is 1. */
function legalMoves(position) {
  const moves = [];
  [...position.rows[0]].forEach((square, column) => {
    if (square === ".") moves.push(String(column + 1));
  });
  return moves;
}
