/**
 * Returns the pits and captured seeds of the side to move, and those of the opponent.
 *
 * In "2,0,1:3/2,2,2:0 first" the first player has the pits 2,0,1 and has captured 3 seeds.
 */
function parse(line) {
  const [board, side] = line.trim().split(" ");
  const [first, second] = board.split("/").map((half) => {
    const [pits, store] = half.split(":");
    return { pits: pits.split(",").map(Number), store: Number(store) };
  });
  return side === "first" ? { own: first, other: second } : { own: second, other: first };
}

/** Returns the numbers of the own pits that may be sown. The leftmost pit is 1. */
function legalMoves(position) {
  const { pits } = position.own;
  const isOtherEmpty = position.other.pits.every((seeds) => seeds === 0);
  const moves = [];
  pits.forEach((seeds, pit) => {
    // If the opponent has no seeds, the last seed must come that far.
    const needed = isOtherEmpty ? pits.length - pit : 1;
    if (seeds >= needed) moves.push(String(pit + 1));
  });
  return moves;
}
