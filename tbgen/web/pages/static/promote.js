// What a pawn becomes.

import { button } from "./board.js";

const dialog = document.getElementById("promote");

// `play` takes one of the links to moves; `leave` is called when the question is closed.
export function promote(links, play, leave) {
  dialog.replaceChildren(...links.map((link) =>
    button(link.querySelector("b").textContent, "", () => { dialog.close(); play(link); })));
  dialog.onclose = leave;
  dialog.onclick = (event) => { if (event.target === dialog) dialog.close(); };  // beside it: a phone has no Escape
  dialog.showModal();
}
