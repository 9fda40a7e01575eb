// Reads r-mobility endgame tables, files such as KRvKN.r.h5, as docs/format.md of tbgen has them. MIT licence, no dependencies.
// Each piece is believed when its CRC-32 is right, and none is larger than what was checked before allows.
// --- errors and outcomes ---------------------------------------------------------------------------------------------
/** `code`: bad_input, unsupported_position, missing_table, corrupt_table, or host for what a web host does wrong. */
export class TablesError extends Error {
  constructor(code, message, table) {
    super(message);
    Object.assign(this, { name: "TablesError", code }, table && { table });
  }
}
const missing = (name) => { throw new TablesError("missing_table", `${name} is missing`, name); };
const refuse = (message) => { throw new TablesError("bad_input", message); };
const shown = (text) => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);

// An outcome is 512 - level if White holds it, level - 512 if Black does; the level is twice the G-score.
const BASE = 512, MOST_LEVEL = 437;
const FIRST_RECORD = 2;  // mate and stalemate, levels 0 and 1, end the game
const levelOf = (outcome) => BASE - Math.abs(outcome);
const textOf = (outcome) => `${outcome < 0 ? "-" : ""}G${(levelOf(outcome) / 2).toFixed(1)}`;
/** The record after a later goal: only a strictly lower level replaces it. */
const improved = (record, goal) => levelOf(goal) < levelOf(record) ? goal : record;

function parseOutcome(text) {
  const [, sign, whole, half] = /^([+\-mM]?)\s*[gG](\d{1,3})(?:\.([05]))?$/.exec(plain(text))
    ?? refuse(`not a G-score: ${shown(text)} (write G1.5 when White holds it, -G1.5 when Black does)`);
  const level = 2 * whole + (half === "5" ? 1 : 0);
  if (level > MOST_LEVEL) refuse(`no position has so many moves: ${shown(text)}`);
  return /[-mM]/.test(sign) ? level - BASE : BASE - level;
}

/** A text with the signs of a keyboard for those of a typesetter. */
function plain(text) {
  if (typeof text !== "string" || text.length > 200) refuse(`not a text, or too long: ${shown(String(text))}`);
  return text.replace(/[\u2010-\u2015\u2212]/g, "-").replace(/[\s_]+/g, " ").trim();
}

// --- the board -------------------------------------------------------------------------------------------------------
// Squares are 0 = a1, 1 = b1 ... 63 = h8; a man is its letter in a FEN, an empty square "".
const ORDER = "KQRBNP";
const SQUARES = Array.from({ length: 64 }, (_, square) => square);
const nameOf = (square) => "abcdefgh"[square & 7] + ((square >> 3) + 1);
const isWhite = (man) => man < "a";
const manOf = (letter, white) => white ? letter : letter.toLowerCase();
const otherCase = (man) => isWhite(man) ? man.toLowerCase() : man.toUpperCase();
/** The squares in a direction: the nearest one, or all. */
const way = (square, [files, ranks], most = 7) => Array.from({ length: most }, (_, nth) => nth + 1)
  .map((steps) => [(square & 7) + files * steps, (square >> 3) + ranks * steps])
  .filter(([file, rank]) => !((file | rank) & ~7)).map(([file, rank]) => 8 * rank + file);

const DIRECTIONS = [[0, 1], [1, 0], [0, -1], [-1, 0], [1, 1], [1, -1], [-1, -1], [-1, 1]];  // a bishop's come last
const LEAPS = [[1, 2], [2, 1], [2, -1], [1, -2], [-1, -2], [-2, -1], [-2, 1], [-1, 2]];
const RAYS = SQUARES.map((square) => DIRECTIONS.map((direction) => way(square, direction)));
const stepsBy = (ways) => SQUARES.map((square) => ways.flatMap((direction) => way(square, direction, 1)));
const NEAR = stepsBy(DIRECTIONS), KNIGHT = stepsBy(LEAPS);
const PREY = { true: stepsBy([[-1, 1], [1, 1]]), false: stepsBy([[-1, -1], [1, -1]]) };  // of White's pawns, of Black's
const SLIDES = { Q: [0, 8], R: [0, 4], B: [4, 8] };

function isAttacked(board, square, byWhite) {
  const isByRay = RAYS[square].some((squares, nth) => {
    const far = squares.find((each) => board[each]);
    if (far === undefined || isWhite(board[far]) !== byWhite) return false;
    const kind = board[far].toUpperCase();
    return kind === "Q" || kind === (nth < 4 ? "R" : "B") || (kind === "K" && far === squares[0]);
  });
  return isByRay || KNIGHT[square].some((from) => board[from] === manOf("N", byWhite))
    || PREY[!byWhite][square].some((from) => board[from] === manOf("P", byWhite));
}

/** A position of chess; nothing changes it. */
export class Position {
  #inCheck; #moves; #material;

  /** `passed`: the square that a pawn has just passed in a double step, or -1. */
  constructor(board, white, passed, clock, number, castling = "-") {
    Object.assign(this, { board, white, passed, clock, number, castling });
  }

  /** The position of a FEN, and its record, or null. `dropped`: a record that does not count after a reset. */
  static read(fen, wholeGame) {
    const form = /^(\S+) ([wb])(?: (-|[KQkqA-Ha-h]{1,4}))?(?: (-|[a-h][36]))?(?: (\d{1,6}))?(?: (\d{1,6}))?(?: (\S+))?$/;
    const wrong = () => refuse(`not a FEN: ${shown(fen)} (write 8/8/8/4KBk1/8/8/8/8 b - - 12 40 G3.5; the record may lack)`);
    const [, men, turn, castling = "-", passed = "-", clock = "0", number = "1", written] = form.exec(plain(fen)) ?? wrong();
    const rows = men.split("/").map((row) => /\d\d/.test(row) ? "" : row.replace(/[1-8]/g, (count) => "1".repeat(count)));
    if (rows.length !== 8 || !rows.every((row) => /^[1KQRBNPkqrbnp]{8}$/.test(row))) wrong();
    const board = rows.reverse().flatMap((row) => [...row].map((man) => man === "1" ? "" : man));
    const square = SQUARES.find((each) => nameOf(each) === passed) ?? -1;
    const position = new Position(board, turn === "w", square, +clock, Math.max(1, +number), castling);
    const fault = position.#fault();
    if (fault) refuse(`illegal position: ${fault}: ${shown(fen)}`);
    if (written === undefined) return { position, record: null, dropped: null };
    const given = parseOutcome(written), { goal } = position;
    if (+clock || wholeGame) return { position, record: improved(position.checked(given), goal), dropped: null };
    return { position, record: goal, dropped: given === goal ? null : given };
  }

