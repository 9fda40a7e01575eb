// Games that the server has told, beside a board that steps through them.

import { makeBoard, placementOf, squares, button, row, isTyping, isPressing } from "./board.js";

let games = [];
let number = 0;      // of the game on the board
let at = 0;          // plies of it
let board = null;
let told = null;     // the ply in words
let explore = null;  // the link to the explorer
let given = null;    // the button to the next mistake
let changed = null;  // whom to tell where the viewer stands

const game = () => games[number];

function show(which, ply) {
  document.querySelector("tr[aria-current]")?.removeAttribute("aria-current");
  number = which;
  at = Math.max(0, Math.min(ply, game().moves.length));
  const link = game().moves[at - 1];
  const fen = link ? link.dataset.fen : game().start;
  board.set({
    fen: placementOf(fen),
    turnColor: fen.split(" ")[1] === "b" ? "black" : "white",
    lastMove: link ? squares(link.dataset.uci) : undefined,
  });
  const line = link?.closest("tr");
  line?.setAttribute("aria-current", "true");
  const pane = line?.closest(".scroll");
  if (pane && (line.offsetTop < pane.scrollTop + 30 || line.offsetTop + line.offsetHeight > pane.scrollTop + pane.clientHeight)) {
    pane.scrollTop = line.offsetTop - pane.clientHeight / 2;
  }
  told.textContent = link?.dataset.told ?? "Start";
  given.disabled = nextGiven() < 0;
  explore.href = `/?fen=${fen.replaceAll(" ", "_")}&rules=${game().rules}`;
  tell();
}

const tell = () => changed({ number, at, flipped: board.state.orientation === "black" });
const first = () => show(number, 0);
const back = () => show(number, at - 1);
const forward = () => show(number, at + 1);
const last = () => show(number, game().moves.length);

const nextGiven = () => game().moves.findIndex((link, ply) => ply >= at && link.parentElement.querySelector(".bad"));

function turnRound() {
  board.toggleOrientation();
  tell();
}

// The first position that a table knows.
const known = ({ moves }) => moves.findIndex((link) => link.closest("tr.first")) + 1;

// `place`: where the viewer stood before. `whenChanged` is told of every other place.
export function view(whenChanged, place = {}) {
  changed = whenChanged;
  games = [...document.querySelectorAll(".game")].map((section) => ({
    start: section.dataset.start,
    rules: section.dataset.rules,
    moves: [...section.querySelectorAll("a[data-fen]")],
  }));
  if (!games.length) return;
  board = makeBoard(document.getElementById("board"), { viewOnly: true, orientation: place.flipped ? "black" : "white" });
  told = Object.assign(document.createElement("p"), { className: "told" });
  told.setAttribute("role", "status");
  explore = Object.assign(document.createElement("a"), { textContent: "Explore this position" });
  given = button("To the next move that gave something away", "given", () => show(number, nextGiven() + 1), "Next mistake");
  const steps = document.getElementById("steps");
  steps.append(
    row(
      button("To the start (Home)", "first", first, "|◀"),
      button("A ply back (left arrow)", "back", back, "◀"),
      button("A ply on (right arrow)", "forward", forward, "▶"),
      button("To the end (End)", "last", last, "▶|"),
      given,
      button("Flip the board (f)", "turn", turnRound, "Flip"),
      explore,
    ),
    told,
  );
  steps.hidden = false;
  document.getElementById("games").addEventListener("click", (event) => {
    const link = event.target.closest("a[data-fen]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    const which = games.findIndex((one) => one.moves.includes(link));
    show(which, games[which].moves.indexOf(link) + 1);
    event.preventDefault();
  });
  show(place.number ?? 0, place.at ?? known(games[0]));
}

addEventListener("keydown", (event) => {
  if (!games.length || isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === " " && isPressing(event.target)) return;
  const action = { ArrowLeft: back, ArrowRight: forward, Home: first, End: last, f: turnRound }[event.key];
  if (action) { event.preventDefault(); action(); }
});
