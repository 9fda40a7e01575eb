// Outcomes in words. A G-score is signed by the side that holds it: G1.5 is White's, -G1.5 Black's.

export const levelOf = (gscore) => 2 * gscore.replace(/[-G]/g, "");
export const isWhites = (gscore) => !gscore.startsWith("-");
export const holder = (gscore) => isWhites(gscore) ? "White" : "Black";
export const sufferer = (gscore) => isWhites(gscore) ? "Black" : "White";

export const counted = (count, what) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
export const plies = (count) => count === 1 ? "1 ply" : `${count.toLocaleString("en")} plies`;

// What a G-score is on the board.
export function meaning(gscore) {
  const level = levelOf(gscore);
  return ["checkmate", "stalemate"][level] ?? `${counted(level >> 1, "legal move")}, ${level & 1 ? "not in check" : "in check"}`;
}

// How good it is for its holder, and whose it is: the same colours on all pages.
export function colour(gscore) {
  const level = levelOf(gscore);
  return `${isWhites(gscore) ? "w" : "b"}${level < 2 ? level : level <= 7 ? 2 : 3}`;
}

export const escaped = (text) => String(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
export const begun = (words) => words[0].toUpperCase() + words.slice(1);
export const sideOf = (fen) => fen.split(" ")[1] === "b" ? "Black" : "White";

// What stands before moves that begin at a position: "1. ", "", "2. " ...; where Black begins, "1... ", "2. " ...
export function numbers(fen, count) {
  const first = Number(fen.split(" ")[5] ?? 1), isBlacks = sideOf(fen) === "Black";
  return Array.from({ length: count }, (_, nth) => {
    const half = nth + isBlacks;
    return half % 2 ? nth ? "" : `${first}... ` : `${first + half / 2}. `;
  });
}
