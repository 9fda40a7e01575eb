// Something to do: bring about what the tables say can be forced, while they defend. White is the one who tries.

import { holder, levelOf, meaning, plies } from "./words.js";
import { said } from "./story.js";

export const THEIRS = "black";
export const RULES = "r";
export const challenges = [
  { words: "drive Black’s king to one move", goal: "G1.5", fen: "8/8/8/8/4K3/2B5/2k5/8 w - - 0 1" },
  { words: "mate with the queen", goal: "G0.0", fen: "7k/3K1Q2/8/8/8/8/8/8 w - - 0 1" },
  { words: "leave Black two moves, with a knight", goal: "G2.5", fen: "8/8/8/8/2K1N3/8/8/5k2 w - - 0 1" },
  { words: "mate with the rook", goal: "G0.0", fen: "8/1k6/2R5/8/2K5/8/8/8 w - - 0 1" },
  { words: "stalemate with a pawn", goal: "G0.5", fen: "8/8/4Pk2/8/2K5/8/8/8 w - - 0 1" },
  { words: "stalemate with two knights", goal: "G0.5", fen: "8/8/8/4N3/8/5K2/8/5Nk1 w - - 0 1" },
  { words: "in check, with one move left", goal: "G1.0", fen: "8/3K1n2/2R5/8/8/6k1/8/8 w - - 0 1" },
];

// "done", "lost" or "on", where the worth of the step is known.
export function stateOf({ goal }, { worth }) {
  if (!worth) return "on";
  const isGood = holder(worth.gscore) === "White" && levelOf(worth.gscore) <= levelOf(goal);
  return !isGood ? "lost" : worth.dtg ? "on" : "done";
}

// What stands in place of the board's panel. `place`: which one it is, of `all`. The worth of the first step and of the
// present one is known.
export function card(all, place, steps, at) {
  const { words, goal } = all[place], best = steps[0].worth.dtg, state = stateOf(all[place], steps[at]);
  const needed = steps.findIndex((step) => stateOf(all[place], step) === "done");
  const told = {
    on: `You are White, the tables defend. The shortest way takes ${plies(best)}.`,
    lost: "It cannot be forced any more: take the move back, or begin again.",
    done: `<b>Done</b> in ${plies(needed)}: ${needed > best ? `the shortest way takes ${best}` : "no way is shorter"}.`,
  }[state];
  const press = (name, words) => `<button type="button" data-do="${name}">${words}</button>`;
  return `<div class="card ${state}"><h2>Challenge ${place + 1} of ${all.length}: ${words}</h2>` +
    `<p>Force ${goal} (${meaning(goal)}). ${told}</p>${state === "done" ? "" : said(steps, at, THEIRS)}<div class="row">` +
    `${state === "lost" ? press("undo", "Take back") : ""}${at ? press("again", "Again") : ""}` +
    `${press("next", "Next challenge")}${state === "done" ? "" : press("reveal", "Show the answer")}</div></div>`;
}