  #fault() {
    const { board, white, passed } = this, up = white ? 8 : -8;
    const count = (men) => board.filter((man) => man && men.includes(man)).length;
    if (!board.some(Boolean)) return "the board is empty";
    if (!count("K") || !count("k")) return `${count("K") ? "Black" : "White"} has no king`;
    if (count("K") > 1 || count("k") > 1) return "a side has more than one king";
    if (count("KQRBNP") > 16 || count("kqrbnp") > 16) return "a side has more than 16 men";
    if (count("P") > 8 || count("p") > 8) return "a side has more than 8 pawns";
    if ([...board.slice(0, 8), ...board.slice(56)].some((man) => /p/i.test(man))) return "a pawn stands on the first or last rank";
    if (isAttacked(board, this.king(!white), white)) return "the side that is not to move is in check";
    const hasPassed = passed < 0 || (passed >> 3 === (white ? 5 : 2) && !board[passed] && !board[passed + up]
      && board[passed - up] === manOf("P", !white));
    return hasPassed ? "" : "no pawn can just have passed the en passant square";
  }

  /** A record, if a game that goes on can have it here. */
  checked(record) {
    return levelOf(record) >= FIRST_RECORD || record === this.goal ? record
      : refuse(`no game goes on after ${textOf(record)}: it cannot be the record here`);
  }

  king(white) { return this.board.indexOf(manOf("K", white)); }
  get inCheck() { return this.#inCheck ??= isAttacked(this.board, this.king(this.white), !this.white); }
  get level() { return 2 * this.moves.length + (this.inCheck ? 0 : 1); }
  /** What the position itself scores, for the side that has moved there. */
  get goal() { return this.white ? this.level - BASE : BASE - this.level; }
  get isOver() { return this.level < FIRST_RECORD; }
  /** Whether a capture en passant is legal: tables do not have such a position. */
  get hasPassant() { return this.passed >= 0 && this.moves.some((move) => move.passant); }

  /** The legal moves without castling, each with the position after it, by name. */
  get moves() {
    return this.#moves ??= this.#steps().map((step) => this.#made(step))
      .filter(({ after }) => !isAttacked(after.board, after.king(this.white), !this.white))
      .sort((a, b) => a.uci < b.uci ? -1 : 1);
  }

  /** [from, to, promotion] of the moves that there would be if kings could be taken. */
  #steps() {
    const { board, white } = this, up = white ? 8 : -8;
    const isMine = (square) => board[square] && isWhite(board[square]) === white;
    const isPrey = (square) => square === this.passed || (board[square] && !isMine(square));
    return SQUARES.filter(isMine).flatMap((from) => {
      const kind = board[from].toUpperCase();
      if (kind === "P") {
        const path = [from + up, ...(from >> 3 === (white ? 1 : 6) ? [from + 2 * up] : [])];
        const free = board[path[0]] ? [] : path.filter((to) => !board[to]);
        return [...free, ...PREY[white][from].filter(isPrey)]
          .flatMap((to) => (to < 8 || to > 55 ? [..."qrbn"] : [""]).map((promotion) => [from, to, promotion]));
      }
      const ends = kind === "K" ? NEAR[from] : kind === "N" ? KNIGHT[from]
        : RAYS[from].slice(...SLIDES[kind]).flatMap((squares) => {
          const stop = squares.findIndex((to) => board[to]);
          return stop < 0 ? squares : squares.slice(0, stop + 1);
        });
      return ends.filter((to) => !isMine(to)).map((to) => [from, to, ""]);
    });
  }

  #made([from, to, promotion]) {
    const board = this.board.slice(), isPawn = /p/i.test(board[from]), up = this.white ? 8 : -8;
    const passant = isPawn && to === this.passed, takes = passant || board[to] !== "", zeroing = isPawn || takes;
    board[to] = promotion ? manOf(promotion.toUpperCase(), this.white) : board[from];
    board[from] = "";
    if (passant) board[to - up] = "";
    const passed = isPawn && to - from === 2 * up ? from + up : -1;
    const after = new Position(board, !this.white, passed, zeroing ? 0 : this.clock + 1, this.number + (this.white ? 0 : 1));
    return { from, to, promotion, takes, passant, zeroing, uci: nameOf(from) + nameOf(to) + promotion, after };
  }

  san(move) {
    const kind = this.board[move.from].toUpperCase(), [file, rank] = nameOf(move.from);
    const check = move.after.inCheck ? (move.after.isOver ? "#" : "+") : "";
    const end = (move.takes ? "x" : "") + nameOf(move.to) + (move.promotion && `=${move.promotion.toUpperCase()}`) + check;
    if (kind === "P") return (move.takes ? file : "") + end;
    const others = this.moves.filter((other) => other.to === move.to && other.from !== move.from
      && this.board[other.from] === this.board[move.from]).map((other) => nameOf(other.from));
    const sameFile = others.some((name) => name[0] === file), sameRank = others.some((name) => name[1] === rank);
    return kind + (others.length && (sameRank || !sameFile) ? file : "") + (sameFile ? rank : "") + end;
  }

  fen(record) {
    const rows = [7, 6, 5, 4, 3, 2, 1, 0].map((rank) => this.board.slice(8 * rank, 8 * rank + 8)
      .map((man) => man || "1").join("").replace(/1+/g, (run) => run.length));
    const passed = this.hasPassant ? nameOf(this.passed) : "-", turn = this.white ? "w" : "b";
    return [rows.join("/"), turn, this.castling, passed, this.clock, this.number, textOf(record)].join(" ");
  }

  /** { name, whiteFirst, men }: first comes who has more men, or the heavier one where equally many first differ. */
  get material() {
    return this.#material ??= (() => {
      const [white, black] = [true, false].map((side) => this.board.filter((man) => man && isWhite(man) === side)
        .map((man) => ORDER.indexOf(man.toUpperCase())).sort().join(""));
      const whiteFirst = white.length !== black.length ? white.length > black.length : white <= black;
      const name = (whiteFirst ? `${white}v${black}` : `${black}v${white}`).replace(/\d/g, (rank) => ORDER[rank]);
      return { name, whiteFirst, men: white.length + black.length };
    })();
  }
}

// --- CRC-32 and the inflater -----------------------------------------------------------------------------------------
const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = byte & 1 ? 0xEDB88320 ^ (byte >>> 1) : byte >>> 1;
  return byte;
});

export function crc32(data) {
  let crc = -1;
  for (let at = 0; at < data.length; at++) crc = CRC[(crc ^ data[at]) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** [first of its range, further bits] of each symbol for lengths, and of each for distances. */
const ranges = (bits, first) => bits.map((count) => [first, count, first += 1 << count]);
const LENGTHS = ranges(Array.from({ length: 28 }, (_, nth) => nth < 8 ? 0 : (nth >> 2) - 1), 3).concat([[258, 0]]);
const DISTANCES = ranges(Array.from({ length: 30 }, (_, nth) => nth < 4 ? 0 : (nth >> 1) - 1), 1);
const CODE_LENGTHS = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const damaged = (what) => { throw new RangeError(what); };
/** From the next bits to 16 * symbol + length of its code, by the lengths of all codes; 0 for what is no code. */
function codeTable(lengths) {
  const most = Math.max(1, ...lengths), table = new Uint16Array(1 << most);
  for (let length = 1, code = 0; length <= most; length++, code <<= 1) {
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] !== length) continue;
      if (code >> length) damaged("too many codes");
      let reversed = 0;
      for (let bit = 0; bit < length; bit++) reversed |= (code >> bit & 1) << (length - 1 - bit);
      for (let at = reversed; at < table.length; at += 1 << length) table[at] = symbol << 4 | length;
      code++;
    }
  }
  return table;
}
const FIXED = [[[8, 144], [9, 112], [7, 24], [8, 8]], [[5, 30]]]
  .map((runs) => codeTable(runs.flatMap(([length, count]) => Array(count).fill(length))));

