// Changes of a placement, as FENs: none needs to know more of chess than where men stand.

const empty = () => Array.from({ length: 8 }, () => Array(8).fill(""));

export function gridOf(placement) {
  return placement.split("/").map((row) => row.replace(/\d/g, (n) => ".".repeat(n)).split("").map((c) => c === "." ? "" : c));
}

export function placementOf(grid) {
  return grid.map((row) => row.map((c) => c || ".").join("").replace(/\.+/g, (run) => run.length)).join("/");
}

const swap = (letter) => letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase();

export const changes = {
  clear: () => empty(),
  mirror: (grid) => grid.map((row) => [...row].reverse()),
  flip: (grid) => [...grid].reverse(),
  swap: (grid) => [...grid].reverse().map((row) => row.map(swap)),
  left: (grid) => grid.map((row) => [...row.slice(1), row[0]]),
  right: (grid) => grid.map((row) => [row[7], ...row.slice(0, 7)]),
  up: (grid) => [...grid.slice(1), grid[0]],
  down: (grid) => [grid[7], ...grid.slice(0, 7)],
};

// "Kf5" puts White's king on f5, "pa7" Black's pawn on a7, "-f5" takes away what is there.
export function put(grid, words) {
  const match = /^([KQRBNPkqrbnp-])([a-h])([1-8])$/.exec(words.trim());
  if (!match) return null;
  const found = grid.map((row) => [...row]);
  found[8 - Number(match[3])]["abcdefgh".indexOf(match[2])] = match[1] === "-" ? "" : match[1];
  return found;
}

// Without a record: whoever sets up a position begins a game.
export function fenOf(placement, turn) {
  return `${placement} ${turn === "white" ? "w" : "b"} - - 0 1`;
}
