// What has been played: what each move gave away, all of them as a list, and how it ended.
//
// A step is { fen, uci, san, worth }: a position, the move that led there, and { gscore, dtg } of the position, where
// that has been told.

import { counted, escaped, holder, numbers, plies, sideOf } from "./words.js";

export const worthOf = (answer) =>
  typeof answer?.dtg === "number" && answer.gscore ? { gscore: answer.gscore, dtg: answer.dtg } : undefined;

const mover = (steps, place) => sideOf(steps[place - 1].fen);

// Of the move that led to a step; null where it cannot be known.
export function judged(steps, place) {
  const before = steps[place - 1]?.worth, after = steps[place]?.worth;
  if (!before || !after) return null;
  const gave = before.gscore !== after.gscore;
  return { before, after, gave, off: gave || !before.dtg ? 0 : 1 + after.dtg - before.dtg };
}

const isOver = ({ worth }) => worth?.dtg === 0;

// Of the latest move, or of the latest that is not `theirs`, the colour that the tables play.
export function said(steps, at, theirs) {
  const place = theirs && at > 1 && mover(steps, at).toLowerCase() === theirs ? at - 1 : at;
  const judgement = place ? judged(steps, place) : null;
  if (!judgement) return "";
  const answer = place < at ? ` The tables answer ${escaped(steps[at].san)}.` : "";
  return `<p class="${judgement.gave ? "gave" : "kept"}"><b>${escaped(steps[place].san)}</b> ${inWords(judgement, mover(steps, place))}.${answer}</p>`;
}

function inWords({ before, after, gave, off }, side) {
  if (gave && holder(before.gscore) === side) return `gave away ${before.gscore}: now ${after.gscore}`;
  if (gave) return `made it worse: ${after.gscore} in place of ${before.gscore}`;
  if (!after.dtg) return before.dtg ? `is best: ${after.gscore} is there` : `changes nothing: ${after.gscore} stands`;
  if (!off) return `is best: ${after.gscore} in ${plies(after.dtg)}`;
  return off > 0 ? `kept ${after.gscore}, but takes ${plies(off)} more than the best` : `lets ${after.gscore} come ${plies(-off)} sooner than the best`;
}

// Each move leads to its position.
export function list(steps, at) {
  if (steps.length < 2) return "";
  const before = numbers(steps[0].fen, steps.length - 1);
  const items = steps.slice(1).map(({ san, uci }, nth) => {
    const judgement = judged(steps, nth + 1);
    const news = judgement?.gave ? ` <span class="bad">?</span> <span class="badge small">${judgement.after.gscore}</span>` : "";
    return `<li>${before[nth]}<a href="#board" data-step="${nth + 1}"${nth + 1 === at ? ' aria-current="step"' : ""}>${escaped(san ?? uci)}</a>${news}</li>`;
  });
  return `<section aria-label="Moves played"><h2>Played</h2><ol class="line"><li><a href="#board" data-step="0"${at ? "" : ' aria-current="step"'}>Start</a></li> ` +
    `${items.join(" ")}</ol>${summary(steps, at)}</section>`;
}

// Once the goal is there that decides.
function summary(steps, at) {
  const end = steps.findIndex(isOver);
  if (end < 1 || end > at || steps[end].shown) return "";
  const [first, { worth: last }] = [steps[0].worth, steps[end]];
  const best = !first ? "" : first.gscore === last.gscore ? `; best play takes ${first.dtg}` : `; best play leads to ${first.gscore} in ${plies(first.dtg)}`;
  return `<p>It is decided: ${last.gscore} for ${holder(last.gscore)}, after ${plies(end)}${best}. ${["White", "Black"].map((side) => record(steps, end, side)).join(" ")}</p>`;
}

function record(steps, end, side) {
  const own = steps.map((_, place) => place).filter((place) => place && place <= end && mover(steps, place) === side);
  const gave = own.filter((place) => judged(steps, place)?.gave).map((place) => steps[place].san);
  const all = counted(own.length, "move");
  return `${side}: ${all}, ${gave.length ? `${gave.length} of them gave something away (${gave.map(escaped).join(", ")})` : "nothing given away"}.`;
}
