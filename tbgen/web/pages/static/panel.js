// All that stands beside the board, made of what is told of a position: the JSON of /v1/board.

import { addressOf } from "./address.js";
import { staircase } from "./staircase.js";
import { begun, colour, escaped, holder, isWhites, levelOf, meaning, numbers, plies, sideOf, sufferer } from "./words.js";

const ORDER = "KQRBNACDEFGHIJLMOSTUWXYZP";  // as a material has its men
const NAMES = { K: "king", Q: "queen", R: "rook", B: "bishop", N: "knight", P: "pawn" };
const FIFTY = 100;  // plies

// `links`: the addresses of a material's page, and of a line as PGN.
export function panel(told, links) {
  const { answer, beyond, error, lacks } = told;
  if (lacks) return hint("Not a position yet:", `${lacks}.`, "In Set up, press a man, then the squares where it stands.");
  if (error) return wrong(error) + (beyond ? moves(beyond, told.rules, "no table has what comes then") : "");
  if ("white" in answer) return men(told) + bounds(told);
  return men(told) + verdict(told, links) + line(told, links) + moves(answer.moves, told.rules, "the table is missing", true) + stairs(told);
}

// Of the page, for lists of pages.
export function titleOf({ fen, answer, beyond }) {
  if (!answer && !beyond) return "";
  const letters = [...fen.split(" ")[0]].filter((letter) => /[a-z]/i.test(letter));
  const side = (own) => letters.filter(own).map((letter) => letter.toUpperCase())
    .sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)).join("");
  return `${side((letter) => letter < "a")}v${side((letter) => letter > "Z")}, ${sideOf(fen)} to move`;
}

const note = (words) => !words ? "" : `<p class="note">${escaped(words)}</p>`;
const badge = (gscore) => `<span class="badge ${colour(gscore)}">${gscore}</span>`;
const small = (words) => `<span class="badge small">${words}</span>`;

function message(kind, role, title, words, more) {
  return `<div class="${kind}" role="${role}"><p><strong>${escaped(title)}</strong> ${escaped(words)}</p>` +
    `${more ? `<p>${escaped(more)}</p>` : ""}</div>`;
}

// What there is to know where nothing has gone wrong.
const hint = (title, words, more) => message("hint", "status", title, words, more);
export const problem = (title, words, more) => message("problem", "alert", title, words, more);

function wrong({ code, message: words, hint: more }) {
  if (code === "missing_table") return hint("Not known:", `${words}.`, more && `To have it: ${more}`);
  if (code === "unsupported_position") return hint("Not in any table:", `${words}.`);
  return problem(code === "bad_input" ? "Not a position." : "No answer.", words);
}

// The board for those who do not see it.
function men({ fen, men: others = {} }) {
  const found = { White: [], Black: [] };
  fen.split(" ")[0].split("/").forEach((row, nth) => {
    [...row.replace(/\d/g, (count) => "-".repeat(count))].forEach((man, file) => {
      const name = NAMES[man.toUpperCase()] ?? others[man.toUpperCase()];
      if (name) found[man < "a" ? "White" : "Black"].push([name, "abcdefgh"[file] + (8 - nth)]);
    });
  });
  const order = [...ORDER].map((letter) => NAMES[letter] ?? others[letter]);
  const told = ([side, all]) => `${side}: ${all.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b)).map((one) => escaped(one.join(" "))).join(", ")}`;
  return `<p class="sr">${Object.entries(found).map(told).join(". ")}. ${sideOf(fen)} to move.</p>`;
}

function late(fen, dtg) {
  const clock = Number(fen.split(" ")[4]);
  return note(dtg && clock + dtg > FIFTY &&
    `The 50-move rule may come first: the halfmove clock is at ${clock} of ${FIFTY}, and the goal is ${plies(dtg)} away.`);
}

function recordSoFar({ fen, check, answer: { record, moves: all } }) {
  const own = `${sideOf(fen) === "White" ? "-" : ""}G${(all.length + (check ? 0 : 0.5)).toFixed(1)}`;
  return `The record ${record === own ? "begins with this position’s own" : "so far is"} <b>${record}</b> (${holder(record)}’s: ${meaning(record)}).`;
}

// Of a score that its holder gets, by the rule of TCEC, and what the same position is to those who know chess.
function inPoints(gscore, others) {
  const level = levelOf(gscore), points = Number((0.5 + 2 ** -(level + 1)).toFixed(3));
  if (!level) return "";
  const worth = points > 0.5 ? `It is worth ${points} points` : "It is worth hardly more than 0.5 points";
  return ` ${worth}, where mate is worth 1 and a draw 0.5.${others ? "" : " In ordinary chess this is a draw."}`;
}

function verdict(told, links) {
  const { fen, rules, answer, men: others } = told;
  const { gscore, dtg, record, stands, dropped, material } = answer;
  const winner = holder(gscore), loser = sufferer(gscore), isOver = !answer.moves.length && levelOf(gscore) < 2;
  const mate = levelOf(gscore) ? "" : `: mate in ${Math.ceil(dtg / 2)}`;
  const [words, more] = !stands
    ? [`${winner} forces ${gscore} in ${plies(dtg)}${mate}`,
      `<b>${winner} is ahead:</b> with best play ${loser} then faces ${meaning(gscore)}, and neither side can do better.${inPoints(gscore, others)}`]
    : isOver ? [`${begun(meaning(gscore))}: ${gscore}`, `The game is over; ${winner} scores.`]
      : [`The record stands: ${gscore}`, `<b>${winner} is ahead:</b> ${loser} had ${meaning(gscore)}, and neither side can force better.${inPoints(gscore, others)}`];
  return `<section class="verdict ${colour(gscore)}" aria-live="polite"><h2>${words}</h2><p>${more}</p>${stands ? "" : `<p>${recordSoFar(told)}</p>`}${late(fen, dtg)}` +
    note(dropped && `The record ${dropped} does not count: the halfmove clock is 0.`) +
    `<p class="note"><a href="${escaped(links.material(material, rules))}">${material}</a>, <b>${sideOf(fen)} to move</b></p></section>`;
}

