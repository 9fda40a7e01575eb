// What tsc checks: the types say what README.md shows.

import { open, TablesError, type Answer, type Move, type Source } from "../../clients/js/rmtb.js";

const source: Source = { size: 1, read: async (offset, length) => new Uint8Array(offset + length) };
const tables = await open("https://host/tables/", { rules: "wg", cache: 1 << 20, timeout: 1000, catalogue: null });
await open([source, new Blob([])], { catalogue: { tables: [{ name: "KvK.r.h5", bytes: 1, sha256: "" }] } });
const answer: Answer = await tables.probe("8/8/8/4KBk1/8/8/8/8 b - - 0 1", { record: "G3.5", signal: AbortSignal.timeout(9) });
const moves: Move[] = (await tables.moves(answer.fen)).moves;
const words: string[] = [...(await tables.line(answer.fen)).line.map(({ san }) => san), moves[0]?.gscore ?? ""];
const plies: number[] = (await tables.staircase(answer.fen)).staircase.map(({ dtg }) => dtg);
const fault = new TablesError("host", words.join(), String(plies));
tables.close();
// @ts-expect-error: there are two kinds of rules
await open("tables", { rules: "x" });
// @ts-expect-error: a code is one of five
if (fault.code === "other") throw fault;
