/**
 * Returns the pits and store of the side to move, and those of the opponent.
 *
 * In "2,2,0,3:1/2,2,2,2:0 first" the first player has the pits 2,2,0,3 and the store 1.
 */
function parse(line) {
  const [board, side] = line.trim().split(" ");
  const [first, second] = board.split("/").map((half) => {
    const [pits, store] = half.split(":");
    return { pits: pits.split(",").map(Number), store: Number(store) };
  });
  return side === "first" ? { own: first, other: second } : { own: second, other: first };
}

/** Returns the numbers of the own pits with seeds. The leftmost pit is 1. */
function legalMoves(position) {
  const moves = [];
  position.own.pits.forEach((seeds, pit) => {
    if (seeds > 0) moves.push(String(pit + 1));
  });
  return moves;
}
