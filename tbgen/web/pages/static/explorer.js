// The explorer: a board, and beside it what is told of a position.

import { placed, placementOf } from "./board.js";
import { makeEditor, fenOf, withOneKing } from "./editor.js";
import { challenges, THEIRS } from "./challenge.js";
import { makeDoors } from "./doors.js";
import { linkButton } from "./link.js";
import { problem } from "./panel.js";
import { listenToKeys, listenToPanel, listenToTale } from "./presses.js";
import { promote } from "./promote.js";
import { listen } from "./staircase.js";
import { fenNow, isAnswered, isSecret, isTold, note, question, recall, rules, state, takeSteps, turn } from "./state.js";
import { worthOf } from "./story.js";
import { makeTools } from "./tools.js";
import { makeTrial, noteSolved } from "./trial.js";
import { bestMove, makeView, moves, refuse, take, tell, wait } from "./view.js";

export const START = "8/8/8/4KBk1/8/8/8/8 b - - 0 1";  // the board that a visitor finds

const tale = document.getElementById("tale");
const frame = document.getElementById("board");
const tools = document.getElementById("tools");
const status = document.createElement("p");
status.className = "sr";
status.setAttribute("role", "status");

let waiting = null;
let source = null;  // what tells of positions
let trial = null;

const { board, draw, point, circle } = makeView(frame, {
  moved,
  edited,
  touched: (key) => { if (state.editing) editor.touched(key); },
  drawn() {
    const isLast = state.at === state.steps.length - 1, best = isSecret() ? null : bestMove()?.querySelector("b").textContent;
    if (isTold()) made.draw({ isFirst: !state.at, isLast, isThere: isThere(), best });  // a button that is pressed again and again keeps the focus meanwhile
    editor.draw();
  },
});

// `asks`: whether the tables, if it is their turn, are to move. `anew`: the records of the moves are others.
async function show({ push = false, line = false, asks = false, anew = false } = {}) {
  waiting?.abort();
  waiting = new AbortController();
  state.lined = line;
  note({ push });
  draw();
  wait();
  try {
    take(await source.ask(anew ? question() : question(state.at), waiting.signal), source);
    if (anew) takeSteps();
  } catch (error) {
    if (error.name === "AbortError") return;
    state.told = { fen: fenNow(), rules: rules.value };
    refuse(problem("No answer:", error.message));
  }
  learn();
  draw();
  if (asks) reply();
}

// What has been told belongs to the step on the board.
function learn() {
  const step = state.steps[state.at];
  step.fen = state.told.fen;  // in full, with its record
  step.worth = worthOf(state.told.answer);
  noteSolved();
  note();
}

// Moves

// `count`: how many of the moves are played; the others are ahead.
function go(way, count = way.length) {
  state.steps = [...state.steps.slice(0, state.at + 1), ...way];
  state.at += count;
  show({ asks: true });
}

function play(link) {
  const { fen, uci } = link.dataset;
  status.textContent = link.textContent;
  if (state.steps[state.at + 1]?.uci === uci) stepForward(); else go([{ fen, uci, san: link.querySelector("b").textContent }]);
}

// As far as this move. The rest stays ahead.
function playLine(links, place) {
  const { gscore, dtg } = state.told.answer;  // which best play keeps
  go(links.map((one, nth) =>
    ({ fen: one.dataset.fen, uci: one.dataset.line, san: one.textContent, worth: { gscore, dtg: dtg - nth - 1 } })), place + 1);
  frame.scrollIntoView({ block: "nearest" });
}

function moved(from, to) {
  if (state.editing) return;
  const found = moves().filter((link) => link.dataset.uci.startsWith(from + to));
  if (found.length > 1) promote(found, play, draw);
  else if (found.length) play(found[0]);
}

const best = () => { if (!isSecret()) playBest(); };

function playBest() {
  const first = bestMove();
  if (first) play(first);
}

function jump(place) {
  state.at = place;
  show();
}

const isThere = () => state.at > 0 && state.steps[state.at].worth?.dtg === 0;

// In a challenge that is tried, with the answer of the tables.
function stepBack() {
  const both = state.challenge !== null && !isAnswered() && turn() !== THEIRS && state.at > 1;
  if (state.at) jump(state.at - 1 - both);
}

// Not beyond the goal: whoever plays on says so.
function stepForward() {
  if (state.at === state.steps.length - 1) return isThere() ? undefined : best();
  state.at += 1;
  show({ asks: true });
}

// What was taken back stays taken back.
function reply() {
  const isTheirs = () => state.opponent === turn() && !state.editing && state.at === state.steps.length - 1 &&
    (state.challenge === null || isSecret());
  const fen = fenNow();
  if (isTheirs()) setTimeout(() => { if (fenNow() === fen && isTheirs()) playBest(); }, 500);
}