/** Inflate a stream of RFC 1951 to at most so many bytes. RangeError for one that is damaged, or larger. */
export function inflate(data, most) {
  const out = new Uint8Array(Math.min(most, 1032 * data.length));  // two bits give at most 258 bytes
  let size = 0, at = 0, bits = 0, held = 0;

  function fill(count) {
    for (; held < count && at < data.length; held += 8) bits |= data[at++] << held;
  }
  function taken(count, found) {
    if (count > held) damaged("it ends too early");
    bits >>>= count;
    held -= count;
    return found;
  }
  function take(count) {
    fill(count);
    return taken(count, bits & ((1 << count) - 1));
  }
  function symbol(table) {
    fill(15);  // a code has no more
    const found = table[bits & (table.length - 1)];
    return taken(found & 15 || damaged("no such code"), found >> 4);
  }
  function codes() {
    const literals = take(5) + 257, all = literals + take(5) + 1, given = take(4) + 4;
    const lengths = [], own = Array(19).fill(0);
    for (let nth = 0; nth < given; nth++) own[CODE_LENGTHS[nth]] = take(3);
    for (const table = codeTable(own); lengths.length < all;) {
      const next = symbol(table);
      const times = next < 16 ? 1 : next === 16 ? 3 + take(2) : next === 17 ? 3 + take(3) : 11 + take(7);
      const length = next < 16 ? next : next > 16 ? 0 : lengths.at(-1) ?? damaged("nothing to repeat");
      for (let nth = 0; nth < times; nth++) lengths.push(length);
    }
    if (lengths.length > all) damaged("too many lengths");
    return [codeTable(lengths.slice(0, literals)), codeTable(lengths.slice(literals))];
  }
  function stored() {
    at -= held >> 3;  // bytes of which nothing was taken
    bits = held = 0;
    const length = data[at] | data[at + 1] << 8, start = at + 4;
    at = start + length;
    if (at > data.length || length !== (~(data[start - 2] | data[start - 1] << 8) & 0xFFFF)) damaged("a stored block");
    out.set(data.subarray(start, at), size);  // RangeError if it is too long
    size += length;
  }
  function block(literals, distances) {
    for (let next = symbol(literals); next !== 256; next = symbol(literals)) {
      if (next < 256) out[size++] = next;
      else {
        const [shortest, more] = LENGTHS[next - 257] ?? damaged("no such length"), end = size + shortest + take(more);
        const [nearest, further] = DISTANCES[symbol(distances)] ?? damaged("no such distance");
        let from = size - nearest - take(further);
        if (from < 0) damaged("a distance before the beginning");
        while (size < end) out[size++] = out[from++];
      }
      if (size > out.length) damaged("more than it may be");
    }
  }

  for (let isLast = 0; !isLast;) {
    isLast = take(1);
    const kind = take(2);
    if (kind === 0) stored();
    else block(...(kind === 1 ? FIXED : kind === 2 ? codes() : damaged("no such block")));
  }
  return out.slice(0, size);
}

// --- the cache -------------------------------------------------------------------------------------------------------
/** Promises of pieces, by key. Of more bytes than the budget those go that nobody has asked for the longest. */
class Cache {
  #pieces = new Map(); #bytes = 0;

  constructor(budget) { this.budget = budget; }

