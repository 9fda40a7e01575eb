// Setting up a position. Changes of a placement, as FENs: none needs to know more of chess than where men stand.

import { pieceOf, button, row } from "./board.js";

const empty = () => Array.from({ length: 8 }, () => Array(8).fill(""));

function gridOf(placement) {
  return placement.split("/").map((row) => row.replace(/\d/g, (n) => ".".repeat(n)).split("").map((c) => c === "." ? "" : c));
}

function placementOf(grid) {
  return grid.map((row) => row.map((c) => c || ".").join("").replace(/\.+/g, (run) => run.length)).join("/");
}

const swap = (letter) => letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase();

const changes = {
  clear: () => empty(),
  mirror: (grid) => grid.map((row) => [...row].reverse()),
  flip: (grid) => [...grid].reverse(),
  swap: (grid) => [...grid].reverse().map((row) => row.map(swap)),
  left: (grid) => grid.map((row) => [...row.slice(1), row[0]]),
  right: (grid) => grid.map((row) => [row[7], ...row.slice(0, 7)]),
  up: (grid) => [...grid.slice(1), grid[0]],
  down: (grid) => [grid[7], ...grid.slice(0, 7)],
};

// "Kf5" puts White's king on f5, "pa7" Black's pawn on a7, "-f5" takes away what is there.
function put(grid, words) {
  const match = /^([KQRBNPkqrbnp-])([a-h])([1-8])$/.exec(words.trim());
  if (!match) return null;
  const found = grid.map((row) => [...row]);
  found[8 - Number(match[3])]["abcdefgh".indexOf(match[2])] = match[1] === "-" ? "" : match[1];
  return found;
}

// A king that is set a second time leaves the square where it was.
export function withOneKing(placement, before) {
  const [grid, old] = [gridOf(placement), gridOf(before)];
  for (const king of "Kk") {
    if (grid.flat().filter((letter) => letter === king).length < 2) continue;
    grid.forEach((row, rank) => row.forEach((letter, file) => {
      if (letter === king && old[rank][file] === king) row[file] = "";
    }));
  }
  return placementOf(grid);
}

// Without a record: whoever sets up a position begins a game.
export function fenOf(placement, turn) {
  return `${placement} ${turn === "white" ? "w" : "b"} - - 0 1`;
}

const names = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };

function nameOf(letter) {
  if (letter === "-") return "Take men away";
  return `${letter === letter.toUpperCase() ? "White" : "Black"} ${names[letter.toLowerCase()]}`;
}

// `now` gives the placement and the turn; `begin` takes the FEN of a new position; `end` comes back from setting up.
export function makeEditor(board, now, begin, end) {
  let spare = null;  // the man that a click puts on the board; "-" takes men away
  const grid = () => gridOf(now().placement);
  const take = (changed, turn = now().turn) => begin(fenOf(withOneKing(placementOf(changed), now().placement), turn));
  const other = () => now().turn === "white" ? "black" : "white";
  const change = (words, name, shown) => button(words, name, () => take(changes[name](grid())), shown);

  const palette = document.createElement("div");
  palette.className = "palette cg-wrap";
  palette.setAttribute("role", "group");
  palette.setAttribute("aria-label", "Spare men: drag one to the board, or press it and then squares");
  function choose(letter) {
    spare = spare === letter ? null : letter;
    for (const one of palette.children) one.setAttribute("aria-pressed", String(one.dataset.man === spare));
  }
  for (const letter of "KQRBNPkqrbnp-") {
    const made = button(nameOf(letter), "", () => choose(letter), letter === "-" ? "⌫" : "");
    made.dataset.man = letter;
    made.setAttribute("aria-pressed", "false");
    if (letter !== "-") {
      const piece = pieceOf(letter);
      made.append(Object.assign(document.createElement("piece"), { className: `${piece.role} ${piece.color}` }));
      for (const kind of ["mousedown", "touchstart"]) {
        made.addEventListener(kind, (event) => board.dragNewPiece(piece, event, true), { passive: false });
      }
      // chessground keeps the click of a touch to itself, also where nothing was dragged
      made.addEventListener("touchend", ({ changedTouches: [{ clientX, clientY }] }) => {
        if (document.elementFromPoint(clientX, clientY) === made) choose(letter);
      });
    }
    palette.append(made);
  }

  const placing = document.createElement("form");
  placing.className = "row";
  placing.innerHTML = '<label for="put">Put a man by its square (Kf5, pa7; -f5 takes away)</label>' +
    '<input id="put" size="5" maxlength="3" autocomplete="off" spellcheck="false"><button type="submit">Put</button>';
  placing.addEventListener("submit", (event) => {
    event.preventDefault();
    const input = placing.querySelector("input");
    const changed = put(grid(), input.value);
    input.setAttribute("aria-invalid", String(!changed));
    if (changed) { take(changed); input.value = ""; }
  });

  const sides = ["white", "black"].map((side) =>
    button(`${side === "white" ? "White" : "Black"} to move`, side, () => take(grid(), side), side === "white" ? "White" : "Black"));
  const turns = row(...sides);
  turns.setAttribute("role", "group");
  turns.classList.add("either");
  turns.setAttribute("aria-label", "Side to move");
  const done = button("Done: back to the moves", "done", () => { choose(null); end(); }, "Done");
  done.classList.add("main");
  const more = document.createElement("details");
  more.append(
    Object.assign(document.createElement("summary"), { textContent: "Mirror, shift, swap, type" }),
    row(
      button("Swap colours", "swap", () => take(changes.swap(grid()), other())),
      change("Mirror left and right", "mirror", "Mirror ⇋"),
      change("Mirror up and down", "flip", "Mirror ⥯"),
      change("Shift left", "left", "←"),
      change("Shift right", "right", "→"),
      change("Shift up", "up", "↑"),
      change("Shift down", "down", "↓"),
    ),
    placing,
  );
  const element = document.createElement("div");
  element.className = "editor";
  element.hidden = true;
  element.append(palette, row(turns, "to move", change("Clear the board", "clear", "Clear"), done), more);

  return {
    element,
    draw() { for (const one of sides) one.setAttribute("aria-pressed", String(one.dataset.tool === now().turn)); },
    touched(key) {
      if (!spare) return;
      board.selectSquare(null);
      take(put(grid(), `${spare}${key}`));
    },
  };
}
