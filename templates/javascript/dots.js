/**
 * Returns the rows from the top, and the side to move, "first" or "second".
 *
 * In "--/|2|../-./...../.. first" the rows are in turn horizontal lines ("-" or "."), and
 * vertical lines ("|" or ".") with the owners of the boxes between them.
 */
function parse(line) {
  const [board, side] = line.trim().split(" ");
  return { rows: board.split("/"), side };
}

/** Returns the name of a dot: a1 is top left. */
function dot(x, y) {
  return "abcdefgh"[x] + (y + 1);
}

/** Returns the lines that aren't drawn, each by its two dots, such as a1-b1. */
function legalMoves(position) {
  const moves = [];
  position.rows.forEach((row, number) => {
    const y = Math.floor(number / 2);
    [...row].forEach((letter, place) => {
      if (letter !== ".") return;
      if (number % 2 === 0) {
        moves.push(dot(place, y) + "-" + dot(place + 1, y));
      } else if (place % 2 === 0) {
        const x = place / 2;
        moves.push(dot(x, y) + "-" + dot(x, y + 1));
      }
    });
  });
  return moves;
}
