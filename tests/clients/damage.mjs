// Asks damaged copies of a table: `node damage.mjs FILE COUNT SEED`, with FENs and records on standard input, a line of JSON
// each. It prints { right, refused, wrong }: answers as of the file itself, errors, and what is neither.

import { readFileSync } from "node:fs";
import { open, TablesError } from "../../clients/js/rmtb.js";

const [file, count, seed] = process.argv.slice(2);
const whole = new Uint8Array(readFileSync(file));
const questions = readFileSync(0, "utf8").trim().split("\n").map((line) => JSON.parse(line));
let state = Number(seed) >>> 0;
const below = (most) => {  // the generator of Numerical Recipes
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor(state / 2 ** 32 * most);
};
const HARMS = [
  (data) => { data[below(data.length)] ^= 1 << below(8); },
  (data) => { data[below(4096)] ^= 1 << below(8); },
  (data) => { data.fill(below(256), below(data.length)); },
  (data) => { data.copyWithin(below(data.length), below(data.length), below(data.length)); },
  (data) => { for (let each = 0; each < 64; each++) data[below(data.length)] = below(256); },
  (data) => data.subarray(0, below(data.length)),
];

async function answers(data) {
  const read = (offset, length) => data.subarray(offset, offset + length);
  const found = [];
  try {
    const tables = await open({ size: data.length, read }, { rules: file.includes(".wg.") ? "wg" : "r" });
    for (const [fen, record] of questions) {
      try {
        found.push(JSON.stringify(await tables.probe(fen, { record })));
      } catch (error) {
        found.push(error);
      }
    }
  } catch (error) {
    found.push(...questions.map(() => error));
  }
  return found;
}

const right = await answers(whole), told = { right: 0, refused: 0, wrong: [] };
if (right.some((answer) => typeof answer !== "string")) throw right.find((answer) => typeof answer !== "string");
for (let nth = 0; nth < count; nth++) {
  const data = whole.slice(), harm = nth % HARMS.length;
  (await answers(HARMS[harm](data) ?? data)).forEach((answer, question) => {
    if (answer === right[question]) told.right++;
    else if (answer instanceof TablesError && answer.code !== "bad_input") told.refused++;
    else told.wrong.push([harm, nth, question, String(answer)]);
  });
}
console.log(JSON.stringify(told));
