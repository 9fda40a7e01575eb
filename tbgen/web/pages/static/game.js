// Games as PGN: pasted, opened, shown, annotated. The page stays, and with it what was typed; a reload finds both again.

import { alarm, refusal, remember } from "./board.js";
import { view } from "./viewer.js";

const form = document.getElementById("pgn-form");
const pgn = document.getElementById("pgn");
const open = document.getElementById("open");
const wrong = document.getElementById("wrong");

const kept = { ...history.state };  // what is typed; what was sent last, and where the viewer stands in it
const note = (change) => remember(Object.assign(kept, change));

document.getElementById("open-label").hidden = false;
open.addEventListener("change", async () => {
  const [file] = open.files;
  if (!file) return;
  note({ typed: pgn.value = await file.text() });
  form.requestSubmit();
});
pgn.addEventListener("input", () => note({ typed: pgn.value }));

let waiting = null;

async function send(address, fields, place) {
  waiting?.abort();
  waiting = new AbortController();
  form.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(address, { method: "POST", body: new URLSearchParams(fields), signal: waiting.signal });
    if (answer.headers.get("content-type")?.startsWith("text/html")) take(await answer.text(), fields, place);
    else if (answer.ok) save(await answer.blob());
    else throw new Error(await refusal(answer));
  } catch (error) {
    if (error.name === "AbortError") return;
    wrong.replaceChildren(alarm(`No answer: ${error.message}`));
  }
  form.removeAttribute("aria-busy");
}

function take(html, fields, place) {
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const id of ["wrong", "shown"]) {
    document.getElementById(id).replaceChildren(...page.getElementById(id).childNodes);
  }
  form.closest("details").open = page.querySelector("details").open;
  note({ sent: fields, place });
  view((now) => note({ place: now }), place);
}

function save(blob) {
  wrong.replaceChildren();
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: "annotated.pgn" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  send(event.submitter?.formAction ?? form.action, Object.fromEntries(new FormData(form, event.submitter)));
});

if (kept.typed) pgn.value = kept.typed;
if (kept.sent) {
  document.getElementById("game-rules").value = kept.sent.rules;
  send(form.action, kept.sent, kept.place);
} else {
  view(() => {});  // a game that was sent before this script was there
}
