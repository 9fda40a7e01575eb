// The explorer: a board, and beside it the panel that the server makes of a position.

import { makeBoard, pieceOf, placementOf, squares, hint, button, isTyping, isPressing } from "./board.js";
import { gridOf, placementOf as join, changes, put, fenOf } from "./editor.js";

const panel = document.getElementById("panel");
const field = document.getElementById("fen");
const rules = document.getElementById("rules");
const tools = document.getElementById("tools");
const dialog = document.getElementById("promote");
const status = document.createElement("p");
status.className = "sr";
status.setAttribute("role", "status");

let editing = false;
let spare = null;      // the man that a click puts on the board; "-" takes men away
let opponent = "";     // the colour that the tables play
let last = null;       // the last move, as UCI
let ahead = [];        // what was taken back
let line = [];         // what was played: [fen, uci]
let waiting = null;

const now = () => document.getElementById("position").dataset;
const moves = () => [...panel.querySelectorAll("a.move")];
const turn = () => now().turn || (now().fen.split(" ")[1] === "b" ? "black" : "white");

const board = makeBoard(document.getElementById("board"), {
  fen: "8/8/8/8/8/8/8/8",
  movable: { free: false, showDests: true, events: { after: moved } },
  draggable: { enabled: true, showGhost: true },
  events: { change: edited, select: touched },
});

const address = (fen, more = "") =>
  `/?fen=${encodeURIComponent(fen.replaceAll(" ", "_")).replaceAll("%2F", "/")}` +
  `&rules=${rules.value}${more}`;

// `asks`: whether the tables, if it is their turn, are to move. What was taken back stays taken back.
async function show(fen, { push = true, uci = null, more = "", asks = true } = {}) {
  waiting?.abort();
  waiting = new AbortController();
  panel.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(address(fen, `${more}&part=1`), { signal: waiting.signal });
    if (!answer.ok) {
      const told = (await answer.json()).error;
      throw new Error(`${told.message} ${told.hint}`);
    }
    panel.innerHTML = await answer.text();
  } catch (error) {
    if (error.name === "AbortError") return;
    panel.innerHTML = "";
    const told = document.createElement("div");
    told.className = "problem";
    told.setAttribute("role", "alert");
    told.textContent = `The server did not answer: ${error.message}`;
    const kept = document.createElement("div");
    kept.id = "position";
    kept.dataset.fen = fen;
    panel.append(kept, told);
  }
  panel.removeAttribute("aria-busy");
  last = uci;
  if (push) history.pushState({ uci }, "", address(fen, more));
  draw();
  if (asks) reply();
}

function draw() {
  const { fen, check, wrong, title } = now();
  field.value = fen;
  if (title) document.title = title;
  const dests = new Map();
  for (const link of moves()) {
    const [from, to] = squares(link.dataset.uci);
    dests.set(from, [...(dests.get(from) || []), to]);
  }
  board.set({
    fen: placementOf(fen),
    turnColor: turn(),
    check: check || false,
    lastMove: last ? squares(last) : undefined,
    selected: undefined,
    movable: { free: editing, color: editing ? "both" : wrong ? undefined : turn(), dests: editing ? undefined : dests },
    draggable: { deleteOnDropOff: editing },
    animation: { enabled: !editing && !matchMedia("(prefers-reduced-motion: reduce)").matches },
  });
  hint(board, null);
  back.disabled = !line.length;
  forward.disabled = !ahead.length && !moves().length;
  toMove.textContent = turn() === "white" ? "White to move" : "Black to move";
}

// Moves

function play(link) {
  line.push([now().fen, last]);
  const { fen, uci } = link.dataset;
  if (ahead.at(-1)?.[0] === fen) ahead.pop(); else ahead = [];
  status.textContent = link.textContent;
  return show(fen, { uci });
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
  dialog.showModal();
}

// Of moves that nothing is known of, none is the best.
function best() {
  const first = panel.querySelector("a.move[data-known]");
  if (first) play(first);
}

function stepBack() {
  if (!line.length) return;
  const fen = now().fen, uci = last;
  const [before, played] = line.pop();
  ahead.push([fen, uci]);
  show(before, { uci: played, asks: false });
}

function stepForward() {
  const next = ahead.at(-1);
  const link = next && moves().find((one) => one.dataset.fen === next[0]);
  if (link) play(link); else best();
}

function reply() {
  if (!opponent || opponent !== turn() || editing) return;
  const fen = now().fen;
  setTimeout(() => { if (now().fen === fen && opponent === turn()) best(); }, 500);
}

// The editor

function edited() {
  if (!editing) return;
  const placement = board.getFen();
  if (placement !== placementOf(now().fen)) begin(fenOf(placement, turn()));
}

function begin(fen) {
  line = [];
  ahead = [];
  return show(fen);
}

function change(name) {
  const grid = changes[name](gridOf(placementOf(now().fen)));
  const side = name === "swap" ? (turn() === "white" ? "black" : "white") : turn();
  begin(fenOf(join(grid), side));
}

