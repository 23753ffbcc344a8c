/**
 * Returns the 25 squares, row by row from the top, and the mark to move, "X" or "O".
 *
 * In "X.O../...../...../...../..... first" each player has placed one piece; first is X.
 */
function parse(line) {
  const [board, side] = line.trim().split(" ");
  return { squares: [...board.replaceAll("/", "")], mark: side === "first" ? "X" : "O" };
}

/** Returns the name of a square: a1 is top left. */
function name(square) {
  return "abcde"[square % 5] + "12345"[Math.floor(square / 5)];
}

/** Returns whether two squares touch, also at a corner. */
function areNeighbours(from, to) {
  const dx = Math.abs((from % 5) - (to % 5));
  const dy = Math.abs(Math.floor(from / 5) - Math.floor(to / 5));
  return dx <= 1 && dy <= 1;
}

/** Returns the empty squares, or moves such as a1-b1 once the four pieces are placed. */
function legalMoves({ squares, mark }) {
  const cellsWith = (letter) => [...squares.keys()].filter((square) => squares[square] === letter);
  const [own, empty] = [cellsWith(mark), cellsWith(".")];
  if (own.length < 4) return empty.map(name);
  const moves = [];
  for (const from of own) {
    for (const to of empty) {
      if (areNeighbours(from, to)) moves.push(name(from) + "-" + name(to));
    }
  }
  return moves;
}