  has(key) { return this.#pieces.has(key); }

  /** `load` gives a promise of { value, bytes }. It is called at once: what is asked for together goes together. */
  get(key, load) {
    const piece = this.#pieces.get(key) ?? this.#loading(key, load);
    this.#pieces.delete(key);
    this.#pieces.set(key, piece);
    return piece.promise;
  }

  #loading(key, load) {
    const piece = { bytes: 0 };
    piece.promise = load().then(({ value, bytes }) => {
      this.#bytes += piece.bytes = bytes;
      for (const [old, { bytes: less }] of this.#pieces) {
        if (this.#bytes <= this.budget) break;
        if (less && this.#pieces.delete(old)) this.#bytes -= less;  // without bytes it is still under way
      }
      return value;
    });
    piece.promise.catch(() => this.#pieces.delete(key));
    return piece;
  }
}

// --- the file --------------------------------------------------------------------------------------------------------
const HEAD = 4096;
const START = 32768;  // what is read of a file at first if nothing is known of it
const SMALL = 65536;  // what is no larger is read at once: a file, or all before its chunks, or before its shapes
const PAGE = 4096, ROWS = 511, FORMS = 1024;  // bytes of a page, rows of slices and forms on it
const GAP = 32768, LONGEST = 1 << 20;  // between ranges that are asked for as one, and of such a range
const MOST = 1 << 24;  // bytes of a piece, inflated
const MEN = { K: "WF", Q: "RB", R: "R", B: "B", N: "N", P: "fmWfceFifmnD" };
const u4 = (data, at) => (data[at] | data[at + 1] << 8 | data[at + 2] << 16 | data[at + 3] << 24) >>> 0;
const u8 = (data, at) => 2 ** 32 * u4(data, at + 4) + u4(data, at);
const signed = (low, high) => (low | high << 8) << 16 >> 16;
const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);
/** The nth of `count` numbers in planes. */
function planes(data, at, count, bytes, nth) {
  let found = 0;
  for (let byte = bytes - 1; byte >= 0; byte--) found = 256 * found + data[at + byte * count + nth];
  return found;
}

/** How many sets of k there are among n. */
const choose = (n, k) => n < k ? 0 : k === 0 ? 1 : choose(n - 1, k - 1) * n / k;
/** The number of a set of squares among all of its size, squares below `least` left out. */
const rankOf = (squares, least = 0) => sum([...squares].sort((a, b) => a - b).map((at, nth) => choose(at - least, nth + 1)));
/** By symmetry and square. */
const IMAGE = [0, 1, 2, 3, 4, 5, 6, 7].map((symmetry) => SQUARES.map((square) => {
  const turned = square ^ (symmetry & 1 ? 7 : 0) ^ (symmetry & 2 ? 56 : 0);
  return symmetry & 4 ? (turned & 7) << 3 | turned >> 3 : turned;
}));

/** By family: its symmetries, and the number of each pair of kings, 64 a + b. */
const KINGS = [[0, 1, 2, 3, 4, 5, 6, 7], [0, 1], [0]].map((symmetries) => {
  const smallest = (a, b) => Math.min(...symmetries.map((each) => 64 * IMAGE[each][a] + IMAGE[each][b]));
  const pairs = SQUARES.flatMap((a) => SQUARES.filter((b) => b !== a && !NEAR[a].includes(b)).map((b) => smallest(a, b)));
  return { symmetries, numbers: new Map([...new Set(pairs)].sort((a, b) => a - b).map((pair, nth) => [pair, nth])) };
});

/** Men, { letter: squares }, with another letter or other squares. */
const changed = (men, square, letter = (man) => man) =>
  Object.fromEntries(Object.entries(men).map(([man, squares]) => [letter(man), squares.map(square)]));

/** What a head says, checked. `name`: of the file, if it has one. */
function readHead(text, name) {
  const corrupt = (what) => { throw new TablesError("corrupt_table", `${name || "the file"}: ${what}`, name); };
  const form = /^(tbgen endgame table\n(?:[ -~]*\n)*?)crc32 ([0-9a-f]{8})\n?\0*$/;
  const [, lines, crc] = (text.length <= HEAD && form.exec(text)) || corrupt("not a table");
  if (parseInt(crc, 16) !== crc32(new TextEncoder().encode(lines))) corrupt("its head is damaged");
  const words = new Map(), sections = {};
  for (const line of lines.split("\n").slice(1, -1)) {
    const [, key, of, value] = /^((?:man |section )?([^ ]*)) ?(.*)$/.exec(line);
    if (words.has(key)) corrupt(`its head says ${key} twice`);
    words.set(key, value);
    if (!key.startsWith("section ")) continue;
    const [, offset, length] = /^(\d{1,15}) (\d{1,15})$/.exec(value)?.map(Number) ?? corrupt(`its section ${of}`);
    sections[of] = { offset, length };
  }
  const number = (key, most, least = 0) => {
    const found = /^\d+$/.test(words.get(key)) ? +words.get(key) : -1;
    return found >= least && found <= most ? found : corrupt(`its head has no good ${key}`);
  };
  const { material, rules, keeps, men, order, rows, format, bound } = Object.fromEntries(words);
  if (!format?.startsWith("1.")) corrupt(`it has format ${format}, and this reader knows 1`);
  if (bound !== "complete") corrupt("it is a local table");
  for (const [key, moves] of words) {
    if (key.startsWith("man ") && MEN[key.slice(4)] !== moves) corrupt(`this reader does not know its man ${key.slice(4)}`);
  }
  const [, first, second] = /^K(Q*R*B*N*P*)vK(Q*R*B*N*P*)$/.exec(material) ?? corrupt("its material");
  const all = first + second.toLowerCase(), count = (man) => all.split(man).length - 1;
  const slots = all.replace(/p/gi, ""), pawns = all.replace(/[^p]/gi, ""), pieces = [...new Set(slots)].reverse();
  const slices = choose(48, count("P")) * choose(48, count("p")), pairs = KINGS[pawns ? 2 : 0].numbers.size;
  const most = pieces.reduce((product, man) => product * choose(64, count(man)), 2 * slices * pairs);
  const list = (text, size) => new RegExp(`^\\d{1,20}( \\d{1,20}){${size - 1}}$`).test(text) && text.split(" ").map(BigInt);
  const head = {
    name: name || `${material}.${rules}.h5`, keeps, sections, pieces, isEven: first === second, rows: list(rows, slices),
    numbers: number("numbers", most, 1), width: number("chunk", 65536, 4), group: number("group", 4096, 1),
    distances: number("distances", 255), distanceBytes: number("distance_bytes", 2), shapeBytes: number("shape_bytes", 3),
    formBytes: number("form_bytes", 4), longest: number("longest", MOST), size: number("size", 2 ** 48, HEAD),
  };
  head.order = (list(order, Math.ceil(Math.log2(head.width))) || corrupt("its order")).map(Number);
  head.page = 28 + 8 * head.group;
  const basis = [];  // independent steps lead to all places
  for (const step of head.order) basis.push(basis.reduce((rest, each) => Math.min(rest, rest ^ each), step));
  const isWithin = ({ offset, length }) => offset >= HEAD && length > 0 && offset + length <= head.size;
  if (head.name.replace(".slim", "") !== `${material}.${rules}.h5`) corrupt("it has another name inside");
  if (!/^(both|first|second)$/.test(keeps) || men !== `Kk${slots}${pawns}`) corrupt("its men");
  for (const man of new Set(`K${first}${second}`)) if (words.get(`man ${man}`) !== MEN[man]) corrupt(`its man ${man}`);
  if (2 ** basis.length !== head.width || basis.includes(0) || head.order.some((step) => step >= head.width)) corrupt("its order");
  if (pawns.length > 1 ? sections.slices?.length !== Math.ceil(slices / ROWS) * PAGE : !head.rows) corrupt("its slices");
  if (!Object.values(sections).every(isWithin) || !sections.chunks
    || sections.index?.length !== Math.ceil(head.numbers / head.width / head.group) * head.page) corrupt("its sections");
  return head;
}
let opened = 0;

/** One file, of which source.read(offset, length) gives ranges. It says nothing unchecked. */
class Table {
  #id = ++opened;  // in the keys of the cache
  #waiting = [];
  #start = new Uint8Array(0);  // of the file
  #numbers;  // within a chunk, by place

  constructor(name, source, cache) { Object.assign(this, { name, source, cache }); }

  corrupt(what) { return new TablesError("corrupt_table", `${this.name || "the file"}: ${what}`, this.name); }

  /** `head`: as a catalogue has it. */
  async open(head) {
    this.head = head && readHead(head, this.name);
    const { size: all = this.source.size, sections: { index, chunks } = {} } = this.head ?? {};
    const front = [all, chunks?.offset, index?.offset + index?.length].find((end) => end <= SMALL) ?? (head ? Infinity : START);
    if (front <= SMALL) {
      this.#start = await this.#some(0, front);
      this.head = readHead(String.fromCharCode(...this.#start.subarray(0, HEAD)), this.name);
      if (this.#start.length !== Math.min(front, this.head.size)) throw this.corrupt("it ends too early");
    }
    const size = this.source.size ?? this.head.size;
    if (size !== this.head.size) throw this.corrupt(`it has ${size} bytes, not ${this.head.size}`);
    this.name = this.head.name;
    return this;
  }

  /** A range. Those that are wanted together and lie near each other are asked for at once. */
  #read(offset, length) {
    return new Promise((resolve, reject) => {
      if (!this.#waiting.length) queueMicrotask(() => this.#ask());
      this.#waiting.push({ offset, end: offset + length, resolve, reject });
    });
  }

  #ask() {
    const runs = [];
    for (const part of this.#waiting.splice(0).sort((a, b) => a.offset - b.offset)) {
      const run = runs.at(-1);
      if (run && part.offset - run.end <= GAP && part.end - run.offset <= LONGEST) {
        run.end = Math.max(run.end, part.end);
        run.parts.push(part);
      } else runs.push({ offset: part.offset, end: part.end, parts: [part] });
    }
    for (const run of runs) {
      this.#some(run.offset, run.end - run.offset).then((data) => {
        if (data.length !== run.end - run.offset) throw this.corrupt("it ends too early");
        for (const { offset, end, resolve } of run.parts) resolve(data.subarray(offset - run.offset, end - run.offset));
      }).catch((error) => run.parts.forEach(({ reject }) => reject(error)));
    }
  }

  /** A range of which the file may have the beginning only. */
  async #some(offset, length) {
    const data = await this.source.read(offset, length);
    if (data instanceof Uint8Array && data.length <= length) return data;
    throw new TypeError("read(offset, length) gives a Uint8Array of that length");
  }

  /** A part of a section, once for all who ask: checked, and made into something. */
  #piece(section, offset, length, isRight, make) {
    return this.cache.get(`${this.#id} ${section} ${offset}`, async () => {
      const place = this.head.sections[section];
      if (!place || !(length > 0 && offset + length <= place.length)) throw this.corrupt(`it has no such ${section}`);
      const from = place.offset + offset, end = from + length;
      const data = end <= this.#start.length ? this.#start.subarray(from, end) : await this.#read(from, length);
      if (!isRight(data)) throw this.corrupt(`${section} are damaged, or the file was changed meanwhile`);
      try {
        const value = make(data);
        return { value, bytes: 256 + (value.bytes ?? length) };
      } catch (error) {
        throw error instanceof RangeError ? this.corrupt(`${section} are damaged: ${error.message}`) : error;
      }
    });
  }

