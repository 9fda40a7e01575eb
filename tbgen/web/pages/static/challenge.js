// Something to do: bring about what the tables say can be forced, while they defend. White is the one who tries.

import { counted, escaped, holder, levelOf, meaning, sideOf } from "./words.js";
import { judged } from "./story.js";

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

// Whether the answer has been shown: its moves are steps that nobody has played.
export const isAnswer = (steps) => steps.some(({ shown }) => shown);

const ownMoves = (plies) => Math.ceil(plies / 2);
const ordinal = (count) => {
  const isTeen = count % 100 - count % 10 === 10;
  return `${count}${isTeen ? "th" : { 1: "st", 2: "nd", 3: "rd" }[count % 10] ?? "th"}`;
};
const press = (name, words, main = false) => `<button type="button" data-do="${name}"${main ? ' class="main"' : ""}>${words}</button>`;

// What stands in place of the board's panel. `place`: which one it is, of all. The worth of the first step and of the
// present one is known.
export function card(place, steps, at, solved) {
  const one = challenges[place], state = stateOf(one, steps[at]), answer = isAnswer(steps);
  const [told, buttons] = answer ? answered(steps, at) : { on: trying, lost, done }[state](one, steps, at);
  return `<div class="card ${state}"><h2>Challenge ${place + 1} of ${challenges.length}: ${one.words}</h2>${told}` +
    `<div class="row">${buttons.join("")}${press("leave", "Leave")}</div>${others(place, solved)}</div>`;
}

function trying({ goal }, steps, at) {
  const what = levelOf(goal) < 2 ? `Bring about ${meaning(goal)}` : `Leave Black with ${meaning(goal)}`;
  const task = at ? "" : `<p>You are White, and it is your move. ${what} (${goal}), whatever the tables answer. ` +
    `Your ${ordinal(ownMoves(steps[0].worth.dtg))} move can do it.</p>`;
  return [task + said(steps, at), [...taken(at), press("hint", "Hint"), press("reveal", "Show the answer")]];
}

const taken = (at) => at ? [press("undo", "Take back"), press("again", "Again")] : [];

// Of the latest own move.
function said(steps, at) {
  const place = at > 1 && sideOf(steps[at].fen) === "White" ? at - 1 : at, judgement = place ? judged(steps, place) : null;
  if (!judgement) return "";
  const { off, after } = judgement, left = counted(ownMoves(after.dtg), "move");
  const words = off > 0 ? `still forces it, but takes ${counted(ownMoves(off), "move")} more than the shortest way: ${left} to go`
    : `is the shortest way: ${left} to go`;
  return `<p class="kept"><b>${escaped(steps[place].san)}</b> ${words}.${reply(steps, place, at)}</p>`;
}

const reply = (steps, place, at) => place < at ? ` The tables answer ${escaped(steps[place + 1].san)}.` : "";

function lost(one, steps, at) {
  const place = steps.findIndex((step) => stateOf(one, step) === "lost"), now = steps[place].worth.gscore;
  return [`<p class="gave"><b>${escaped(steps[place].san)}</b> gave it away: now ${now} is the most that can be forced.` +
    `${reply(steps, place, at)} Take the move back, or begin again.</p>`,
  [...taken(at), press("reveal", "Show the answer")]];
}

function done(one, steps) {
  const needed = ownMoves(steps.findIndex((step) => stateOf(one, step) === "done")), best = ownMoves(steps[0].worth.dtg);
  const how = needed > best ? `; ${best} are enough` : ", the shortest way";
  return [`<p><b>✓ Solved</b> in ${counted(needed, "move")}${how}.</p>`, [press("next", "Next challenge", true), press("again", "Again")]];
}

function answered(steps, at) {
  const next = steps[at + 1];
  if (!next) return ["<p>That was the answer.</p>", [press("next", "Next challenge", true), press("again", "Try it yourself")]];
  return [`<p>The answer is listed below, ${counted(ownMoves(steps.length - 1 - at), "move")} to go; the arrow shows ${escaped(next.san)}.</p>`,
    [press("forward", `Play ${escaped(next.san)}`, true), press("again", "Try it yourself"), press("next", "Next challenge")]];
}

// All of them, to choose from.
function others(place, solved) {
  const items = challenges.map(({ words }, nth) => {
    const tick = solved.includes(nth) ? " ✓" : "";
    return `<li><button type="button" data-try="${nth}" aria-label="Challenge ${nth + 1}: ${words}${tick && ", solved"}"` +
      `${nth === place ? ' aria-current="true"' : ""} title="${words}">${nth + 1}${tick}</button></li>`;
  });
  return `<ol class="others" aria-label="Challenges">${items.join("")}</ol>`;
}