function turnRound() {
  state.flipped = !state.flipped;
  note();
  draw();
}

// The tables play this colour from now on, or none.
function oppose(colour) {
  state.opponent = made.against.value = colour;
  if (colour) state.flipped = colour === "white";
}

// Setting up

function edited() {
  if (!state.editing) return;
  const placement = withOneKing(placed(board), placementOf(fenNow()));
  if (placement !== placementOf(fenNow())) begin(fenOf(placement, turn()));
}

// `tried`: of which challenge it is the position.
function begin(fen, tried = null) {
  if (tried === null && state.challenge !== null) oppose("");
  state.challenge = tried;
  state.steps = [{ fen, uci: null }];
  state.at = 0;
  show({ push: true, asks: true });
}

const editor = makeEditor(board, () => ({ placement: placementOf(fenNow()), turn: turn() }), begin, () => edit(false));
document.querySelector(".right").prepend(editor.element);

function edit(on) {
  state.editing = on;
  if (on) {
    state.challenge = null;
    oppose("");
  }
  made.edit.setAttribute("aria-pressed", String(on));
  editor.element.hidden = !on;
  note();
  draw();
  if (on) for (const seen of [editor.element.firstChild, frame]) seen.scrollIntoView({ block: "nearest" });
}

// Tools

const made = makeTools(tools, {
  back: stepBack,
  forward: stepForward,
  best,
  flip: turnRound,
  edit: () => edit(!state.editing),
  against(colour) {
    state.challenge = null;
    oppose(colour);
    if (colour) {
      edit(false);
      reply();
    }
    note();
    draw();
  },
});
tools.append(status);
rules.after(" ", linkButton((words) => { status.textContent = words; }));
rules.addEventListener("change", () => show({ push: true, anew: true }));
document.querySelector("form.ask").addEventListener("submit", (event) => {
  event.preventDefault();
  begin(document.getElementById("fen").value);
});

listen(document.getElementById("panel"));
listenToPanel({
  play: (link) => { if (isTold()) play(link); },
  showLine: () => { if (isTold()) show({ line: true }); },
  playLine: (links, place) => { if (isTold()) playLine(links, place); },
  point,
});
listenToKeys({ " ": best, ArrowLeft: stepBack, ArrowRight: stepForward, f: turnRound, e: () => edit(!state.editing) });
addEventListener("popstate", ({ state: kept }) => {
  if (!kept?.steps) return note();  // the link to the content: nothing else has changed
  recall(kept);
  made.against.value = state.opponent;
  edit(state.editing);
  show({ line: new URLSearchParams(location.search).has("line") });
});

// Moves that an address names are judged as well, one after the other.
async function learnOthers() {
  for (const step of state.steps) {
    if (step.worth || !state.steps.includes(step)) continue;
    try {
      step.worth = worthOf((await source.ask({ fen: step.fen, rules: rules.value })).answer);
    } catch {
      return;  // who visits the step asks again
    }
  }
  if (isTold()) tell();
  note();
}

// The challenge that an address names, if the position is its own.
function named(asked) {
  const place = Number(asked.get("challenge")) - 1, { fen } = state.steps[0];
  return challenges[place] && placementOf(challenges[place].fen) === placementOf(fen) ? place : null;
}

// `from`: { ask(question, signal), listing(rules), material(name, rules), pgn(told) }, which tells of positions and where
// there is more.
// `first`: what has been told already of the position that the address names.
export async function explore(from, first = null) {
  source = from;
  wait();
  const asked = new URLSearchParams(location.search), kept = history.state;
  rules.value = asked.get("rules") ?? rules.value;
  state.lined = asked.has("line");
  const moves = asked.get("moves")?.split(",") ?? [];
  take(first ?? await source.ask({ fen: asked.get("fen") || START, moves, rules: rules.value, line: state.lined }), source);
  takeSteps();
  state.challenge = named(asked);
  if (state.challenge !== null) state.opponent = THEIRS;
  if (kept?.steps?.[kept.at].fen === fenNow()) recall(kept);
  made.against.value = state.opponent;
  trial = makeTrial(source, {
    begin, show, oppose,
    forward: stepForward,
    circle,
    endSetUp: () => { if (state.editing) edit(false); },
    lack: () => { tale.textContent = "No table here has a challenge."; },
  });
  listenToTale([tale, document.getElementById("played")], { ...trial.deeds, jump, try: trial.try });
  learn();
  edit(state.editing);
  tools.hidden = false;
  const doors = { materials: () => source.materials(rules.value), longest: () => `${source.listing(rules.value)}#longest` };
  makeDoors(document.getElementById("doors"), doors, begin, trial.begin);
  reply();
  await learnOthers();
}
