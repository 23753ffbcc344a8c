const STEPS = "orthogonal"; // The option --steps: orthogonal, lines, neighbours or any.

/**
 * Returns the nine squares, row by row from the top, and the mark to move, "X" or "O".
 *
 * In "X.O/.../... first" each player has placed one piece; first is X.
 */
function parse(line) {
  const [board, side] = line.trim().split(" ");
  return { squares: [...board.replaceAll("/", "")], mark: side === "first" ? "X" : "O" };
}

/** Returns the name of a square: a1 is top left. */
function name(square) {
  return "abc"[square % 3] + "123"[Math.floor(square / 3)];
}

/** Returns whether a piece may move between two squares, if the new one is empty. */
function canStep(from, to) {
  const dx = Math.abs((from % 3) - (to % 3));
  const dy = Math.abs(Math.floor(from / 3) - Math.floor(to / 3));
  if (STEPS === "any" || dx + dy === 1) return true;
  const isDiagonal = dx === 1 && dy === 1;
  const isByMiddle = from === 4 || to === 4;
  return isDiagonal && (STEPS === "neighbours" || (STEPS === "lines" && isByMiddle));
}

/** Returns the empty squares, or moves such as a1-b1 once the three pieces are placed. */
function legalMoves({ squares, mark }) {
  const cellsWith = (letter) => [...squares.keys()].filter((square) => squares[square] === letter);
  const [own, empty] = [cellsWith(mark), cellsWith(".")];
  if (own.length < 3) return empty.map(name);
  const moves = [];
  for (const from of own) {
    for (const to of empty) {
      if (canStep(from, to)) moves.push(name(from) + "-" + name(to));
    }
  }
  return moves;
}
