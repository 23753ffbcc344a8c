/**
 * Returns the 16 squares, row by row from the top, and the digit of the side to move.
 *
 * In "N11./.21./.21./.22N first" the players' squares are "1" and "2", neutral pieces "N".
 */
function parse(line) {
  const [board, side] = line.trim().split(" ");
  return { squares: [...board.replaceAll("/", "")], own: side === "first" ? "1" : "2" };
}

/** Returns the name of a square: a1 is top left. */
function name(square) {
  return "abcd"[square % 4] + "1234"[Math.floor(square / 4)];
}

/** Returns all places of an L: a corner, two squares from it in one direction, one across. */
function allShapes() {
  const shapes = [];
  for (let corner = 0; corner < 16; corner++) {
    const [x, y] = [corner % 4, Math.floor(corner / 4)];
    for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
      for (const across of [1, -1]) {
        const side = [x + across * dy, y + across * dx];
        const shape = [[x, y], [x + dx, y + dy], [x + 2 * dx, y + 2 * dy], side];
        if (shape.every(([x, y]) => x >= 0 && x < 4 && y >= 0 && y < 4)) {
          shapes.push(shape.map(([x, y]) => 4 * y + x).sort((one, other) => one - other));
        }
      }
    }
  }
  return shapes;
}

/** Returns the moves: the L's new squares, and perhaps a neutral piece's old and new square. */
function legalMoves({ squares, own }) {
  const isFree = (square) => squares[square] === "." || squares[square] === own;
  const moves = [];
  for (const shape of allShapes()) {
    const isOld = shape.every((square) => squares[square] === own);
    if (isOld || !shape.every(isFree)) continue;
    const places = shape.map(name).join("");
    moves.push(places);
    for (let from = 0; from < 16; from++) {
      for (let to = 0; to < 16; to++) {
        if (squares[from] === "N" && isFree(to) && !shape.includes(to)) {
          moves.push(places + "+" + name(from) + "-" + name(to));
        }
      }
    }
  }
  return moves;
}