  /** What the row of a slice says. */
  async #row(nth) {
    const { rows } = this.head, at = 8 * (nth % ROWS);
    const data = rows ? [] : await this.#piece("slices", Math.floor(nth / ROWS) * PAGE, PAGE,
      (page) => crc32(page.subarray(0, 8 * ROWS)) === u4(page, 8 * ROWS), (page) => page.slice());
    const row = rows?.[nth] ?? (rows ? -1n : BigInt(u4(data, at + 4)) << 32n | BigInt(u4(data, at)));
    const low = Number(row & 0xFFFFn), start = Number(BigInt.asUintN(48, row >> 16n));
    const found = { symmetry: low & 7, swaps: (low & 8) !== 0, family: low >> 4 & 3, flip: (low >> 8 & 15) - 1, start };
    if (found.family > 2 || found.flip > 7 || ((found.swaps || found.flip >= 0) && !this.head.isEven)) throw this.corrupt("a slice is wrong");
    return found;
  }

  /** The number of a position without a capture en passant; null where a slim table leaves it out. */
  async numberOf({ board, white, material: { whiteFirst } }) {
    const { keeps, numbers } = this.head;
    let men = {}, second = white !== whiteFirst;  // to move
    board.forEach((man, square) => man && (men[man] ??= []).push(square));
    if (!whiteFirst) men = changed(men, (square) => square ^ 56, otherCase);
    const { P: pawns = [], p: others = [] } = men;
    const row = await this.#row(rankOf(pawns, 8) * choose(48, others.length) + rankOf(others, 8));
    men = changed(men, (square) => IMAGE[row.symmetry][square], row.swaps ? otherCase : undefined);
    second = second !== row.swaps;
    if (second && row.flip >= 0) [men, second] = [changed(men, (square) => IMAGE[row.flip][square], otherCase), false];
    if (keeps !== "both" && row.flip < 0) {
      if (second !== (keeps === "second")) return null;
      second = false;
    }
    const { symmetries, numbers: pairs } = KINGS[row.family];
    const codes = symmetries.map((each) => 64 * IMAGE[each][men.K[0]] + IMAGE[each][men.k[0]]), pair = Math.min(...codes);
    men = changed(men, (square) => IMAGE[symmetries[codes.indexOf(pair)]][square]);
    let inner = 1, rest = 0;
    for (const man of this.head.pieces) {
      rest += inner * rankOf(men[man]);
      inner *= choose(64, men[man].length);
    }
    const number = row.start + ((second ? pairs.size : 0) + pairs.get(pair)) * inner + rest;
    return number < numbers ? number : Promise.reject(this.corrupt("a slice ends behind the table"));
  }

  /** Where the chunk of a number is, and the list of shapes of its group. */
  async index(number) {
    const { width, group, page, longest, formBytes } = this.head;
    const chunk = Math.floor(number / width), nth = chunk % group;
    const data = await this.#piece("index", Math.floor(chunk / group) * page, page,
      (bytes) => crc32(bytes.subarray(0, -4)) === u4(bytes, page - 4), (bytes) => bytes.slice());
    const lengths = Array.from({ length: nth + 1 }, (_, each) => u4(data, 24 + 4 * each)), length = lengths.pop();
    const shapes = { offset: u8(data, 8), length: u4(data, 16), crc: u4(data, 20), most: Math.min(MOST, group * width * (3 + formBytes)) };
    if (length > 2 * longest + 64 || shapes.length > shapes.most + 64) throw this.corrupt("a piece of it is too large");
    return { offset: u8(data, 0) + sum(lengths), length, crc: u4(data, 24 + 4 * (group + nth)), shapes };
  }

  #shapes({ offset, length, crc, most }) {
    const { formBytes, distances } = this.head;
    return this.#piece("shapes", offset, length, (bytes) => crc32(bytes) === crc, (bytes) => {
      const blocks = inflate(bytes.subarray(4), most), count = u4(bytes, 0), raw = new Uint8Array(blocks.length);
      const wrong = () => { throw this.corrupt("a list of shapes is wrong"); };
      if (length < 5 || raw.length !== count * (3 + formBytes)) wrong();
      for (let at = 0; at < count; at += 256) {
        const some = Math.min(256, count - at), block = blocks.subarray((3 + formBytes) * at, (3 + formBytes) * (at + some));
        block.forEach((byte, nth) => { raw[Math.floor(nth / some) * count + at + nth % some] = byte; });
      }
      const held = raw.subarray(2 * count, 3 * count);  // distances of a position of each shape
      return held.every((each) => each > 0 && each <= distances) ? { raw, count, held, bytes: raw.length } : wrong();
    });
  }

  #chunk({ offset, length, crc }) {
    const { width, longest, shapeBytes } = this.head;
    return this.#piece("chunks", offset, length, (bytes) => crc32(bytes) === crc, (bytes) => {
      const raw = inflate(bytes, longest), shapes = Uint32Array.from(raw.subarray(0, width));
      const escaped = shapes.reduce((count, shape) => count + (shape === 255), 0);
      let nth = 0;
      shapes.forEach((shape, place) => {
        if (shape === 255) shapes[place] += planes(raw, width, escaped, shapeBytes, nth++);
      });
      return { shapes, halves: raw.subarray(width + escaped * shapeBytes), bytes: raw.length + shapes.byteLength };
    });
  }

  /** Fresh outcome and distance of a number, seen by the side to move, and what its staircase is made of. */
  async look(number) {
    const { width, order, distanceBytes, formBytes } = this.head;
    const where = await this.index(number);
    const [{ raw, count, held }, chunk] = await Promise.all([this.#shapes(where.shapes), this.#chunk(where)]);
    this.#numbers ??= order.reduce((numbers, step) => [...numbers, ...numbers.map((each) => each ^ step)], [0]);
    const place = this.#numbers.indexOf(number % width), mine = chunk.shapes[place];
    if (!mine) throw this.corrupt("it does not have this position");
    // Distances are sorted by shape: of how many places are there so many, in all and before this one?
    const all = new Uint32Array(257), before = new Uint32Array(257);
    chunk.shapes.forEach((shape, each) => {
      if (shape > count) throw this.corrupt("a chunk has a shape that is not in the list");
      if (!shape) return;
      all[held[shape - 1]]++;
      if (shape < mine || (shape === mine && each < place)) before[held[shape - 1]]++;
    });
    for (let nth = 255; nth > 0; nth--) [all[nth], before[nth]] = [all[nth] + all[nth + 1], before[nth] + before[nth + 1]];
    if (sum(all) * distanceBytes !== chunk.halves.length) throw this.corrupt("a chunk has another size");
    const halves = Array.from(before.subarray(1, 1 + held[mine - 1]), (first, nth) =>
      planes(chunk.halves, sum(all.subarray(1, nth + 1)) * distanceBytes, all[nth + 1], distanceBytes, first));
    const worth = signed(raw[mine - 1], raw[count + mine - 1]), form = planes(raw, 3 * count, count, formBytes, mine - 1);
    return { outcome: worth >> 1, distance: 2 * halves[0] + (worth & 1), form, halves };
  }

  /** The staircase of what was looked up: { holder, level, outcome, distance }, holder 1 being the side to move. */
  async steps({ distance, form, halves }) {
    if (!form) return [];
    const { raw, count } = await this.#piece("forms", Math.floor(form / FORMS) * PAGE, PAGE,
      (page) => crc32(page.subarray(4)) === u4(page, 0), (page) => {
        const bytes = inflate(page.subarray(4), 2 + FORMS + FORMS * 255 * 4);
        return { raw: bytes, count: bytes[0] | bytes[1] << 8, bytes: bytes.length };
      });
    const lengths = raw.subarray(2, 2 + count), total = sum(lengths), first = 2 + count + sum(lengths.subarray(0, form % FORMS));
    if (form % FORMS >= count || raw.length !== 2 + count + 4 * total) throw this.corrupt("a page of forms is wrong");
    let latest = distance, nth = 0;
    const found = Array.from({ length: lengths[form % FORMS] }, (_, each) => {
      const [how, level, low, high] = [0, 1, 2, 3].map((column) => raw[first + each + column * total]), source = how & 3;
      if (source === 0) latest = distance;
      else if (source > 1) latest = 2 * halves[++nth] + source - 2;
      return { holder: how >> 2, level, outcome: signed(low, high), distance: latest };
    });
    return nth === halves.length - 1 ? found : Promise.reject(this.corrupt("a form has another number of distances"));
  }
}

