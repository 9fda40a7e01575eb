// The explorer: a board, and beside it what is told of a position.

import { makeBoard, place, placed, placementOf, squares, hint, remember, isTyping, isPressing } from "./board.js";
import { addressOf } from "./address.js";
import { makeEditor, fenOf } from "./editor.js";
import { card, challenges, RULES, stateOf, THEIRS } from "./challenge.js";
import { makeDoors, within } from "./doors.js";
import { linkButton } from "./link.js";
import { panel as write, problem, titleOf } from "./panel.js";
import { promote } from "./promote.js";
import { listen } from "./staircase.js";
import { list, said, worthOf } from "./story.js";
import { makeTools } from "./tools.js";

export const START = "8/8/8/4KBk1/8/8/8/8 b - - 0 1";  // the board that a visitor finds

const panel = document.getElementById("panel");
const tale = document.getElementById("tale");
const played = document.getElementById("played");
const frame = document.getElementById("board");
const field = document.getElementById("fen");
const rules = document.getElementById("rules");
const tools = document.getElementById("tools");
const status = document.createElement("p");
status.className = "sr";
status.setAttribute("role", "status");

let editing = false;
let opponent = "";     // the colour that the tables play
let steps = [];        // what was played, and taken back: { fen, uci, san, worth }, with the move that led there
let at = 0;            // the step on the board
let lined = false;     // whether the line of best play is shown
let challenge = null;  // which one is tried
let waiting = null;
let source = null;     // what tells of positions
let told = null;       // what it has told last

const fenNow = () => steps[at].fen;
// Else the panel is still that of another position, or of other rules.
const isTold = () => told?.fen === fenNow() && told.rules === rules.value;
const moves = () => isTold() ? [...panel.querySelectorAll("a.move")] : [];
const bestMove = () => moves().find((link) => "known" in link.dataset);  // of moves that nothing is known of, none is
// The answer is not to be seen meanwhile.
const isSecret = () => challenge !== null && stateOf(challenges[challenge], steps[at]) !== "done" && !told?.error;
const turn = () => fenNow().split(" ")[1] === "b" ? "black" : "white";

const board = makeBoard(frame, {
  fen: "8/8/8/8/8/8/8/8",
  movable: { free: false, showDests: true, events: { after: moved } },
  draggable: { enabled: true, showGhost: true },
  events: { change: edited, select: (key) => { if (editing) editor.touched(key); } },
});

const named = 400;  // moves that an address names at most, as the server does
function question(start = Math.max(0, at - named)) {
  return { fen: steps[start].fen, moves: steps.slice(start + 1, at + 1).map(({ uci }) => uci), rules: rules.value, line: lined };
}

// As on other analysis boards, moves change the address and add nothing to the way back: arrows go through them.
// A new position does.
function note(more) {
  const flipped = board.state.orientation === "black";
  remember({ steps, at, rules: rules.value, opponent, challenge, editing, flipped }, more);
}

function takeSteps() {
  steps = told.steps ?? [{ fen: told.fen, uci: null }];
  at = steps.length - 1;
}

// `asks`: whether the tables, if it is their turn, are to move. `anew`: the records of the moves are others.
async function show({ push = false, line = false, asks = false, anew = false } = {}) {
  waiting?.abort();
  waiting = new AbortController();
  lined = line;
  note({ address: addressOf(question()), push });
  draw();
  panel.setAttribute("aria-busy", "true");
  try {
    take(await source.ask(anew ? question() : question(at), waiting.signal));
    if (anew) takeSteps();
  } catch (error) {
    if (error.name === "AbortError") return;
    told = { fen: fenNow(), rules: rules.value };
    panel.innerHTML = problem("No answer:", error.message);
    panel.removeAttribute("aria-busy");
  }
  learn();
  draw();
  if (asks) reply();
}

function take(found) {
  told = found;
  panel.innerHTML = write(told, source);
  panel.removeAttribute("aria-busy");
  Object.assign(panel.dataset, { fen: told.fen, rules: told.rules });
}

// What has been told belongs to the step on the board.
function learn() {
  steps[at].fen = told.fen;  // in full, with its record
  steps[at].worth = worthOf(told.answer);
  note({ address: addressOf(question()) });
}