// Moves that follow each other and are worth the same.
function groups(all, worth) {
  const found = [];
  for (const move of all) {
    if (found.length && worth(found.at(-1)[0]) === worth(move)) found.at(-1).push(move);
    else found.push([move]);
  }
  return found;
}

// By outcome. `unknown`: why there may be none. `isBestFirst`: whether the first one is the best.
function moves(all, rules, unknown, isBestFirst = false) {
  if (!all.length) return "";
  const head = (gscore) => gscore === null ? `${small("unknown")} ${unknown}` : `${badge(gscore)} ${holder(gscore)}: ${meaning(gscore)}`;
  const told = groups(all, (move) => move.gscore).map((group) =>
    listed(head(group[0].gscore) + (group.every((move) => move.dtg === 0) ? ", as the record has it" : ""), group, rules, isBestFirst));
  const note = isBestFirst ? '<p class="note">The best first, by what they lead to, and after how many plies it is there.</p>' : "";
  return `<section aria-label="Moves"><h2>Moves</h2>${note}${told.join("")}</section>`;
}

const listed = (head, group, rules, isBestFirst) =>
  `<div class="group"><h3>${head}</h3><ul class="moves">${group.map((move) => item(move, rules, isBestFirst)).join("")}</ul></div>`;

// A move to be pressed, with its distance where that is known.
function item({ uci, san, fen, dtg, reset }, rules, isBestFirst) {
  const distance = typeof dtg !== "number" ? "" : dtg ? plies(dtg) : "";
  return `<li><a class="move" href="${escaped(addressOf({ fen, rules }))}" data-uci="${uci}" data-fen="${escaped(fen)}"${typeof dtg === "number" && isBestFirst ? " data-known" : ""}>` +
    `<b>${escaped(san)}</b>${distance && `<span class="plies">${distance}</span>`}${reset ? small("new record") : ""}</a></li>`;
}

function stairs({ answer, staircase: steps }) {
  if (!steps?.length) return "";
  return '<section class="stairs" aria-label="Staircase"><h2>If the record were another</h2>' +
    staircase(steps, answer.record, answer.gscore) +
    '<p class="note">The blue line is what can be forced, the upright one marks the present record. On the dashes the record stands; elsewhere somebody betters it.</p></section>';
}

// Best play, or a link that asks for it.
function line({ fen, rules, answer, line: steps, line_error: error }, links) {
  if (answer.stands) return "";
  const around = (inside) => `<section aria-label="Line"><h2>Best play</h2>${inside}</section>`;
  if (error) return around(wrong(error));
  if (!steps) return around(`<p><a id="show-line" href="${escaped(addressOf({ fen, rules, line: true }))}">Show the line</a></p>`);
  const before = numbers(fen, steps.length);
  let record = answer.record;
  const items = steps.map((step, place) => {
    const news = step.record === record ? "" : ` ${small(step.record)}`;
    ({ record } = step);
    return `<li>${before[place]}<a href="${escaped(addressOf({ fen: step.fen, rules }))}" data-line="${step.uci}" data-fen="${escaped(step.fen)}">${escaped(step.san)}</a>${news}</li>`;
  });
  const pgn = links.pgn({ fen, rules, answer, line: steps });
  return around(`<ol class="line">${items.join("")}</ol>${note("A G-score behind a move: the record has changed.")}<p><a href="${escaped(pgn)}" download="line.pgn">As PGN</a></p>`);
}

// A position of which local tables know bounds: what each side is sure of, and the moves by that.
function bounds(told) {
  const { fen, rules, answer } = told;
  const { material } = answer;
  return `<section class="verdict" aria-live="polite"><h2>${sure(answer)}</h2>` +
    `<p>${assured(answer).map(([, gscore, side]) => `${side} ends with no less than ${holder(gscore)}’s ${gscore}: ${meaning(gscore)}. `).join("")}` +
    `These tables do not know all that can come of the position: more is not proved. ${recordSoFar(told)}</p>${late(fen, answer.dtg)}` +
    `<p class="note">${material}, from tables made for this position alone; ${sideOf(fen)} to move</p></section>` +
    '<section aria-label="Moves"><h2>Moves</h2>' +
    groups(answer.moves, together).map((group) => listed(together(group[0]), group, rules, true)).join("") + "</section>";
}

// What each side is sure of, White's first, but for what everybody knows: that nothing is worse than mate.
const assured = ({ white, black }) => [[true, white, "White"], [false, black, "Black"]]
  .filter(([isWhite, gscore]) => levelOf(gscore) > 0 || isWhites(gscore) === isWhite);

// Whatever its distance.
const together = ({ white, black }) => sure({ white, black });

function sure(known) {
  if (known.white === known.black) return known.white + (known.dtg ? ` in ${plies(known.dtg)}` : "");
  return assured(known).map(([, gscore, side]) => `${side} is sure of ${gscore}`).join(", ") || "Nothing is known";
}
