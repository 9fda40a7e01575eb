// What the board's page tells of a position, from tables alone: the JSON of /v1/board, as serve/board.py makes it.

import { Position } from "./rmtb.js";

const MEN_EXPECTED = 5;  // tables of more are there in few places, as tbgen/errors.py has it
const LONGEST = 400;  // moves that lead to a position
const levelOf = (outcome) => 512 - Math.abs(outcome);
const improved = (record, goal) => record !== null && levelOf(record) <= levelOf(goal) ? record : goal;
const resets = (move, rules) => rules === "r" && move.zeroing;
const withoutRecord = (fen) => fen.split(" ").slice(0, 6).join(" ");

// `tables`: what rmtb.js opens.
export async function board(tables, { fen, moves = [], rules, line = false }, signal) {
  const asked = fen.replaceAll("_", " ").trim();
  let now, steps;
  try {
    now = Position.read(asked, rules === "wg");
    if (moves.length) [now, steps] = follow(now, moves, rules, asked);
  } catch (error) {
    const lacks = /^illegal position: (.*?): "/.exec(error.message)?.[1];
    return { fen: asked, rules, error: told(error), ...(lacks && { lacks }) };
  }
  const { position, record } = now, here = steps ? steps.at(-1).fen : asked;
  const found = { rules, check: position.inCheck, ...(steps && { steps }) };
  try {
    const ask = { rules, signal };
    const [answer, { staircase }] = await Promise.all([tables.moves(here, ask), tables.staircase(here, ask)]);
    const isSaid = position.clock || rules === "wg" || record !== null;
    const full = position.fen(improved(record, position.goal));
    Object.assign(found, { fen: isSaid ? full : withoutRecord(full), answer, staircase });
    if (line && !answer.stands) Object.assign(found, await best(tables, position, here, ask));
    return found;
  } catch (error) {
    signal?.throwIfAborted();
    const full = position.fen(record ?? position.goal);
    const beyond = await movesBeyond(tables, position, record, rules);
    return { ...found, fen: record === null ? withoutRecord(full) : full, error: told(error), beyond };
  }
}

// As `problem_of` in serve/problem.py. Who looks at a page has no use for names of files.
function told({ code = "failed", message, table }) {
  const [material, rules] = table?.split(".") ?? [];
  if (code === "missing_table") {
    const option = rules === "r" ? "" : ` --rules ${rules}`;
    const isLarge = material.replaceAll("v", "").length > MEN_EXPECTED;
    const hint = isLarge ? `tbgen plan${option} ${material} says what building takes` : `tbgen build${option} ${material}`;
    return { code, message: `no table of ${material} is here`, hint };
  }
  return { code, message, hint: "" };
}

function follow({ position, record }, moves, rules, fen) {
  if (moves.length > LONGEST) throw Object.assign(new Error(`${moves.length} moves are too many: begin ${LONGEST} before the end, or later`), { code: "bad_input" });
  const steps = [{ fen, uci: null, san: null }];
  let standing = improved(record, position.goal);
  moves.forEach((uci, nth) => {
    const move = position.moves.find((one) => one.uci === uci);
    if (!move) throw Object.assign(new Error(`move ${nth + 1} is not possible: ${uci.slice(0, 20)}`), { code: "bad_input" });
    const san = position.san(move);
    position = move.after;
    standing = resets(move, rules) ? position.goal : improved(standing, position.goal);
    steps.push({ fen: position.fen(standing), uci, san });
  });
  return [{ position, record: standing }, steps];
}

async function best(tables, position, fen, ask) {
  try {
    const { line } = await tables.line(fen, ask);
    return {
      line: line.map((step) => {
        position = position.moves.find((move) => move.uci === step.uci).after;
        const outcome = 512 - 2 * step.record.replace(/[-G]/g, "");
        return { ...step, fen: position.fen(step.record.startsWith("-") ? -outcome : outcome) };
      }),
    };
  } catch (error) {
    ask.signal?.throwIfAborted();
    return { line_error: told(error) };
  }
}

// Of a position that no table has: moves that end the game, and those into a table. What is not known of comes last.
async function movesBeyond(tables, position, record, rules) {
  const standing = improved(record, position.goal), sign = position.white ? 1 : -1;
  const rows = await Promise.all(position.moves.map(async (move) => {
    const reset = resets(move, rules), after = reset ? move.after.goal : improved(standing, move.after.goal);
    const row = { uci: move.uci, san: position.san(move), reset, gscore: null, dtg: null, record: null, fen: move.after.fen(after) };
    try {
      const { gscore, dtg, outcome, record: now } = await tables.probe(row.fen, { rules });
      const stands = !reset && after === standing && outcome === standing;
      return { row: { ...row, gscore, dtg: stands ? 0 : dtg + 1, record: now }, outcome };
    } catch {
      return { row };
    }
  }));
  const value = ({ outcome }) => outcome === undefined ? -Infinity : sign * outcome;
  const far = (one) => sign * one.outcome >= sign * standing ? one.row.dtg : -one.row.dtg;
  return rows.sort((a, b) => value(b) - value(a) || far(a) - far(b) || 0).map(({ row }) => row);
}
