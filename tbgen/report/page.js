"use strict";

// A click on a column's head sorts by it, another one turns the order round. Numbers bear their value, words are
// compared as words; what has no value comes last either way.
function sort(head) {
  const column = [...head.parentNode.children].indexOf(head);
  const body = head.closest("table").tBodies[0];
  const isNumber = head.classList.contains("number");
  const known = head.getAttribute("aria-sort");
  const direction = known ? (known === "ascending" ? -1 : 1) : (isNumber ? -1 : 1);
  const value = (row) => isNumber ? row.cells[column].dataset.value : row.cells[column].textContent;
  const rows = [...body.rows].map((row) => [value(row), row]);
  rows.sort(([a], [b]) => {
    if (a === "" || b === "") return (a === "") - (b === "");
    return direction * (isNumber ? a - b : a.localeCompare(b, "en", { numeric: true }));
  });
  body.append(...rows.map(([, row]) => row));
  for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
}

// Rows stay that have all the words somewhere.
function filter(input) {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const body = input.parentNode.querySelector(`#${CSS.escape(input.dataset.table)}`).tBodies[0];
  for (const row of body.rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
  }
}

// A link may lead into something that is shut.
function open() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let node = target; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
  if (target) target.scrollIntoView();
}

for (const head of document.querySelectorAll("th")) head.firstChild.addEventListener("click", () => sort(head));
for (const input of document.querySelectorAll(".filter")) input.addEventListener("input", () => filter(input));
addEventListener("hashchange", open);
open();
