// node example.mjs TABLES FEN: what a position is worth, and its moves.

import { open } from "./rmtb.js";

const [where, fen] = globalThis.Deno?.args ?? process.argv.slice(2);
const tables = await open(where);
const { gscore, dtg, stands, moves } = await tables.moves(fen);
console.log(stands ? `The record, ${gscore}, stands.` : `${gscore} in ${dtg} ${dtg === 1 ? "ply" : "plies"}`);
for (const move of moves) console.log(`${move.san.padEnd(6)} ${move.gscore ?? "?"} ${move.dtg ?? ""}`);
tables.close();
