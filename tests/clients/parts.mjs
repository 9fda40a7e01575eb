// The parts of clients/js/rmtb.js by themselves: the legal moves of each FEN on standard input, a line of JSON each; and
// last, what the inflater gets wrong of many streams.

import { readFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import { Position, crc32, inflate } from "../../clients/js/rmtb.js";

for (const line of readFileSync(0, "utf8").trim().split("\n")) {
  const { position } = Position.read(JSON.parse(line));
  const moves = position.moves.map((move) => [move.uci, position.san(move), move.zeroing, move.after.fen(1)]);
  console.log(JSON.stringify({ level: position.level, moves }));
}

const wrong = [];
const text = new TextEncoder().encode("abc".repeat(9000) + Array.from({ length: 9000 }, (_, each) => each * each).join());
const noise = Uint8Array.from({ length: 70_000 }, (_, each) => Math.imul(each, each + 2654435761) >>> 13);
for (const data of [text, noise, new Uint8Array(100_000), new Uint8Array(0)]) {
  for (const level of [0, 1, 6, 9]) {
    for (const strategy of [0, 1, 2, 3, 4]) {
      const stream = deflateRawSync(data, { level, strategy });
      const gives = (most, part = stream) => {
        try {
          return inflate(part, most);
        } catch (error) {
          return error instanceof RangeError ? error.message : wrong.push(String(error));
        }
      };
      const found = gives(data.length);
      if (found.length !== data.length || crc32(found) !== crc32(data)) wrong.push(["other", level, strategy, data.length]);
      if (data.length && typeof gives(data.length - 1) !== "string") wrong.push(["more than it may be", level, strategy]);
      if (typeof gives(data.length, stream.subarray(0, -1)) !== "string") wrong.push(["cut off", level, strategy]);
    }
  }
}
console.log(JSON.stringify(wrong));
