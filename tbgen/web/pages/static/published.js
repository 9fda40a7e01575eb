// The explorer of a folder that any web host serves: its tables tell, read from here a few kilobytes at a time.

import { explore } from "./explorer.js";

const FOLDER = new URL("../../", import.meta.url);  // of this file's own folder, pages/static
const program = document.querySelector("meta[name=generator]").content;
let whole = 0;  // bytes of tables that came whole

// As fetch does, but it notices where the host gives no parts of files.
async function counted(address, options) {
  const answer = await fetch(address, options);
  if (options.headers.Range && answer.status === 200) {
    whole += Number(answer.headers.get("Content-Length") ?? 0);
    note.hidden = false;
    note.textContent = `This host gives no parts of files: each table comes whole, ${Math.ceil(whole / 1e3).toLocaleString("en")} kB so far.`;
  }
  return answer;
}

const note = Object.assign(document.createElement("p"), { className: "note", hidden: true });
note.setAttribute("role", "status");
document.querySelector(".explorer").before(note);

// The catalogue says much that nobody needs here, a kilobyte a table.
const known = fetch(new URL("pages/tables.json", FOLDER)).then((answer) => answer.json());
// What reads tables is asked for after the page has shown what it knows.
const first = location.search ? null : JSON.parse(document.getElementById("told")?.textContent ?? "null");
let opened = null, lineAsPgn = null;
async function tables() {
  const [{ open }, { board }, pgn, catalogue] = await Promise.all([import("./rmtb.js"), import("./tables.js"), import("./pgn.js"), known]);
  ({ lineAsPgn } = pgn);
  opened ??= open(FOLDER, { fetch: counted, catalogue });
  return { opened: await opened, board };
}

explore({
  async ask(question, signal) {
    const { opened: there, board } = await tables();
    return board(there, question, signal);
  },
  async materials(rules) {
    const names = (await known).tables.map(({ name }) => name.split(".")).filter((parts) => parts[1] === rules);
    return [...new Set(names.map(([material]) => material))];
  },
  listing: (rules) => `pages/materials.${rules}.html`,
  material: (name, rules) => `pages/${name}.${rules}.html`,
  pgn: (told) => `data:application/x-chess-pgn,${encodeURIComponent(lineAsPgn(told, program))}`,
}, first).then(tables).catch((error) => {
  document.documentElement.classList.remove("elsewhere");
  document.getElementById("panel").removeAttribute("aria-busy");
  document.getElementById("panel").textContent = `No answer: ${error.message}`;
});
