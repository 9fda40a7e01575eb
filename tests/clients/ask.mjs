// Asks tables through clients/js/rmtb.js what standard input says: a line of JSON with where they are and options, then a
// line for each question, [method, FEN, options], or a list of questions that are asked at once. A line of JSON comes back
// for each: the answer, or { code, message, name }. With the option `anew` the nth question is asked of tables that are
// opened for it, in a folder of that name.

import { readFileSync } from "node:fs";
import { open } from "../../clients/js/rmtb.js";

const [[where, options], ...questions] = readFileSync(0, "utf8").trim().split("\n").map((line) => JSON.parse(line));
const told = ({ code, message, name }) => ({ code, message, name });
let opening = open(where, options);
const leave = () => opening.then((tables) => tables.close(), () => {});
const one = async ([method, fen, more]) => {
  if (more?.after) await new Promise((resolve) => setTimeout(resolve, more.after));  // milliseconds
  const signal = more?.patience && AbortSignal.timeout(more.patience);
  return (await opening)[method](fen, { ...more, ...(signal && { signal }) });
};
const asked = (question) => Array.isArray(question[0]) ? Promise.all(question.map(one)) : one(question);

for (const [nth, question] of questions.entries()) {
  if (options.anew) {
    await leave();
    opening = open(`${where}${nth}/`, options);
  }
  console.log(JSON.stringify(await asked(question).catch(told)));
}
await leave();
