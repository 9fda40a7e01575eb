// A legal position of a material, any of them as likely as any other.

const RANKS = 8;

export async function randomFen(material) {
  const { Position } = await import("./rmtb.js");
  const [white, black] = material.split("v"), men = [...white, ...black.toLowerCase()];
  for (;;) {
    const grid = Array(64).fill("1");
    for (const man of men) {
      let square;
      do square = Math.floor(Math.random() * 64); while (grid[square] !== "1");
      grid[square] = man;
    }
    const rows = Array.from({ length: RANKS }, (_, rank) => grid.slice(8 * rank, 8 * rank + 8).join("").replace(/1+/g, (run) => run.length));
    const fen = `${rows.join("/")} ${Math.random() < 0.5 ? "w" : "b"} - - 0 1`;
    try {
      if (!Position.read(fen).position.isOver) return fen;
    } catch { /* no legal position */ }
  }
}
