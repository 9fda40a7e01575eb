// Tables: sorted by a click on a column's head, filtered, and saved as CSV. Long charts are filtered by their labels.

// Numbers bear their value where they are written otherwise.
const valueOf = (cell) => cell.dataset.v ?? cell.textContent.replaceAll(",", "");

// Another click turns the order round. What has no value comes last either way.
function sort(head) {
  const column = [...head.parentNode.children].indexOf(head);
  const body = head.closest("table").tBodies[0];
  const isNumber = head.classList.contains("number");
  const known = head.getAttribute("aria-sort");
  const direction = known ? (known === "ascending" ? -1 : 1) : (isNumber ? -1 : 1);
  const value = (row) => isNumber ? valueOf(row.cells[column]) : row.cells[column].textContent;
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
  for (const row of document.getElementById(input.dataset.of).querySelectorAll("tbody tr, .stack > li")) {
    const text = (row.querySelector("th, b") ?? row).textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
  }
}

// The same as `tbgen report --format csv --table NAME` writes.
function asCsv(table) {
  const heads = [...table.tHead.rows[0].cells];
  const field = (cell, { kind }) => kind === "link" ? (cell.firstChild?.hash ?? "").replace("#line-", "")
    : ["text", "fen", "gscore"].includes(kind) ? cell.textContent : valueOf(cell);
  const quoted = (words) => /[",\n]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words;
  const rows = [...table.tBodies[0].rows].map((row) => heads.map((head, at) => field(row.cells[at], head.dataset)));
  return [heads.map((head) => head.dataset.key), ...rows].map((row) => row.map(quoted).join(",") + "\n").join("");
}

for (const input of document.querySelectorAll(".filter")) input.addEventListener("input", () => filter(input));
for (const head of document.querySelectorAll(".data th")) head.firstChild.addEventListener("click", () => sort(head));
for (const table of document.querySelectorAll(".data")) {
  const name = table.id.replace("table-", "");
  const scroll = table.parentNode;
  const above = make("div", { className: "above" });
  scroll.before(above);
  if (above.previousElementSibling?.tagName === "H3") above.append(above.previousElementSibling);
  const input = scroll.parentNode.querySelector(".filter");
  if (input) above.append(input);
  above.append(press("CSV", () => save(`${name}.csv`, asCsv(table), "text/csv"), `Save as CSV: ${scroll.ariaLabel}`));
}