// --- where files come from -------------------------------------------------------------------------------------------
const CATALOGUE_BYTES = 1 << 24;
const TABLE_NAME = /^K[QRBNP]{0,5}vK[QRBNP]{0,5}\.(r|wg)(\.slim)?\.h5$/;
/** A folder of a web host. */
class Web {
  #running = new Set(); #known;  // what the catalogue says, by name

  constructor(base, settings) { Object.assign(this, { base, settings, wholes: new Cache(settings.whole) }); }

  /** `catalogue`: itself, or its name. It may lack. Names that are not those of tables are left out. */
  async learn(catalogue) {
    const read = async ({ status, body, wrong }) =>
      status === 200 ? JSON.parse(new TextDecoder().decode(await body(CATALOGUE_BYTES))) : wrong(`status ${status}`);
    const found = typeof catalogue !== "string" ? catalogue : await this.request(catalogue, {}, read)
      .catch((error) => error.code === "missing_table" ? null : Promise.reject(error));
    if (!found) return this;
    if (!Array.isArray(found.tables)) throw new TablesError("host", "a catalogue has a list of tables");
    this.#known = new Map(found.tables.filter((table) => TABLE_NAME.test(table?.name)).map((table) => [table.name, table]));
    return this;
  }

  /** What reads a file, and its head if the catalogue has it. */
  file(name) {
    const known = this.#known?.get(name);
    return this.#known && !known ? missing(name) : { source: new WebFile(this, name, known), head: known?.head };
  }

  /** Ask, and have `use` make something of { status, header, body, wrong }. */
  async request(name, headers, use) {
    const url = new URL(name, this.base), { timeout, fetch: ask } = this.settings, stop = new AbortController();
    const stopped = new Promise((resolve) => stop.signal.addEventListener("abort", () => resolve({})));
    const wrong = (what) => { throw new TablesError("host", `${url}: ${what}`); };
    const late = () => stop.abort(new TablesError("host", `${url}: no answer in time`));
    let timer = setTimeout(late, timeout);
    this.#running.add(stop);
    try {
      const response = await ask(url.href, { headers, signal: stop.signal });
      const header = (key) => response.headers.get(key);
      if (response.url && new URL(response.url).origin !== url.origin) wrong("it sends us to another host");
      if (response.status === 404 || response.status === 410) missing(name);
      const body = async (limit, what = `more than ${limit} bytes`) => {
        clearTimeout(timer);
        timer = setTimeout(late, timeout * (1 + limit / 2 ** 20));
        if (!header("Content-Encoding") && Number(header("Content-Length")) > limit) wrong(what);
        const reader = response.body.getReader(), parts = [];
        const next = () => Promise.race([reader.read(), stopped]);  // a body that breaks may never say so
        let size = 0;
        for (let { value } = await next(); value; { value } = await next()) {
          if ((size += value.length) > limit) wrong(what);
          parts.push(value);
        }
        stop.signal.throwIfAborted();
        const all = new Uint8Array(size);
        for (const part of parts.reverse()) all.set(part, size -= part.length);
        return all;
      };
      return await use({ status: response.status, header, body, wrong });
    } catch (error) {
      const reason = stop.signal.aborted ? stop.signal.reason : error;
      return reason instanceof TablesError ? Promise.reject(reason) : wrong(`no answer: ${reason?.cause?.message || reason}`);
    } finally {
      clearTimeout(timer);
      this.#running.delete(stop);
      stop.abort();  // what is left of the answer
    }
  }

