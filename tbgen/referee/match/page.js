"use strict";
// Plays the games of the page. The hash says which game is shown after which ply, also after a reload.
const games = JSON.parse(document.getElementById("data").textContent);
const board = document.getElementById("board"), said = document.getElementById("said");
const rows = [...document.querySelectorAll("#games tbody tr")];
const MEN = { K: "♚", Q: "♛", R: "♜", B: "♝", N: "♞", P: "♟" };
let game = games.length - 1, ply = Infinity, chosen = false;

function start(fen) {
  const squares = new Array(64).fill("");
  fen.split(" ")[0].split("/").forEach((row, above) => {
    let file = 0;
    for (const sign of row) {
      if (/\d/.test(sign)) file += Number(sign);
      else squares[8 * (7 - above) + file++] = sign;
    }
  });
  return squares;
}

function square(name) {
  return name.charCodeAt(0) - 97 + 8 * (Number(name[1]) - 1);
}

function move(squares, words) {
  const from = square(words), to = square(words.slice(2)), man = squares[from], taken = squares[to];
  const white = man === man.toUpperCase(), rank = from - from % 8;
  squares[from] = "";
  const castles = man.toUpperCase() === "K" &&
    (taken === (white ? "R" : "r") || (Math.abs(to - from) === 2 && from % 8 === 4));
  if (castles) {
    const short = to > from;
    const rook = taken ? to : rank + (short ? 7 : 0);
    squares[rook] = "";
    squares[rank + (short ? 6 : 2)] = man;
    squares[rank + (short ? 5 : 3)] = white ? "R" : "r";
    return;
  }
  if (man.toUpperCase() === "P" && from % 8 !== to % 8 && !taken) squares[rank + to % 8] = "";
  squares[to] = words[4] ? (white ? words[4].toUpperCase() : words[4]) : man;
}

function show() {
  if (!games.length) return;
  const shown = games[game], moves = shown.moves ? shown.moves.split(" ") : [];
  ply = Math.max(0, Math.min(ply, moves.length));
  const squares = start(shown.fen);
  for (const words of moves.slice(0, ply)) move(squares, words);
  const last = ply ? [square(moves[ply - 1]), square(moves[ply - 1].slice(2))] : [];
  board.replaceChildren();
  for (let above = 7; above >= 0; above--) {
    for (let file = 0; file < 8; file++) {
      const at = 8 * above + file, cell = document.createElement("div"), man = squares[at];
      cell.classList.toggle("dark", (above + file) % 2 === 0);
      cell.classList.toggle("moved", last.includes(at));
      if (man) {
        cell.textContent = MEN[man.toUpperCase()] + "\uFE0E";
        const white = man === man.toUpperCase();
        cell.style.color = white ? "#fff" : "#000";
        cell.style.textShadow = white ? "0 0 2px #000, 0 0 2px #000" : "none";
        cell.title = man;
      }
      board.append(cell);
    }
  }
  document.getElementById("white").textContent = `${shown.white} (White)`;
  document.getElementById("black").textContent = `${shown.black} (Black)`;
  said.textContent = `Round ${shown.round}, ${named(shown, ply)} (ply ${ply} of ${moves.length})` +
    (ply === moves.length ? `. ${shown.end}` : "");
  rows.forEach(row => row.classList.toggle("shown", Number(row.dataset.game) === game));
  // Whoever has chosen nothing sees the last game, also after a reload.
  if (chosen) history.replaceState(null, "", `#g${game}p${ply}`);
}

// The move that was made last, with its number.
function named(shown, ply) {
  if (!ply) return "start";
  const [, turn, , , , number] = shown.fen.split(" "), before = ply - 1 + (turn === "b" ? 1 : 0);
  return `${Number(number) + Math.floor(before / 2)}${before % 2 ? "..." : "."} ${shown.words.split(" ")[ply - 1]}`;
}

function step(by) { ply += by; chosen = true; show(); }

const hash = /^#g(\d+)p(\d+)$/.exec(location.hash);
if (hash && Number(hash[1]) < games.length) { game = Number(hash[1]); ply = Number(hash[2]); chosen = true; }
rows.forEach(row => row.addEventListener("click", () => { game = Number(row.dataset.game); ply = 0; step(0); }));
const keys = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
addEventListener("keydown", event => {
  if (event.key in keys) { step(keys[event.key]); event.preventDefault(); }
});
document.querySelectorAll("[data-step]").forEach(button =>
  button.addEventListener("click", () => step({ first: -Infinity, back: -1, on: 1, last: Infinity }[button.dataset.step])));
show();
if (document.body.dataset.running) setTimeout(() => location.reload(), 5000);
