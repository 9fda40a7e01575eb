// The explorer of a folder that any web host serves: its tables tell, read from here a few kilobytes at a time.

import { explore } from "./explorer.js";
import { lineAsPgn } from "./pgn.js";
import { open } from "./rmtb.js";
import { board } from "./tables.js";

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
const opened = known.then((catalogue) => open(FOLDER, { fetch: counted, catalogue }));

explore({
  ask: async (question, signal) => board(await opened, question, signal),
  async materials(rules) {
    const names = (await known).tables.map(({ name }) => name.split(".")).filter((parts) => parts[1] === rules);
    return [...new Set(names.map(([material]) => material))];
  },
  material: (name, rules) => `pages/${name}.${rules}.html`,
  pgn: (told) => `data:application/x-chess-pgn,${encodeURIComponent(lineAsPgn(told, program))}`,
}).catch((error) => {
  document.getElementById("panel").removeAttribute("aria-busy");
  document.getElementById("panel").textContent = `No answer: ${error.message}`;
});
