// Copying the page's address. Browsers give the clipboard to safe sites only: elsewhere the address is shown.

export async function copyLink(told) {
  try {
    await navigator.clipboard.writeText(location.href);
    told("Link copied");
  } catch {
    prompt("A link to this position:", location.href);
  }
}
