// A challenge on the board: begun, tried, taken back, answered, left.

import { challenges, isAnswer, RULES, stateOf, THEIRS } from "./challenge.js";
import { within } from "./doors.js";
import { rules, state, turn } from "./state.js";

// `source` tells of positions. `board`: { begin(fen, challenge), show(), forward(), circle(), oppose(colour), endSetUp() }.
export function makeTrial(source, board) {
  // The next one that the tables have, of those that are not solved if there are such.
  async function tryNext(first) {
    const known = within(await source.materials(RULES), challenges).map((one) => challenges.indexOf(one));
    const left = known.filter((one) => !state.solved.includes(one)), choice = left.length ? left : known;
    return tryOne(choice.find((one) => one >= first) ?? choice[0]);
  }

  async function tryOne(place) {
    if (!within(await source.materials(RULES), challenges.slice(place, place + 1)).length) return board.lack();
    rules.value = RULES;
    board.endSetUp();
    board.oppose(THEIRS);
    return board.begin(challenges[place].fen, place);
  }

  // The last position in which White is to move and all is well, before the step on the board.
  function wayBack(at) {
    const lost = state.steps.findIndex((step) => stateOf(challenges[state.challenge], step) === "lost");
    return lost > 0 && lost <= at ? lost - 1 : turn() === THEIRS ? at - 1 : at - 2;
  }

  function cut(at) {
    state.steps = state.steps.slice(0, at + 1);
    state.at = at;
  }

  return {
    begin: () => tryNext(0),
    try: tryOne,
    deeds: {
      again: () => board.begin(challenges[state.challenge].fen, state.challenge),
      next: () => tryNext(state.challenge + 1),
      hint: board.circle,
      forward: board.forward,
      undo() {  // with the answer of the tables
        cut(Math.max(0, wayBack(state.at)));
        board.show();
      },
      async reveal() {
        const { challenge, steps, at: now } = state;
        const isHere = turn() !== THEIRS && stateOf(challenges[challenge], steps[now]) === "on";
        const at = isHere ? now : Math.max(0, wayBack(now));
        const { answer, line } = await source.ask({ fen: steps[at].fen, rules: rules.value, line: true });
        if (state.challenge !== challenge) return;  // somebody has left meanwhile
        state.steps = [...steps.slice(0, at + 1), ...line.map(({ fen, uci, san }, nth) =>
          ({ fen, uci, san, shown: true, worth: { gscore: answer.gscore, dtg: answer.dtg - nth - 1 } }))];
        state.at = at;
        board.show();
      },
      leave() {
        state.challenge = null;
        board.oppose("");
        board.show();
      },
    },
  };
}

// A challenge is solved by whoever has not been shown the answer.
export function noteSolved() {
  const { challenge, steps, at, solved } = state;
  if (challenge === null || isAnswer(steps.slice(0, at + 1)) || solved.includes(challenge)) return;
  if (stateOf(challenges[challenge], steps[at]) === "done") solved.push(challenge);
}
