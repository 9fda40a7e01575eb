// What the explorer's page knows: the position on the board, how it came about, and what is done with it.

import { remember } from "./board.js";
import { addressOf } from "./address.js";
import { challenges, isAnswer, stateOf } from "./challenge.js";

const NAMED = 400;  // moves that an address names at most, as the server does

export const rules = document.getElementById("rules");
export const state = {
  steps: [],        // what was played, and taken back: { fen, uci, san, worth, shown }, with the move that led there
  at: 0,            // the step on the board
  told: null,       // what was told last of a position
  opponent: "",     // the colour that the tables play
  flipped: false,
  editing: false,
  lined: false,     // whether the line of best play is shown
  challenge: null,  // which one is tried
  solved: [],       // those that were
};

export const fenNow = () => state.steps[state.at].fen;
export const turn = () => fenNow().split(" ")[1] === "b" ? "black" : "white";
// Else the panel is still that of another position, or of other rules.
export const isTold = () => state.told?.fen === fenNow() && state.told.rules === rules.value;
// The answer is not to be seen meanwhile.
export const isSecret = () => state.challenge !== null && !state.told?.error &&
  stateOf(challenges[state.challenge], state.steps[state.at]) !== "done";
export const isAnswered = () => state.challenge !== null && isAnswer(state.steps);

// What is to be asked of the step on the board, from another one on.
export function question(start = Math.max(0, state.at - NAMED)) {
  const { steps, at, lined } = state;
  return { fen: steps[start].fen, moves: steps.slice(start + 1, at + 1).map(({ uci }) => uci), rules: rules.value, line: lined };
}

// As on other analysis boards, moves change the address and add nothing to the way back: arrows go through them.
// A new position does.
export function note({ push = false } = {}) {
  const { told: _, lined: __, ...kept } = state;
  const named = state.challenge === null ? undefined : state.challenge + 1;
  remember({ ...kept, rules: rules.value }, { address: addressOf({ ...question(), challenge: named }), push });
}

// What a reload and the way back find.
export function recall(kept) {
  const solved = [...new Set([...state.solved, ...kept.solved ?? []])];  // that stays
  Object.assign(state, { challenge: null, opponent: "", editing: false, flipped: false }, kept, { solved });
  rules.value = kept.rules;
}

export function takeSteps() {
  state.steps = state.told.steps ?? [{ fen: state.told.fen, uci: null }];
  state.at = state.steps.length - 1;
}
