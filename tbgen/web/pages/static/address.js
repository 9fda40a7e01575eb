// The address of a position on the explorer's page.

export function addressOf({ fen, moves = [], rules, line = false, challenge }) {
  const written = encodeURIComponent(fen.replaceAll(" ", "_")).replaceAll("%2F", "/");
  return `?fen=${written}${moves.length ? `&moves=${moves}` : ""}&rules=${rules}${line ? "&line=1" : ""}` +
    (challenge ? `&challenge=${challenge}` : "");
}
