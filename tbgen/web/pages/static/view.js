// What the explorer's page shows of its state: the board, and what is told beside it.

import { hint, makeBoard, place, placementOf, squares } from "./board.js";
import { card } from "./challenge.js";
import { panel as write, titleOf } from "./panel.js";
import { fenNow, isAnswered, isSecret, isTold, state, turn } from "./state.js";
import { list, said } from "./story.js";

const panel = document.getElementById("panel");
const tale = document.getElementById("tale");
const played = document.getElementById("played");
const field = document.getElementById("fen");

export const moves = () => isTold() ? [...panel.querySelectorAll("a.move")] : [];
export const bestMove = () => moves().find((link) => "known" in link.dataset);  // of moves that nothing is known of, none is

// `deeds`: { moved(from, to), edited(), touched(square) }, what is done to the board, and `drawn()`, once it is drawn.
export function makeView(frame, deeds) {
  const board = makeBoard(frame, {
    fen: "8/8/8/8/8/8/8/8",
    movable: { free: false, showDests: true, events: { after: deeds.moved } },
    draggable: { enabled: true, showGhost: true },
    events: { change: deeds.edited, select: deeds.touched },
  });

  // Chessground remembers where the board is: whatever else grows may have moved it.
  new ResizeObserver(() => board.state.dom.bounds.clear()).observe(document.body);

  // The arrow of a move; of none, that of the answer to a challenge.
  const point = (uci) => hint(board, uci ?? (isAnswered() ? state.steps[state.at + 1]?.uci : null));
  const circle = () => hint(board, bestMove()?.dataset.uci, false);

  function draw() {
    const { steps, at, told, editing } = state;
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
      orientation: state.flipped ? "black" : "white",
      turnColor: turn(),
      check: check ? turn() : false,
      lastMove: last ? squares(last) : undefined,
      selected: undefined,
      movable: { free: editing, color: editing ? "both" : isTold() && !answer && !beyond ? undefined : turn(), dests: editing ? undefined : dests },
      draggable: { deleteOnDropOff: editing },
      animation: { enabled: !editing && !matchMedia("(prefers-reduced-motion: reduce)").matches },
    });
    place(board, fen);
    point(null);
    frame.classList.toggle("editing", editing);
    document.body.classList.toggle("trying", state.challenge !== null);
    if (isTold()) tell();
    deeds.drawn();
  }

  return { board, draw, point, circle };
}

// What was told of the position on the board.
export function take(found, links) {
  state.told = found;
  document.documentElement.classList.remove("elsewhere");
  panel.innerHTML = write(found, links);
  panel.removeAttribute("aria-busy");
  Object.assign(panel.dataset, { fen: found.fen, rules: found.rules });
}

export function refuse(words) {
  panel.innerHTML = words;
  panel.removeAttribute("aria-busy");
}

export function wait() {
  panel.setAttribute("aria-busy", "true");
}

// Of the moves played, and of the challenge.
export function tell() {
  const { steps, at, challenge, opponent, solved } = state;
  const isKnown = steps[0].worth && steps[at].worth;
  panel.classList.toggle("secret", isSecret());
  tale.innerHTML = challenge === null ? said(steps, at, opponent) : isKnown ? card(challenge, steps, at, solved) : "";
  played.innerHTML = list(steps, at);
}