function tell() {
  const secret = isSecret(), isKnown = steps[0].worth && steps[at].worth;
  panel.classList.toggle("secret", secret);
  tale.innerHTML = challenge === null ? said(steps, at, opponent) : isKnown ? card(challenges, challenge, steps, at) : "";
  played.innerHTML = list(steps, at);
}

function draw() {
  const { check, answer, beyond } = isTold() ? told : {};
  const { fen, uci: last } = steps[at];
  field.value = fen;
  if (isTold()) document.title = titleOf(told) || document.title;
  const dests = new Map();
  for (const link of moves()) {
    const [from, to] = squares(link.dataset.uci);
    dests.set(from, [...(dests.get(from) || []), to]);
  }
  board.set({
    fen: placementOf(fen),
    turnColor: turn(),
    check: check ? turn() : false,
    lastMove: last ? squares(last) : undefined,
    selected: undefined,
    movable: { free: editing, color: editing ? "both" : isTold() && !answer && !beyond ? undefined : turn(), dests: editing ? undefined : dests },
    draggable: { deleteOnDropOff: editing },
    animation: { enabled: !editing && !matchMedia("(prefers-reduced-motion: reduce)").matches },
  });
  place(board, fen);
  hint(board, null);
  if (isTold()) {  // a button that is pressed again and again keeps the focus meanwhile
    tell();
    back.disabled = !at;
    bestButton.disabled = isSecret() || !bestMove();
    forward.disabled = at === steps.length - 1 && bestButton.disabled;
  }
  editor.draw();
}

// Moves

function go(way) {
  steps = [...steps.slice(0, at + 1), ...way];
  at += way.length;
  show({ asks: true });
}

function play(link) {
  const { fen, uci } = link.dataset;
  status.textContent = link.textContent;
  if (steps[at + 1]?.uci === uci) stepForward(); else go([{ fen, uci, san: link.querySelector("b").textContent }]);
}

function moved(from, to) {
  if (editing) return;
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
  at = place;
  show();
}

const stepBack = () => { if (at) jump(at - 1); };

function stepForward() {
  if (at === steps.length - 1) return best();
  at += 1;
  show({ asks: true });
}

// What was taken back stays taken back.
function reply() {
  const isTheirs = () => opponent === turn() && !editing && at === steps.length - 1 && (challenge === null || isSecret());
  const fen = fenNow();
  if (isTheirs()) setTimeout(() => { if (fenNow() === fen && isTheirs()) playBest(); }, 500);
}

function turnRound() {
  board.toggleOrientation();
  note();
}

// The editor

function edited() {
  if (!editing) return;
  const placement = placed(board);
  if (placement !== placementOf(fenNow())) begin(fenOf(placement, turn()));
}

// `tried`: of which challenge it is the position.
function begin(fen, tried = null) {
  if (tried === null && challenge !== null) oppose("");
  challenge = tried;
  steps = [{ fen, uci: null }];
  at = 0;
  show({ push: true, asks: true });
}

// Challenges

async function challengeTo(next) {
  const known = within(await source.materials(RULES), challenges);
  const place = challenges.indexOf(known.find((one) => challenges.indexOf(one) >= next) ?? known[0]);
  if (place < 0) return void (tale.textContent = "No table here has a challenge.");
  rules.value = RULES;
  if (editing) edit(false);
  oppose(THEIRS);
  begin(challenges[place].fen, place);
}

const deeds = {
  again: () => begin(challenges[challenge].fen, challenge),
  next: () => challengeTo(challenge + 1),
  undo() {  // with the answer of the tables
    at -= turn() === THEIRS ? 1 : 2;
    steps = steps.slice(0, at + 1);
    show();
  },
  reveal() {
    challenge = null;
    oppose("");
    note();
    draw();
  },
};

const editor = makeEditor(board, () => ({ placement: placementOf(fenNow()), turn: turn() }), begin, () => edit(false));

