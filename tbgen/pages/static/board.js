// The board, as explorer and game viewer use it.

import { Chessground } from "./chessground/chessground.min.js";

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

export function pieceOf(letter) {
  return { role: letters[letter.toLowerCase()], color: letter === letter.toUpperCase() ? "white" : "black" };
}

export const squares = (uci) => [uci.slice(0, 2), uci.slice(2, 4)];

// Arrows for the moves that a pointer or the focus is on.
export function hint(board, uci) {
  board.setAutoShapes(uci ? [{ orig: squares(uci)[0], dest: squares(uci)[1], brush: "blue" }] : []);
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
