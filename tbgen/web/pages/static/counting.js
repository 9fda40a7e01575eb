// Pages of tables that are being counted look again by themselves, until nothing is.

const EVERY = 2000;  // milliseconds
const isWaiting = () => document.getElementById("counting") !== null;
const again = () => { if (isWaiting()) setTimeout(look, EVERY); };

async function look() {
  try {
    const answer = await fetch(location.href);
    take(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch { /* no answer: the next one may come */ }
  again();
}

// Row by row, where the page has the same rows: what is read and where the focus is stay as they are.
function take(page) {
  const [old, made] = [document, page].map((one) => [...one.querySelectorAll("tr, #counting")]);
  if (!page.querySelector("main") || !page.title) return;
  if (old.length !== made.length) document.querySelector("main").replaceChildren(...page.querySelector("main").childNodes);
  else old.forEach((one, place) => { if (one.outerHTML !== made[place].outerHTML) one.replaceWith(made[place]); });
}

again();
