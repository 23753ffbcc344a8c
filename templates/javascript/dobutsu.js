/**
 * Returns the rows from the top, the pieces in hand, and whether the first player moves.
 *
 * In "gle/.c./.C./ELG - first" the first player's pieces are upper-case, and no piece is in hand.
 */
function parse(line) {
  const [board, hand, side] = line.trim().split(" ");
  return { rows: board.split("/"), hand: hand.replace("-", ""), isFirst: side === "first" };
}

/** Returns whether a piece can step so many columns to the side and rows forward. */
function canStep(piece, aside, ahead) {
  if (Math.abs(aside) > 1 || Math.abs(ahead) > 1) return false;
  if (aside === 0) return (ahead === 1 ? "LGHC" : "LGH").includes(piece);
  if (ahead === 0) return "LGH".includes(piece);
  return (ahead === 1 ? "LEH" : "LE").includes(piece);
}

/** Returns the name of a square: a1 is top left. */
function name([x, y]) {
  return "abc"[x] + "1234"[y];
}

/** Returns the moves: a piece's old and new square, b3-b2, or a drop, C*b3. */
function legalMoves({ rows, hand, isFirst }) {
  const forward = isFirst ? -1 : 1; // The first player moves up.
  const isOwn = (piece) => /[A-Z]/.test(piece) === isFirst && piece !== ".";
  const moves = [];
  const squares = [0, 1, 2, 3].flatMap((y) => [0, 1, 2].map((x) => [x, y]));
  for (const to of squares) {
    const [toX, toY] = to;
    if (isOwn(rows[toY][toX])) continue;
    for (const from of squares) {
      const [x, y] = from;
      const piece = rows[y][x];
      if (isOwn(piece) && canStep(piece.toUpperCase(), toX - x, (toY - y) * forward)) {
        moves.push(name(from) + "-" + name(to));
      }
    }
    if (rows[toY][toX] === ".") {
      const kinds = new Set([...hand].filter(isOwn));
      for (const kind of kinds) moves.push(kind.toUpperCase() + "*" + name(to));
    }
  }
  return moves;
}