  close() { for (const stop of this.#running) stop.abort(new TablesError("host", "these tables are closed")); }
}

/** A file of a web host, in parts; whole where the host gives no parts. */
class WebFile {
  #isWhole = false;

  constructor(web, name, known) { Object.assign(this, { web, name, size: known?.bytes, sha256: known?.sha256 }); }

  async read(offset, length) {
    const last = Math.min(offset + length, this.size ?? Infinity) - 1, { wholes } = this.web;
    const found = this.#isWhole ? { whole: this.#whole() }
      : await this.web.request(this.name, { Range: `bytes=${offset}-${last}` }, async (response) => {
        if (response.status !== 200) return { part: await this.#part(response, offset, last) };
        this.#isWhole = true;
        const isFirst = !wholes.has(this.name), whole = this.#whole(response);
        if (isFirst) await whole;
        return { whole };
      });
    return found.part ?? (await found.whole).subarray(offset, offset + length);
  }

  async #part({ status, header, body, wrong }, first, last) {
    if (status !== 206) wrong(`status ${status}`);
    if (!/^(identity)?$/.test(header("Content-Encoding") ?? "")) wrong("it compresses parts of files");
    const range = header("Content-Range");  // a host of another origin may hide it
    if (range === null) return body(last - first + 1, "it gives more than was asked for");
    const [, from, to, all] = (/^bytes (\d+)-(\d+)\/(\d+)$/.exec(range) ?? []).map(Number);
    if (all !== (this.size ?? all)) wrong(`the file has ${all} bytes, not ${this.size}`);
    if (from !== first || to !== Math.min(last, all - 1)) wrong("it gives another part than was asked for");
    this.size = all;
    return body(to - from + 1, "it gives more than was asked for");
  }

  #whole(response) {
    return this.web.wholes.get(this.name, async () => {
      const value = await (response ? this.#all(response) : this.web.request(this.name, {}, (again) => this.#all(again)));
      return { value, bytes: value.length };
    });
  }

  async #all({ status, body, wrong }) {
    const most = this.web.settings.whole, limit = Math.min(most, this.size ?? most);
    if (status !== 200) wrong(`status ${status}`);
    const data = await body(limit, this.size <= most ? `more than ${limit} bytes`
      : `the host gives no parts of files, and whole this one has more than ${most} bytes (the option "whole")`);
    if (data.length !== (this.size ?? data.length)) wrong(`it has ${data.length} bytes, not ${this.size}`);
    if (this.sha256 && globalThis.crypto?.subtle) {  // browsers have it on safe sites only
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
      const text = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
      if (text !== this.sha256) wrong("its SHA-256 is another than the catalogue's");
    }
    this.size = data.length;
    return data;
  }
}

/** A directory, for Node and Deno. */
class Directory {
  #files = [];

  constructor(path) { this.path = path; }

  async file(name) {
    const { open: openFile } = await import("node:fs/promises");
    const file = await openFile(`${this.path}/${name}`).catch((error) => error.code === "ENOENT" ? missing(name) : Promise.reject(error));
    this.#files.push(file);
    const read = async (offset, length) => {
      const buffer = new Uint8Array(length);
      return buffer.subarray(0, (await file.read(buffer, 0, length, offset)).bytesRead);
    };
    return { source: { size: (await file.stat()).size, read } };
  }

