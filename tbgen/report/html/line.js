// Lines of play. All that is told of one stands in its article, which readers without scripts see.

const names = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
const SVG = document.querySelector("svg.shared").namespaceURI;
const colourOf = (letter) => letter === letter.toUpperCase() ? "white" : "black";
const other = { white: "black", black: "white" };
const named = { white: "White", black: "Black" };

// Squares as numbers, a8 first, as a FEN goes.
const squareOf = (name) => "abcdefgh".indexOf(name[0]) + 8 * (8 - Number(name[1]));

// A goal is credited to the side that is not to move.
const gscore = (level, holder) => `${holder === "black" ? "-" : ""}G${level >> 1}.${level & 1 ? "5" : "0"}`;
const moveCount = (level) => level === 0 ? "mate" : level === 1 ? "stalemate"
  : `${level >> 1} legal move${level >> 1 === 1 ? "" : "s"}, ${level & 1 ? "not in check" : "in check"}`;

// The men that are on the board after each ply: what stands where, and which man it is.
function positionsOf(fen, moves) {
  let next = 0;
  const start = new Map();
  fen.split(" ")[0].split("/").forEach((row, rank) => {
    let file = 0;
    for (const letter of row) {
      if (/\d/.test(letter)) file += Number(letter);
      else start.set(rank * 8 + file++, { id: next++, letter });
    }
  });
  const found = [start];
  for (const uci of moves) {
    const now = new Map(found.at(-1));
    const [from, to] = [squareOf(uci), squareOf(uci.slice(2))];
    const man = now.get(from);
    now.delete(from);
    const passing = man.letter.toLowerCase() === "p" && from % 8 !== to % 8 && !now.has(to);
    if (passing) now.delete(Math.floor(from / 8) * 8 + to % 8);
    const promoted = uci[4] && (colourOf(man.letter) === "white" ? uci[4].toUpperCase() : uci[4]);
    now.set(to, promoted ? { id: man.id, letter: promoted } : man);
    found.push(now);
  }
  return found;
}

function placement(men) {
  let rows = "";
  for (let square = 0; square < 64; square++) {
    if (square && square % 8 === 0) rows += "/";
    rows += men.get(square)?.letter ?? ".";
  }
  return rows.replace(/\.+/g, (run) => run.length);
}

// A line as its article tells it. `plies[0]` is the position that it starts from.
function read(article) {
  const { fen, goal, result, rules, steps, start } = article.dataset;
  const [, turn, , , clock, number] = fen.split(" ");
  const tokens = [...article.querySelector(".moves").childNodes].flatMap((node) => node.nodeName === "B"
    ? [{ record: node.textContent }] : node.textContent.split(/\s+/).filter(Boolean));
  const pairs = steps.split(" ").filter(Boolean).map((pair) => pair.split(":"));
  const men = positionsOf(fen, pairs.map(([uci]) => uci));
  let side = turn === "w" ? "white" : "black";
  const plies = [{ side, level: Number(start), record: gscore(Number(start), other[side]), men: men[0], fen }];
  let [at, full, half] = [0, Number(number), Number(clock)];
  for (const token of tokens) {
    if (token.record) plies.at(-1).record = token.record;
    else if (pairs.length && !token.endsWith(".")) {
      const [uci, level, passing = "-"] = pairs[at++];
      const quiet = men[at].size === men[at - 1].size && men[at - 1].get(squareOf(uci)).letter.toLowerCase() !== "p";
      half = quiet ? half + 1 : 0;
      const before = plies.at(-1);
      const mark = side === "white" ? `${full}.` : plies.length === 1 ? `${full}...` : "";
      full += side === "black";
      side = other[side];
      plies.push({ side, uci, san: token, mark, level: Number(level), record: before.record, men: men[at],
        fen: `${placement(men[at])} ${side[0]} - ${passing} ${half} ${full}` });
    }
  }
  return { key: article.id.replace("line-", ""), title: article.querySelector("h4").textContent,
    told: article.querySelector(".told").textContent, goal, result, rules, plies };
}

// The same as `tbgen report --format pgn` writes.
function asPgn({ title, goal, result, rules, plies }) {
  const tags = { Event: rules ? `${title}, whole-game mobility` : title,
    Site: document.querySelector("meta[name=generator]").content, Date: "????.??.??", Round: "-", White: "?", Black: "?",
    Result: result, RMobilityResult: goal, PlyCount: plies.length - 1, RMobilityRules: rules || "r", RMobilityRuleSet: "W",
    RMobilityFifty: "ignored", SetUp: "1", FEN: plies[0].fen };
  const heads = Object.entries(tags).map(([name, words]) => `[${name} "${words}"]\n`).join("");
  // A comment stands between two moves: a black move after one bears its number again.
  const moves = plies.slice(1).map(({ san, side, fen, record }) => {
    const full = Number(fen.split(" ")[5]);
    return `${side === "black" ? `${full}.` : `${full - 1}...`} ${san} { ${record} }`;
  });
  return `${heads}\n${[...moves, result].join(" ")}\n`;
}
