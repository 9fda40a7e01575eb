// What stands below the board: steps, the best move, who plays.

import { button, row } from "./board.js";

// `deeds`: what each does; `against` takes the colour that the tables are to play, or "".
export function makeTools(element, deeds) {
  const back = button("Take back (left arrow)", "back", deeds.back, "◀");
  const forward = button("Step forward along the line (right arrow)", "forward", deeds.forward, "▶");
  const best = button("Play the best move (space)", "best", deeds.best, "Best move");
  const flip = button("Flip the board (f)", "turn", deeds.flip, "Flip");
  const edit = button("Set up a position (e)", "edit", deeds.edit, "Set up");
  const against = document.createElement("select");
  against.id = "against";
  against.append(new Option("both sides by hand", ""), new Option("tables play Black", "black"), new Option("tables play White", "white"));
  against.setAttribute("aria-label", "Play against the tables");
  against.addEventListener("change", () => deeds.against(against.value));
  const bar = row(back, forward, best, flip, edit);
  bar.classList.add("steps");
  element.append(bar, against);
  return {
    edit,
    against,
    // `isThere`: the goal is on the board. `best`: the best move's name, if there is one that may be told.
    draw({ isFirst, isLast, isThere, best: name }) {
      back.disabled = isFirst;
      best.disabled = !name;
      best.textContent = name ? `Play ${name}` : "Best move";
      best.setAttribute("aria-label", name ? `Play ${name}, the best move (space)` : "Best move");
      forward.disabled = isLast && (isThere || !name);
    },
  };
}