function touched(key) {
  if (!editing || !spare) return;
  const grid = put(gridOf(placementOf(now().fen)), `${spare}${key}`);
  board.selectSquare(null);
  begin(fenOf(join(grid), turn()));
}

function choose(letter) {
  spare = spare === letter ? null : letter;
  for (const one of palette.querySelectorAll("[data-man]")) {
    one.setAttribute("aria-pressed", String(one.dataset.man === spare));
  }
}

const names = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };
const palette = document.createElement("div");
palette.className = "palette cg-wrap";
palette.setAttribute("role", "group");
palette.setAttribute("aria-label", "Spare men: drag one to the board, or press it and then squares");
for (const letter of "KQRBNPkqrbnp-") {
  const words = letter === "-" ? "Take men away"
    : `${letter === letter.toUpperCase() ? "White" : "Black"} ${names[letter.toLowerCase()]}`;
  const made = button(words, "", () => choose(letter), letter === "-" ? "✕" : "");
  made.dataset.man = letter;
  made.setAttribute("aria-pressed", "false");
  if (letter !== "-") {
    const piece = pieceOf(letter);
    made.append(Object.assign(document.createElement("piece"), { className: `${piece.role} ${piece.color}` }));
    for (const kind of ["mousedown", "touchstart"]) {
      made.addEventListener(kind, (event) => board.dragNewPiece(piece, event, true), { passive: false });
    }
  }
  palette.append(made);
}

const placing = document.createElement("form");
placing.className = "row";
placing.innerHTML = '<label for="put">Put a man (Kf5, pa7; -f5 takes away)</label>' +
  '<input id="put" size="5" maxlength="3" autocomplete="off" spellcheck="false"><button type="submit">Put</button>';
placing.addEventListener("submit", (event) => {
  event.preventDefault();
  const input = placing.querySelector("input");
  const grid = put(gridOf(placementOf(now().fen)), input.value);
  input.setAttribute("aria-invalid", String(!grid));
  if (grid) { begin(fenOf(join(grid), turn())); input.value = ""; }
});

function edit(on) {
  editing = on;
  if (on) opponent = against.value = "";
  editButton.setAttribute("aria-pressed", String(on));
  editor.hidden = !on;
  document.getElementById("board").classList.toggle("editing", on);
  draw();
}

// Tools

const row = (...parts) => {
  const made = document.createElement("div");
  made.className = "row";
  made.append(...parts);
  return made;
};
const back = button("Take back (left arrow)", "back", stepBack, "◀");
const forward = button("Step forward along the line (right arrow)", "forward", stepForward, "▶");
const bestButton = button("Play the best move (space)", "best", best, "Best move");
const flip = button("Flip the board (f)", "turn", () => board.toggleOrientation(), "Flip");
const editButton = button("Set up a position (e)", "edit", () => edit(!editing), "Set up");
const toMove = button("Side to move: change it", "side", () => {
  const fields = now().fen.split(" ");
  begin(fenOf(fields[0], turn() === "white" ? "black" : "white"));
});
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
});
const editor = document.createElement("div");
editor.className = "editor";
editor.hidden = true;
editor.append(
  palette,
  row(
    toMove,
    button("Clear the board", "clear", () => change("clear"), "Clear"),
    button("Swap colours", "swap", () => change("swap"), "Swap colours"),
    button("Mirror left and right", "mirror", () => change("mirror"), "⇋"),
    button("Mirror up and down", "flip", () => change("flip"), "⥯"),
    button("Shift left", "left", () => change("left"), "←"),
    button("Shift right", "right", () => change("right"), "→"),
    button("Shift up", "up", () => change("up"), "↑"),
    button("Shift down", "down", () => change("down"), "↓"),
  ),
  placing,
);
tools.append(row(back, forward, bestButton, flip, editButton, against), editor, status);
tools.hidden = false;

// What is clicked, pointed at and typed

panel.addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  if (link.matches("a.move")) play(link);
  else if (link.id === "show-line") show(now().fen, { more: "&line=1", uci: last, asks: false });
  else if (link.dataset.line) { line.push([now().fen, last]); ahead = []; show(link.dataset.fen, { uci: link.dataset.line }); }
  else return;
  event.preventDefault();
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
rules.addEventListener("change", () => begin(now().fen));
// an address without rules has those of the server: noted for whoever comes back
if (!new URLSearchParams(location.search).has("rules")) history.replaceState({ ...history.state, rules: rules.value }, "");
addEventListener("popstate", (event) => {
  const query = new URLSearchParams(location.search);
  rules.value = query.get("rules") || event.state?.rules || rules.value;
  line = [];
  ahead = [];
  show((query.get("fen") || "8/8/8/4KBk1/8/8/8/8 b - - 0 1").replaceAll("_", " "),
    { push: false, asks: false, uci: event.state?.uci ?? null, more: query.get("line") ? "&line=1" : "" });
});
addEventListener("keydown", (event) => {
  if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key;
  if (key === " " && isPressing(event.target)) return;
  const action = { " ": best, ArrowLeft: stepBack, ArrowRight: stepForward, f: () => board.toggleOrientation(),
    e: () => edit(!editing) }[key];
  if (action) { event.preventDefault(); action(); }
});

draw();
