// A button that copies the page's address. Browsers give the clipboard to safe sites only: elsewhere the address is shown.

import { button } from "./board.js";

const WORDS = "Copy link", COPIED = "Link copied";
const SHOWN = 3000;  // milliseconds

// `tell` says it to those who do not see the button.
export function linkButton(tell) {
  const made = button("Copy a link to this position", "link", async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      made.textContent = COPIED;
      setTimeout(() => { made.textContent = WORDS; }, SHOWN);
      tell(COPIED);
    } catch {
      prompt("A link to this position:", location.href);
    }
  }, WORDS);
  return made;
}
