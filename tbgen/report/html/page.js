// What the other scripts share.

document.documentElement.classList.add("js");

const make = (tag, properties = {}, ...inside) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...inside);
  return made;
};

const press = (words, onClick, label = words) => {
  const made = make("button", { type: "button", textContent: words });
  if (label !== words) {
    made.setAttribute("aria-label", label);
    made.title = label;
  }
  made.addEventListener("click", onClick);
  return made;
};

function save(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// Where a link leads on this page; null if nowhere, as one that is mistyped.
function targetOf(hash) {
  try { return document.getElementById(decodeURIComponent(hash.slice(1))); } catch { return null; }
}

// A link may lead into something that is shut.
function open() {
  const target = targetOf(location.hash);
  for (let node = target; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
  if (target) target.scrollIntoView();
}
addEventListener("hashchange", open);
addEventListener("load", open);
