// The game viewer: a board that steps through the moves that the server has told.

import { makeBoard, placementOf, squares, button, isTyping, isPressing } from "./board.js";

const open = document.getElementById("open");
const openLabel = document.getElementById("open-label");
openLabel.hidden = false;
open.addEventListener("change", async () => {
  const [file] = open.files;
  if (file) document.getElementById("pgn").value = await file.text();
});

const place = document.getElementById("board");
if (place && document.querySelector(".game")) {
  const games = [...document.querySelectorAll(".game")].map((section) => ({
    section,
    start: section.dataset.start,
    rules: section.dataset.rules,
    moves: [...section.querySelectorAll("a[data-fen]")],
  }));
  let game = games[0], at = 0;
  const board = makeBoard(place, { viewOnly: true });

  const show = (which, ply) => {
    document.querySelector("tr[aria-current]")?.removeAttribute("aria-current");
    game = which;
    at = Math.max(0, Math.min(ply, game.moves.length));
    const link = game.moves[at - 1];
    const fen = link ? link.dataset.fen : game.start;
    board.set({
      fen: placementOf(fen),
      turnColor: fen.split(" ")[1] === "b" ? "black" : "white",
      lastMove: link ? squares(link.dataset.uci) : undefined,
    });
    const row = link?.closest("tr");
    row?.setAttribute("aria-current", "true");
    const pane = row?.closest(".scroll");
    if (pane && (row.offsetTop < pane.scrollTop + 30 || row.offsetTop + row.offsetHeight > pane.scrollTop + pane.clientHeight)) {
      pane.scrollTop = row.offsetTop - pane.clientHeight / 2;
    }
    told.textContent = row ? [...row.cells].map((cell) => cell.innerText).filter(Boolean).join(", ") : "Start";
    explore.href = `/?fen=${fen.replaceAll(" ", "_")}&rules=${game.rules}`;
  };

  const steps = document.getElementById("steps");
  const row = Object.assign(document.createElement("div"), { className: "row" });
  const told = Object.assign(document.createElement("p"), { className: "note" });
  told.setAttribute("role", "status");
  const explore = Object.assign(document.createElement("a"), { textContent: "On the board" });
  const nextGiven = () => {
    const next = game.moves.findIndex((link, ply) => ply >= at && link.parentElement.querySelector(".bad"));
    if (next >= 0) show(game, next + 1);
  };
  row.append(
    button("To the start (Home)", "first", () => show(game, 0), "|◀"),
    button("A ply back (left arrow)", "back", () => show(game, at - 1), "◀"),
    button("A ply on (right arrow)", "forward", () => show(game, at + 1), "▶"),
    button("To the end (End)", "last", () => show(game, game.moves.length), "▶|"),
    button("To the next move that gave something away", "given", nextGiven, "Next mistake"),
    button("Flip the board (f)", "turn", () => board.toggleOrientation(), "Flip"),
    explore,
  );
  steps.append(row, told);
  steps.hidden = false;

  document.getElementById("games").addEventListener("click", (event) => {
    const link = event.target.closest("a[data-fen]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    const which = games.find((one) => one.moves.includes(link));
    show(which, which.moves.indexOf(link) + 1);
    event.preventDefault();
  });
  addEventListener("keydown", (event) => {
    if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " " && isPressing(event.target)) return;
    const action = { ArrowLeft: () => show(game, at - 1), ArrowRight: () => show(game, at + 1),
      Home: () => show(game, 0), End: () => show(game, game.moves.length), f: () => board.toggleOrientation() }[event.key];
    if (action) { event.preventDefault(); action(); }
  });
  show(games[0], 0);
}
