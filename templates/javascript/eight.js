/**
 * Returns the total and the number named last, which is 0 at the start.
 *
 * In "5,2 first" the total is 5 and the last number 2. The start is "0 first".
 */
function parse(line) {
  const [total, last = 0] = line.trim().split(" ")[0].split(",").map(Number);
  return { total, last };
}

/** Returns the numbers that may be named. */
function legalMoves(position) {
  return [1, 2, 3].filter((number) => number !== position.last).map(String);
}