function edit(on) {
  editing = on;
  if (on) {
    challenge = null;
    opponent = against.value = "";
  }
  editButton.setAttribute("aria-pressed", String(on));
  editor.element.hidden = !on;
  frame.classList.toggle("editing", on);
  note();
  draw();
  if (on) frame.scrollIntoView({ block: "nearest" });  // with the men to choose from below it
}

// Tools

const { back, forward, best: bestButton, edit: editButton, against } = makeTools(tools, {
  back: stepBack,
  forward: stepForward,
  best,
  flip: turnRound,
  edit: () => edit(!editing),
  against(colour) {
    challenge = null;
    oppose(colour);
    if (opponent) {
      edit(false);
      reply();
    }
    note();
    draw();
  },
});
tools.before(editor.element);
tools.append(status);
rules.after(" ", linkButton((words) => { status.textContent = words; }));

// The tables play this colour from now on, or none.
function oppose(colour) {
  opponent = against.value = colour;
  if (colour) board.set({ orientation: colour === "white" ? "black" : "white" });
}

// What is clicked, pointed at and typed

panel.addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  const isPart = link.matches("a.move, #show-line, [data-line]");
  if (isPart) event.preventDefault();
  if (!isPart || !isTold()) return;
  if (link.matches("a.move")) play(link);
  else if (link.id === "show-line") show({ line: true });
  else {
    const line = [...panel.querySelectorAll("[data-line]")];
    const { gscore, dtg } = told.answer;  // which best play keeps
    go(line.slice(0, line.indexOf(link) + 1).map((one, nth) =>
      ({ fen: one.dataset.fen, uci: one.dataset.line, san: one.textContent, worth: { gscore, dtg: dtg - nth - 1 } })));
  }
});
const pointed = (event) => {
  const link = event.target.closest?.("[data-uci], [data-line]");
  hint(board, link && link.matches("a.move") ? link.dataset.uci : null);
};
for (const kind of ["pointerover", "pointerout", "focusin", "focusout"]) {
  panel.addEventListener(kind, (event) => kind.endsWith("out") ? hint(board, null) : pointed(event));
}
for (const around of [tale, played]) {
  around.addEventListener("click", (event) => {
    const { step, do: deed } = event.target.dataset;
    if (step === undefined && !deed) return;
    event.preventDefault();
    if (deed) deeds[deed](); else jump(Number(step));
  });
}
listen(panel);
document.querySelector("form.ask").addEventListener("submit", (event) => {
  event.preventDefault();
  begin(field.value);
});
rules.addEventListener("change", () => show({ push: true, anew: true }));
const asksForLine = () => new URLSearchParams(location.search).has("line");
addEventListener("popstate", ({ state }) => {
  if (!state?.steps) return note();  // the link to the content: nothing else has changed
  ({ steps, at, challenge = null } = state);
  opponent = against.value = state.opponent ?? "";
  rules.value = state.rules;
  show({ line: asksForLine() });
});
addEventListener("keydown", (event) => {
  if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key;
  if (key === " " && isPressing(event.target)) return;
  const action = { " ": best, ArrowLeft: stepBack, ArrowRight: stepForward, f: turnRound, e: () => edit(!editing) }[key];
  if (action) { event.preventDefault(); action(); }
});


// `from`: { ask(question, signal), material(name, rules), pgn(told) }, which tells of positions and where there is more.
// `first`: what has been told already of the position that the address names.
export async function explore(from, first = null) {
  source = from;
  panel.setAttribute("aria-busy", "true");
  const asked = new URLSearchParams(location.search), kept = history.state;
  rules.value = asked.get("rules") ?? rules.value;
  lined = asked.has("line");
  const moves = asked.get("moves")?.split(",") ?? [];
  take(first ?? await source.ask({ fen: asked.get("fen") || START, moves, rules: rules.value, line: lined }));
  takeSteps();
  if (kept?.steps?.[kept.at].fen === fenNow()) ({ steps, at, challenge = null } = kept);
  learn();
  if (kept?.flipped) board.toggleOrientation();
  opponent = against.value = kept?.opponent ?? "";
  edit(kept?.editing ?? false);
  tools.hidden = false;
  makeDoors(document.getElementById("doors"), () => source.materials(rules.value), begin, () => challengeTo(0));
  reply();
}
