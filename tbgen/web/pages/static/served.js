// The explorer of tbgen serve: the server tells.

import { addressOf } from "./address.js";
import { refusal } from "./board.js";
import { explore } from "./explorer.js";

const first = document.getElementById("told");

explore({
  async ask(question, signal) {
    const answer = await fetch(`/v1/board${addressOf(question)}`, { signal });
    if (!answer.ok) throw new Error(await refusal(answer));
    return answer.json();
  },
  async materials(rules) {
    const { materials } = await (await fetch("/v1/materials")).json();
    return materials.filter((one) => one.rules === rules).map((one) => one.material);
  },
  listing: (rules) => `/materials?rules=${rules}`,
  material: (name, rules) => `/materials/${name}?rules=${rules}`,
  pgn: ({ fen, rules }) => `/v1/line${addressOf({ fen, rules })}&format=pgn`,
}, JSON.parse(first.textContent));
