// Types of rmtb.js. README.md says what the words mean.

export type Rules = "r" | "wg";
export type Code = "bad_input" | "unsupported_position" | "missing_table" | "corrupt_table" | "host";
type Fetch = (address: string, options: { headers: Record<string, string>; signal: AbortSignal }) => Promise<Response>;

export class TablesError extends Error {
  constructor(code: Code, message: string, table?: string);
  readonly code: Code;
  /** The name of its file, where one table is meant. */
  readonly table?: string;
}

/** Whatever reads a file. */
export interface Source {
  /** Bytes of the file, if known. */
  readonly size?: number;
  /** So many bytes, fewer only where the file ends. */
  read(offset: number, length: number): Uint8Array | Promise<Uint8Array>;
}

export interface Catalogue {
  tables: { name: string; bytes: number; sha256: string; head?: string }[];
}

export interface Options {
  /** Of the tables that are asked; "r" unless given. */
  rules?: Rules;
  /** Bytes of pieces that are kept; 32 MiB. */
  cache?: number;
  /** Bytes of whole files that are kept, where a host gives no parts of files; 64 MiB. */
  whole?: number;
  /** Milliseconds for an answer, and as much again for each MiB of it; 30,000. */
  timeout?: number;
  /** A web host's catalogue, or its name, "catalogue.json"; null for a host without one. */
  catalogue?: string | Catalogue | null;
  /** In place of the global one. */
  fetch?: Fetch;
}

export interface Question {
  /** The record of the game so far, such as "-G3.5"; it counts in place of the FEN's. */
  record?: string | null;
  rules?: Rules;
  signal?: AbortSignal;
}

export interface Answer {
  fen: string;
  material: string;
  gscore: string;
  winner: "white" | "black";
  /** Plies to the goal that decides; 0 if the record stands. */
  dtg: number;
  exact: true;
  record: string;
  stands: boolean;
  late: boolean;
  /** 512 - level for White, level - 512 for Black. */
  outcome: number;
  /** The FEN's record, if it does not count. */
  dropped?: string;
}

export interface Move {
  uci: string;
  san: string;
  /** null where a table is missing. */
  gscore: string | null;
  dtg: number | null;
  reset: boolean;
  record: string | null;
  /** The table that is missing. */
  missing?: string;
  /** The position after it, with the record. */
  fen: string;
}

export interface LineMove {
  uci: string;
  san: string;
  record: string;
}

export interface Staircase {
  fen: string;
  material: string;
  gscore: string;
  record: string;
  staircase: { record: string; gscore: string; dtg: number }[];
}

export interface Tables {
  probe(fen: string, question?: Question): Promise<Answer>;
  moves(fen: string, question?: Question): Promise<Answer & { moves: Move[] }>;
  line(fen: string, question?: Question): Promise<Answer & { line: LineMove[] }>;
  staircase(fen: string, question?: Question): Promise<Staircase>;
  close(): void;
}

export function open(where: string | URL | Source | Blob | Iterable<Source | Blob>, options?: Options): Promise<Tables>;

/** A position of chess, and its legal moves without castling. */
export class Position {
  /** What a FEN says, with the record as its seventh field or without. `wholeGame`: nothing resets the record. */
  static read(fen: string, wholeGame?: boolean): { position: Position; record: number | null; dropped: number | null };
  readonly white: boolean;
  readonly moves: { uci: string; zeroing: boolean; after: Position }[];
  readonly inCheck: boolean;
  readonly isOver: boolean;
  /** Twice the G-score. */
  readonly level: number;
  san(move: Position["moves"][number]): string;
  /** With a record, an outcome. */
  fen(record: number): string;
}

export function crc32(data: Uint8Array): number;
export function inflate(data: Uint8Array, most: number): Uint8Array;
