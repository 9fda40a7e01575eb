// The explorer: a board, and beside it what is told of a position.

import { makeBoard, placementOf, squares, hint, button, row, remember, isTyping, isPressing } from "./board.js";
import { addressOf } from "./address.js";
import { makeEditor, fenOf } from "./editor.js";
import { panel as write, problem, titleOf } from "./panel.js";

export const START = "8/8/8/4KBk1/8/8/8/8 b - - 0 1";  // the board that a visitor finds

const panel = document.getElementById("panel");
const field = document.getElementById("fen");
const rules = document.getElementById("rules");
const tools = document.getElementById("tools");
const dialog = document.getElementById("promote");
const status = document.createElement("p");
status.className = "sr";
status.setAttribute("role", "status");

let editing = false;
let opponent = "";     // the colour that the tables play
let steps = [];        // what was played, and taken back: [fen, uci of the move that led there]
let at = 0;            // the step on the board
let lined = false;     // whether the line of best play is shown
let waiting = null;
let source = null;     // what tells of positions
let told = null;       // what it has told last

const fenNow = () => steps[at][0];
// Else the panel is still that of another position, or of other rules.
const isTold = () => told?.fen === fenNow() && told.rules === rules.value;
const moves = () => isTold() ? [...panel.querySelectorAll("a.move")] : [];
const bestMove = () => moves().find((link) => "known" in link.dataset);  // of moves that nothing is known of, none is
const turn = () => fenNow().split(" ")[1] === "b" ? "black" : "white";

const board = makeBoard(document.getElementById("board"), {
  fen: "8/8/8/8/8/8/8/8",
  movable: { free: false, showDests: true, events: { after: moved } },
  draggable: { enabled: true, showGhost: true },
  events: { change: edited, select: (key) => { if (editing) editor.touched(key); } },
});

const named = 400;  // moves that an address names at most, as the server does
function question(start = Math.max(0, at - named)) {
  return { fen: steps[start][0], moves: steps.slice(start + 1, at + 1).map(([, uci]) => uci), rules: rules.value, line: lined };
}

// As on other analysis boards, moves change the address and add nothing to the way back: arrows go through them.
// A new position does.
function note(more) {
  const flipped = board.state.orientation === "black";
  remember({ steps, at, rules: rules.value, opponent, editing, flipped }, more);
}

function takeSteps() {
  steps = told.steps?.map(({ fen, uci }) => [fen, uci]) ?? [[told.fen, null]];
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
  if (anew || fenNow() !== told.fen) {
    steps[at][0] = told.fen;  // in full, with its record
    note({ address: addressOf(question()) });
  }
  draw();
  if (asks) reply();
}

function take(found) {
  told = found;
  panel.innerHTML = write(told, source);
  panel.removeAttribute("aria-busy");
  Object.assign(panel.dataset, { fen: told.fen, rules: told.rules });
}

function draw() {
  const { check, answer, beyond } = isTold() ? told : {};
  const [fen, last] = steps[at];
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
  hint(board, null);
  if (isTold()) {  // a button that is pressed again and again keeps the focus meanwhile
    back.disabled = !at;
    bestButton.disabled = !bestMove();
    forward.disabled = at === steps.length - 1 && !bestMove();
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
  if (steps[at + 1]?.[1] === uci) stepForward(); else go([[fen, uci]]);
}

function moved(from, to) {
  if (editing) return;
  const found = moves().filter((link) => link.dataset.uci.startsWith(from + to));
  if (found.length > 1) promote(found);
  else if (found.length) play(found[0]);
}

function promote(links) {
  dialog.replaceChildren(...links.map((link) =>
    button(link.querySelector("b").textContent, "", () => { dialog.close(); play(link); })));
  dialog.onclose = () => draw();
  dialog.onclick = (event) => { if (event.target === dialog) dialog.close(); };  // beside it: a phone has no Escape
  dialog.showModal();
}

function best() {
  const first = bestMove();
  if (first) play(first);
}

function stepBack() {
  if (!at) return;
  at -= 1;
  show();
}

function stepForward() {
  if (at === steps.length - 1) return best();
  at += 1;
  show({ asks: true });
}

// What was taken back stays taken back.
function reply() {
  const isTheirs = () => opponent === turn() && !editing && at === steps.length - 1;
  const fen = fenNow();
  if (isTheirs()) setTimeout(() => { if (fenNow() === fen && isTheirs()) best(); }, 500);
}

function turnRound() {
  board.toggleOrientation();
  note();
}

// The editor

function edited() {
  if (!editing) return;
  const placement = board.getFen();
  if (placement !== placementOf(fenNow())) begin(fenOf(placement, turn()));
}

function begin(fen) {
  steps = [[fen, null]];
  at = 0;
  show({ push: true, asks: true });
}

const editor = makeEditor(board, () => ({ placement: placementOf(fenNow()), turn: turn() }), begin);

function edit(on) {
  editing = on;
  if (on) opponent = against.value = "";
  editButton.setAttribute("aria-pressed", String(on));
  editor.element.hidden = !on;
  document.getElementById("board").classList.toggle("editing", on);
  note();
  draw();
}

// Tools

const back = button("Take back (left arrow)", "back", stepBack, "◀");
const forward = button("Step forward along the line (right arrow)", "forward", stepForward, "▶");
const bestButton = button("Play the best move (space)", "best", best, "Best move");
const flip = button("Flip the board (f)", "turn", turnRound, "Flip");
const editButton = button("Set up a position (e)", "edit", () => edit(!editing), "Set up");
const against = document.createElement("select");
against.id = "against";
against.innerHTML = '<option value="">both sides by hand</option><option value="black">tables play Black</option>' +
  '<option value="white">tables play White</option>';
against.setAttribute("aria-label", "Play against the tables");
against.addEventListener("change", () => {
  opponent = against.value;
  if (opponent) {
    board.set({ orientation: opponent === "white" ? "black" : "white" });
    edit(false);
    reply();
  }
  note();
});
tools.append(row(back, forward, bestButton, flip, editButton, against), editor.element, status);

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
    go(line.slice(0, line.indexOf(link) + 1).map((one) => [one.dataset.fen, one.dataset.line]));
  }
});
const pointed = (event) => {
  const link = event.target.closest?.("[data-uci], [data-line]");
  hint(board, link && link.matches("a.move") ? link.dataset.uci : null);
};
for (const kind of ["pointerover", "pointerout", "focusin", "focusout"]) {
  panel.addEventListener(kind, (event) => kind.endsWith("out") ? hint(board, null) : pointed(event));
}
document.querySelector("form.ask").addEventListener("submit", (event) => {
  event.preventDefault();
  begin(field.value);
});
rules.addEventListener("change", () => show({ push: true, anew: true }));
const asksForLine = () => new URLSearchParams(location.search).has("line");
addEventListener("popstate", ({ state }) => {
  if (!state?.steps) return note();  // the link to the content: nothing else has changed
  ({ steps, at } = state);
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
  if (kept?.steps?.[kept.at][0] === fenNow()) ({ steps, at } = kept);
  if (kept?.flipped) board.toggleOrientation();
  opponent = against.value = kept?.opponent ?? "";
  edit(kept?.editing ?? false);
  tools.hidden = false;
  reply();
}
