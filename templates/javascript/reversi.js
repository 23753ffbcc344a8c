const DIRECTIONS = [[-1, -1], [0, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [0, 1], [1, 1]];

/**
 * Returns the rows from the top, and the side to move, "B" or "W".
 *
 * A square is "B", "W", "." if it is empty, or " " outside of the board. In "..../.WB./.BW./.... B"
 * all rows have four squares. Shorter rows of a board are centred.
 */
function parse(line) {
  const [board, side] = line.trim().split(" ");
  const rows = board.split("/");
  const width = Math.max(...rows.map((row) => row.length));
  return { rows: rows.map((row) => " ".repeat((width - row.length) / 2) + row), side };
}

/** Returns the opponent's discs that a new disc would enclose. */
function enclosed(position, x, y) {
  const square = (x, y) => position.rows[y]?.[x] ?? " ";
  const other = position.side === "B" ? "W" : "B";
  const discs = [];
  for (const [dx, dy] of DIRECTIONS) {
    const line = [];
    let [toX, toY] = [x + dx, y + dy];
    while (square(toX, toY) === other) {
      line.push([toX, toY]);
      toX += dx;
      toY += dy;
    }
    if (square(toX, toY) === position.side) discs.push(...line);
  }
  return discs;
}

/** Returns the squares where a disc would enclose others, such as b1, or "pass". */
function legalMoves(position) {
  const moves = [];
  position.rows.forEach((row, y) => {
    [...row].forEach((square, x) => {
      if (square === "." && enclosed(position, x, y).length > 0) moves.push("abcdef"[x] + (y + 1));
    });
  });
  return moves.length > 0 ? moves : ["pass"];
}