  close() { for (const file of this.#files.splice(0)) file.close(); }
}

/** Tables that are given: Files and Blobs, or whatever reads. */
class Given {
  #sources = new Map();
  async learn(given) {
    for (const each of given) {
      const read = async (offset, length) => new Uint8Array(await each.slice(offset, offset + length).arrayBuffer());
      const source = each.read ? each : { size: each.size, read };
      const { head } = await new Table("", source, new Cache(0)).open();
      this.#sources.set(head.keeps === "both" ? head.name : head.name.replace(".h5", ".slim.h5"), source);
    }
    return this;
  }

  file(name) { return { source: this.#sources.get(name) ?? missing(name) }; }
  close() {}
}

// --- what is asked ---------------------------------------------------------------------------------------------------
const DEFAULTS = {
  rules: "r",
  cache: 32 << 20,  // bytes of pieces that are kept
  whole: 64 << 20,  // bytes of files that are kept whole, because their host gives no parts
  timeout: 30_000,  // milliseconds for an answer, and as much again for each MiB of it
  catalogue: "catalogue.json",
  fetch: (...asked) => fetch(...asked),
};
const MOST_MEN = 6, FIFTY = 100;  // plies
/** `where`: a folder's address, a directory's path, a File, what has read(offset, length), or a list of these two. */
export async function open(where, options = {}) {
  const settings = { ...DEFAULTS, ...options }, isPage = "document" in globalThis || "WorkerGlobalScope" in globalThis;
  if (typeof where !== "string" && !(where instanceof URL)) {
    return new Tables(await new Given().learn(where.read || where.arrayBuffer ? [where] : where), settings);
  }
  if (!isPage && !/^[a-z]{2,}:\/\//i.test(where)) return new Tables(new Directory(where), settings);
  const url = new URL(where, globalThis.document?.baseURI ?? globalThis.location?.href);
  if (url.protocol === "file:") return new Tables(new Directory((await import("node:url")).fileURLToPath(url)), settings);
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return new Tables(await new Web(url, settings).learn(settings.catalogue), settings);
}

class Tables {
  #folder; #settings; #cache; #tables = new Map();

  constructor(folder, settings) { [this.#folder, this.#settings, this.#cache] = [folder, settings, new Cache(settings.cache)]; }

  /** What a position is worth. */
  probe(fen, options) { return this.#ask(fen, options, (question) => this.#answer(question)); }

  /** The same with all moves, best first. Those that lead to a missing table come last. */
  moves(fen, options) {
    return this.#ask(fen, options, async (question) => {
      const { position, standing, rules } = question;
      const [answer, { known, unknown }] = await Promise.all([this.#answer(question), this.#worths(position, standing, rules)]);
      const row = ({ move, outcome, dtg = null, reset, record, missing }) => ({
        uci: move.uci, san: position.san(move), gscore: outcome ? textOf(outcome) : null, dtg, reset,
        record: record ? textOf(record) : null, ...(missing && { missing }),
        fen: move.after.fen(record ?? standingAt(move.after, reset ? null : standing)),
      });
      return { ...answer, moves: [...known, ...unknown].map(row) };
    });
  }

  /** The same with best play to the goal that decides. */
  line(fen, options) {
    return this.#ask(fen, options, async (question) => {
      const answer = await this.#answer(question), line = [];
      let { position, standing } = question;
      for (let left = answer.dtg; left > 0; left--) {
        const { known, unknown } = await this.#worths(position, standing, question.rules);
        const best = known.find(({ outcome, dtg }) => outcome === answer.outcome && dtg === left) ?? (unknown.length ? null : known[0]);
        if (!best) throw unknown[0]?.error ?? new TablesError("corrupt_table", `${answer.material}: play goes on after the end`);
        standing = best.record;
        line.push({ uci: best.move.uci, san: position.san(best.move), record: textOf(standing) });
        position = best.move.after;
      }
      return { ...answer, line };
    });
  }

  /** What a position is worth under every record, from White's best to Black's. */
  staircase(fen, options) {
    return this.#ask(fen, options, async ({ position, standing, rules }) => {
      const held = Array.from({ length: Math.max(0, position.level - FIRST_RECORD + 1) }, (_, nth) => BASE - FIRST_RECORD - nth);
      const records = [...held, ...held.map((record) => -record).reverse()];
      const [node] = await this.#nodes([{ position, records: [standing, ...records] }], rules);
      const under = (record) => {
        const { outcome, dtg } = worth(node, record, rules);
        return { record: textOf(record), gscore: textOf(outcome), dtg };
      };
      const { record, gscore } = under(standing), { name: material } = position.material;
      return { fen, material, gscore, record, staircase: records.map(under) };
    });
  }

  /** Leave connections and files. */
  close() { this.#folder.close(); }

  /** `work` answers a question. Whoever waits no more (`signal`) leaves what is under way to others. */
  async #ask(fen, { record = null, rules = this.#settings.rules, signal } = {}, work) {
    if (rules !== "r" && rules !== "wg") refuse(`rules are r or wg, not ${shown(String(rules))}`);
    const { position, ...read } = Position.read(fen, rules === "wg");
    const given = record === null ? read.record : position.checked(parseOutcome(record));
    const dropped = record === null ? read.dropped : null;
    signal?.throwIfAborted();
    const left = new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    return Promise.race([work({ fen, position, standing: standingAt(position, given), dropped, rules }), left]);
  }

  async #answer({ fen, position, standing, dropped, rules }) {
    const [node] = await this.#nodes([{ position, records: [standing] }], rules), { outcome, dtg } = worth(node, standing, rules);
    return {
      fen, material: position.material.name, gscore: textOf(outcome), winner: outcome > 0 ? "white" : "black", dtg,
      exact: true, record: textOf(standing), stands: outcome === standing, late: dtg > 0 && position.clock + dtg > FIFTY,
      outcome, ...(dropped !== null && { dropped: textOf(dropped) }),
    };
  }

  /** What the moves of a position are worth, best first, and those of which that is not known. */
  async #worths(position, standing, rules) {
    const asked = position.moves.map((move) => ({ position: move.after, records: [recordAfter(move, standing, rules)] }));
    const nodes = await this.#nodes(asked, rules, true), unknown = [], known = [];
    position.moves.forEach((move, nth) => {
      const { missing: error } = nodes[nth];
      if (error) unknown.push({ move, reset: resets(move, rules), missing: error.table, error });
      else known.push(worthOfMove(move, nodes[nth], standing, rules));
    });
    return { known: ranked(known, position, standing), unknown };
  }

  /** What tables hold of positions, as far as these records need it, asked for in rounds: all that says where, then all
   * that is there. `partial`: a missing table is noted in the node, and no error. */
  async #nodes(asked, rules, partial = false) {
    const leaves = [], each = (work) => Promise.all(leaves.map(work));
    try {
      const nodes = await Promise.all(asked.map(({ position, records }) => this.#node(position, records, rules, leaves)));
      const lacking = nodes.find((node) => node.missing);
      if (lacking && !partial) throw lacking.missing;
      await each(({ table, number }) => table.index(number));
      await each(async (leaf) => { leaf.entry = await leaf.table.look(leaf.number); });
      await each(async (leaf) => { leaf.steps = needsSteps(leaf, rules) ? await leaf.table.steps(leaf.entry) : []; });
      return nodes;
    } catch (error) {
      if (error.code === "corrupt_table") this.#tables.clear();  // they may be others next time
      throw error;
    }
  }

  /** { position, records } with `table` and `number`; or, where no table has it, with the nodes after its moves as
   * `children`; or with the error `missing`; or with none of these where the game is over. */
  async #node(position, records, rules, leaves) {
    const node = { position, records }, { name, men } = position.material, mine = [];
    const unsupported = (what) => { throw new TablesError("unsupported_position", what); };
    if (position.isOver) return node;
    if (position.castling !== "-") unsupported(`tables know no castling: ${position.castling}`);
    if (men > MOST_MEN) unsupported(`too many men: ${men}, and tables have ${MOST_MEN} at most`);
    try {
      node.table = position.hasPassant ? null : await this.#table(name, rules);
      node.number = await node.table?.numberOf(position) ?? null;
    } catch (error) {
      return error.code === "missing_table" ? { ...node, missing: error } : Promise.reject(error);
    }
    if (node.number !== null) {
      leaves.push(node);
      return node;
    }
    const after = (move) => records.map((record) => recordAfter(move, standingAt(position, record), rules));
    node.children = await Promise.all(position.moves.map((move) => this.#node(move.after, after(move), rules, mine)));
    node.missing = node.children.find((child) => child.missing)?.missing;
    if (!node.missing) leaves.push(...mine);
    return node;
  }

  #table(material, rules) {
    const name = `${material}.${rules}.h5`;
    if (!this.#tables.has(name)) {
      this.#tables.set(name, this.#open(name));
      this.#tables.get(name).catch((error) => error.code === "missing_table" || this.#tables.delete(name));
    }
    return this.#tables.get(name);
  }

  async #open(name) {
    for (const each of [name, name.replace(".h5", ".slim.h5")]) {
      try {
        const { source, head } = await this.#folder.file(each);
        return await new Table(each, source, this.#cache).open(head);
      } catch (error) {
        if (error.code !== "missing_table") throw error;
      }
    }
    return missing(name);
  }
}
const resets = (move, rules) => rules === "r" && move.zeroing;
const standingAt = (position, record) => record === null ? position.goal : improved(record, position.goal);
const recordAfter = (move, standing, rules) => resets(move, rules) ? null : standing;
/** Whether only a staircase says what a position is worth. */
function needsSteps({ position, records, entry }, rules) {
  const standings = records.map((record) => standingAt(position, record));
  return rules === "r" && standings.some((each) => each !== position.goal && levelOf(entry.outcome) >= levelOf(each));
}

/** Outcome and distance of a node under a record; null: its own goal. */
function worth({ position, entry, steps, children, table }, record, rules) {
  const standing = standingAt(position, record), sign = position.white ? 1 : -1, under = sign * standing;
  if (position.isOver) return { outcome: position.goal, dtg: 0 };
  if (children) {
    const moves = position.moves.map((move, nth) => worthOfMove(move, children[nth], standing, rules));
    const [{ outcome, dtg }] = ranked(moves, position, standing);
    return { outcome, dtg: outcome === standing ? 0 : dtg };
  }
  const { outcome, distance } = entry;
  if (!(levelOf(outcome) >= 0 && levelOf(outcome) <= MOST_LEVEL) || (!distance && sign * outcome !== position.goal)) {
    throw table.corrupt("it has an outcome that cannot be");
  }
  if (standing === position.goal || levelOf(outcome) < levelOf(standing)) return { outcome: sign * outcome, dtg: distance };
  const step = steps.filter(({ holder, level }) => holder === (under > 0 ? 1 : 0) && level <= levelOf(standing)).at(-1);
  const isBetter = step && (under > 0 ? step.outcome < under : step.outcome > under);
  return isBetter ? { outcome: sign * step.outcome, dtg: step.distance } : { outcome: standing, dtg: 0 };
}

/** What a move leads to: outcome, plies from before the move (0: the record stands throughout), the record after it. */
function worthOfMove(move, node, standing, rules) {
  const reset = resets(move, rules), given = recordAfter(move, standing, rules), record = standingAt(move.after, given);
  const { outcome, dtg } = worth(node, given, rules);
  return { move, outcome, dtg: !reset && record === standing && outcome === standing ? 0 : dtg + 1, reset, record };
}

/** Moves, best first: of equal outcomes the nearest, or the farthest if worse than the record; then by name. */
function ranked(moves, position, standing) {
  const sign = position.white ? 1 : -1;
  const order = (a, b) => sign * (b.outcome - a.outcome)
    || (sign * a.outcome >= sign * standing ? a.dtg - b.dtg : b.dtg - a.dtg) || (a.move.uci < b.move.uci ? -1 : 1);
  return moves.sort(order);
}
