// A line of best play as a game, as /v1/line?format=pgn has it: its tags say that 50 moves are not counted.

import { Position } from "./rmtb.js";
import { isWhites, levelOf, plies } from "./words.js";

const WIDTH = 80;
const wholeGame = (rules) => rules === "wg";

export function lineAsPgn({ fen, rules, answer, line }, program) {
  const fields = fen.split(" "), { gscore, material, dtg, record } = answer;
  const { position } = Position.read(fen, wholeGame(rules)), goal = 512 - 2 * record.replace(/[-G]/g, "");
  const isOwn = position.goal === (isWhites(record) ? goal : -goal);
  if (!isOwn && !wholeGame(rules)) fields[4] = Math.max(1, fields[4]);  // else whoever reads the game drops its record
  const result = levelOf(gscore) ? "1/2-1/2" : isWhites(gscore) ? "1-0" : "0-1";
  const tags = {
    Event: `${material}: ${gscore} in ${plies(dtg)}${wholeGame(rules) ? ", whole-game mobility" : ""}`,
    Site: program, Date: "????.??.??", Round: "-", White: "?", Black: "?", Result: result,
    RMobilityResult: gscore, PlyCount: line.length,
    RMobilityRules: rules, RMobilityRuleSet: "W", RMobilityFifty: "ignored",
    SetUp: 1, FEN: fields.slice(0, 6).join(" "), ...(!isOwn && { RMobilityRecord: record }),
  };
  const head = Object.entries(tags).map(([name, value]) => `[${name} "${value}"]`);
  return [...head, "", ...wrapped([...played(fields, line), result]), ""].join("\n");
}

function* played([, turn, , , , first], line) {
  let [number, white] = [Number(first), turn === "w"];
  for (const { san, record } of line) {
    yield `${number}${white ? "." : "..."} `;
    yield `${san} `;
    yield `{ ${record} } `;
    [number, white] = [number + !white, !white];
  }
}

function* wrapped(words) {
  let line = "";
  for (const word of words) {
    if (line.length + word.length > WIDTH) {
      yield line.trimEnd();
      line = "";
    }
    line += word;
  }
  yield line.trimEnd();
}
