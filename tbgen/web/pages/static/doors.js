// Ways in for whoever comes for the first time: a challenge, examples, a random position.

import { addressOf } from "./address.js";
import { button } from "./board.js";
import { randomFen } from "./random.js";

const EXAMPLES = [
  { words: "King and bishop leave one move", fen: "8/8/8/4KBk1/8/8/8/8 b - - 0 1" },
  { words: "A rook mates, in 27 plies", fen: "8/8/8/8/8/2k5/8/K6R w - - 0 1" },
  { words: "A pawn stalemates, in 29 plies", fen: "8/8/8/3k4/8/8/3P4/3K4 w - - 0 1" },
  { words: "Two knights stalemate, in 29 plies", fen: "8/8/4k3/8/8/2K5/3NN3/8 w - - 0 1" },
  { words: "Bishop and knight mate, in 59 plies", fen: "8/8/8/4k3/8/8/8/KBN5 w - - 0 1" },
];
const ANY = "";

const materialOf = (fen) => {
  const men = fen.split(" ")[0].replace(/[^a-z]/gi, "");
  return ["K", "k"].map((king) => [..."KQRBNP"].map((man) => king === "K" ? man : man.toLowerCase())
    .flatMap((man) => [...men].filter((one) => one === man)).join("").toUpperCase()).join("v");
};

// Which of `all`, each with a FEN, the tables have.
export const within = (materials, all) => all.filter(({ fen }) => materials.includes(materialOf(fen)));

// `materials` tells which there are, `longest` is the address of their longest lines; `begin` takes a FEN, `challenge`
// begins one.
export function makeDoors(element, { materials, longest }, begin, challenge) {
  const list = Object.assign(document.createElement("ul"), { className: "plain" });
  const examples = document.createElement("details");
  examples.append(Object.assign(document.createElement("summary"), { textContent: "Examples" }), list);
  examples.addEventListener("toggle", async () => {
    if (!examples.open) return;
    const known = await materials();
    list.replaceChildren(...within(known, EXAMPLES).map(({ words, fen }) => {
      const item = document.createElement("li");
      item.append(Object.assign(document.createElement("a"), { textContent: words, href: addressOf({ fen, rules: "r" }) }));
      return item;
    }));
  });

  const choice = document.createElement("select");
  choice.setAttribute("aria-label", "Material of random positions");
  choice.append(new Option("any material", ANY));
  // The rules may have changed, and with them the materials.
  const fill = async () => {
    const known = await materials(), chosen = known.includes(choice.value) ? choice.value : ANY;
    choice.replaceChildren(new Option("any material", ANY), ...known.map((name) => new Option(name)));
    choice.value = chosen;
    return known.filter((name) => name !== "KvK");
  };
  let asked = 0;
  const random = async () => {
    const mine = ++asked;
    const known = await fill();
    const fen = await randomFen(choice.value || known[Math.floor(Math.random() * known.length)]);
    if (mine === asked) begin(fen); // the first waits for a module, and may be ready after the second
  };
  choice.addEventListener("change", random);

  element.replaceChildren(
    button("Challenge: force what can be forced", "challenge", challenge, "Challenge"),
    examples,
    button("Random position", "random", random, "Random"),
    Object.assign(document.createElement("a"), { className: "door", textContent: "Longest", title: "The longest lines to each score", href: longest() }),
    choice,
  );
  fill();
}
