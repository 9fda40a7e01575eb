// The board, as explorer and game viewer use it.

import { Chessground } from "./chessground/chessground.min.js";

// Its styles come late, as a page shows a picture until then.
const sheet = document.getElementById("board-sheet");
if (!sheet.sheet) await new Promise((done) => { for (const kind of ["load", "error"]) sheet.addEventListener(kind, done); });
sheet.media = "all";

const letters = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;

export function makeBoard(element, options = {}) {
  element.replaceChildren();
  return Chessground(element, {
    animation: { enabled: !still, duration: 180 },
    disableContextMenu: true,
    drawable: { enabled: true, eraseOnMovablePieceClick: true },
    ...options,
  });
}

export const placementOf = (fen) => fen.split(" ")[0];

// A man beyond chess has the role "man-c": a circle with its letter (style.css).
export function pieceOf(letter) {
  const small = letter.toLowerCase();
  return { role: letters[small] || `man-${small}`, color: letter === small ? "black" : "white" };
}

// Chessground reads and writes the men of chess only.
export function place(board, fen) {
  let rank = 8, file = 0;
  const men = new Map();
  for (const letter of placementOf(fen)) {
    if (letter === "/") [rank, file] = [rank - 1, 0];
    else if (/\d/.test(letter)) file += Number(letter);
    else men.set("abcdefgh"[file++] + rank, pieceOf(letter));
  }
  board.setPieces(men);
}

export function placed(board) {
  const short = Object.fromEntries(Object.entries(letters).map(([letter, role]) => [role, letter]));
  const rows = [..."87654321"].map((rank) => [..."abcdefgh"].map((file) => {
    const man = board.state.pieces.get(file + rank);
    const letter = man && (short[man.role] || man.role.slice(4));
    return man ? (man.color === "white" ? letter.toUpperCase() : letter) : "1";
  }).join(""));
  return rows.join("/").replace(/1+/g, (run) => run.length);
}

export const squares = (uci) => [uci.slice(0, 2), uci.slice(2, 4)];

// An arrow for a move, or a circle around the man that is to move.
export function hint(board, uci, isWhole = true) {
  const [orig, dest] = uci ? squares(uci) : [];
  board.setAutoShapes(uci ? [{ orig, ...(isWhole && { dest }), brush: "blue" }] : []);
}

export function button(words, name, onClick, shown = words) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = shown;
  made.setAttribute("aria-label", words);
  made.title = words;
  if (name) made.dataset.tool = name;
  made.addEventListener("click", onClick);
  return made;
}

export function row(...parts) {
  const made = document.createElement("div");
  made.className = "row";
  made.append(...parts);
  return made;
}

// What the server says of a question that it did not answer. Not all that refuse can say why.
export async function refusal(answer) {
  try {
    const { message, hint } = (await answer.json()).error;
    return [message, hint].filter(Boolean).join(". ");
  } catch {
    return `${answer.status} ${answer.statusText}`;
  }
}

export function alarm(words) {
  const made = document.createElement("div");
  made.className = "problem";
  made.setAttribute("role", "alert");
  made.textContent = words;
  return made;
}

// What a reload and whoever comes back are to find. Browsers refuse a hundredth change within seconds; the next
// one tells all the same.
export function remember(state, { address, push = false } = {}) {
  try {
    history[push ? "pushState" : "replaceState"](state, "", address);
  } catch { /* too often */ }
}

// Keys belong to a field or a button that has the focus.
export const isTyping = (target) => target.closest("input, textarea, select, dialog") !== null;
export const isPressing = (target) => target.closest("button, a, summary") !== null;
