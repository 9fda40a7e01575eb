// What is clicked, pointed at and typed on the explorer's page.

import { isPressing, isTyping } from "./board.js";

const panel = document.getElementById("panel");

// `deeds`: { play(link), showLine(), playLine(links, nth), point(uci) }
export function listenToPanel(deeds) {
  panel.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    if (!link.matches("a.move, #show-line, [data-line]")) return;
    event.preventDefault();
    if (link.matches("a.move")) deeds.play(link);
    else if (link.id === "show-line") deeds.showLine();
    else {
      const line = [...panel.querySelectorAll("[data-line]")];
      deeds.playLine(line, line.indexOf(link));
    }
  });
  const pointed = ({ target }) => target.closest?.("a.move")?.dataset.uci ?? null;
  for (const kind of ["pointerover", "pointerout", "focusin", "focusout"]) {
    panel.addEventListener(kind, (event) => deeds.point(kind.endsWith("out") ? null : pointed(event)));
  }
}

// Steps that were played, and what a challenge offers. `deeds`: { jump(step), try(challenge), ...by name }
export function listenToTale(elements, deeds) {
  for (const around of elements) {
    around.addEventListener("click", (event) => {
      const { step, do: deed, try: place } = event.target.dataset;
      if (step === undefined && place === undefined && !deed) return;
      event.preventDefault();
      if (deed) deeds[deed](); else if (place) deeds.try(Number(place)); else deeds.jump(Number(step));
    });
  }
}

// `deeds`, by the names of keys.
export function listenToKeys(deeds) {
  addEventListener("keydown", (event) => {
    if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " " && isPressing(event.target)) return;
    const deed = deeds[event.key];
    if (deed) { event.preventDefault(); deed(); }
  });
}
