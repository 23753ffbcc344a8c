// Plays GAME: reads a position per line and answers each with a move.
//
// It plays a random legal move. Put your own idea into `choose`.
//
// Check it:
//   CHECK
"use strict";

const readline = require("node:readline");

// RULES

/** Returns the move to play. Your idea goes here. */
function choose(position) {
  const moves = legalMoves(position);
  return moves[Math.floor(Math.random() * moves.length)];
}

// Zermelo waits for each answer, so send it at once.
const lines = readline.createInterface({ input: process.stdin });
lines.on("line", (line) => process.stdout.write(choose(parse(line)) + "\n"));
