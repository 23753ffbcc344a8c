// Plays Kalah in JavaScript: an extra turn if there is one, or else the move that wins most at
// once, or else the pit nearest to its store.
//
//   zermelo check-ai --table data/kalah-6-2.bin --ai "node tools/ais/capture_kalah.js" --sample 10000
"use strict";

/** Sows a pit; returns the seeds won at once, and whether it earns another turn. */
function play(own, other, pit) {
  const pits = own.length;
  const mine = own.slice();
  const theirs = other.slice();
  let seeds = mine[pit];
  mine[pit] = 0;
  let won = 0;
  let place = pit;
  while (seeds-- > 0) {
    place = (place + 1) % (2 * pits + 1);
    if (place < pits) mine[place]++;
    else if (place === pits) won++;
    else theirs[place - pits - 1]++;
  }
  const opposite = pits - 1 - place;
  if (place < pits && mine[place] === 1 && theirs[opposite] > 0) won += 1 + theirs[opposite];
  return { won, again: place === pits };
}

/** Chooses a pit, counted from 1, in a position such as "2,2,2:0/2,2,2:0 first". */
function choose(position) {
  const [board, side] = position.split(" ");
  const halves = board.split("/").map((half) => half.split(":")[0].split(",").map(Number));
  const [own, other] = side === "first" ? halves : halves.reverse();
  let best = { value: -1, pit: 0 };
  own.forEach((seeds, pit) => {
    if (seeds === 0) return;
    const { won, again } = play(own, other, pit);
    const value = won + (again ? 1.5 : 0);
    if (value >= best.value) best = { value, pit };
  });
  return best.pit + 1;
}

const lines = require("node:readline").createInterface({ input: process.stdin });
lines.on("line", (line) => process.stdout.write(`${choose(line)}\n`));
