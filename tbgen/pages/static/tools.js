// What stands below the board: steps, the best move, who plays.

import { button, row } from "./board.js";

// `deeds`: what each does; `against` takes the colour that the tables are to play, or "".
export function makeTools(element, deeds) {
  const made = {
    back: button("Take back (left arrow)", "back", deeds.back, "◀"),
    forward: button("Step forward along the line (right arrow)", "forward", deeds.forward, "▶"),
    best: button("Play the best move (space)", "best", deeds.best, "Best move"),
    flip: button("Flip the board (f)", "turn", deeds.flip, "Flip"),
    edit: button("Set up a position (e)", "edit", deeds.edit, "Set up"),
    against: document.createElement("select"),
  };
  made.against.id = "against";
  made.against.append(new Option("both sides by hand", ""), new Option("tables play Black", "black"), new Option("tables play White", "white"));
  made.against.setAttribute("aria-label", "Play against the tables");
  made.against.addEventListener("change", () => deeds.against(made.against.value));
  element.append(row(...Object.values(made)));
  return made;
}
