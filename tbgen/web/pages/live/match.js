// A match: the state that is in the page, and then every second the one that lies beside it.

import { colour, counted, isWhites, levelOf, meaning, plies } from "./words.js";

const PAUSE = 1000, IDLE = 30000, RELOAD = 5000;
const LINGER = 8000;  // for a last look at a game that has just ended
const ROLES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
const FROM_DISK = location.protocol === "file:";
const byId = (id) => document.getElementById(id);

let state = JSON.parse(byId("state").textContent);
let received = performance.now();
let chosen = null;    // the round on the board; null: the first that runs, or the last that is over
let ended = null;     // the round that was on the board by itself and is over; and when it was
let endedAt = 0;
let ply = null;       // null: the last one, also when there are more
let flipped = false;
let story = null;     // what was played in the game on the board
let storyOf = "";     // its file, and how many plies of it are known

// Elements with words, never with markup: what engines are called and say is theirs.
function made(tag, words = "", className = "") {
  const element = document.createElement(tag);
  element.textContent = words;
  element.className = className;
  return element;
}

function badge(gscore) {
  const element = made("span", gscore, `badge ${colour(gscore)}`);
  element.title = meaning(gscore);
  return element;
}

// The board.

function squaresOf(placement) {
  const found = new Map();
  placement.split("/").forEach((row, above) => {
    let file = 0;
    for (const sign of row) {
      if (/\d/.test(sign)) file += Number(sign);
      else found.set("abcdefgh"[file++] + (8 - above), sign);
    }
  });
  return found;
}

const changesOf = (words) => words.match(/[a-h][1-8]./g) ?? [];

function move(squares, words) {
  for (const change of changesOf(words)) {
    if (change[2] === ".") squares.delete(change.slice(0, 2));
    else squares.set(change.slice(0, 2), change[2]);
  }
}

function put(element, name, turned, className) {
  const file = "abcdefgh".indexOf(name[0]), rank = name[1] - 1;
  element.className = className;
  element.style.transform = `translate(${100 * (turned ? 7 - file : file)}%, ${100 * (turned ? rank : 7 - rank)}%)`;
  return element;
}

function drawBoard(element, squares, changes, turned = false) {
  const frame = document.createElement("cg-container"), board = document.createElement("cg-board");
  for (const change of changesOf(changes)) board.append(put(document.createElement("square"), change, turned, "last-move"));
  for (const [name, sign] of squares) {
    const white = sign === sign.toUpperCase();
    board.append(put(document.createElement("piece"), name, turned, `${white ? "white" : "black"} ${ROLES[sign.toLowerCase()]}`));
  }
  frame.append(board);
  if (element.id === "board") frame.append(letters("files", "abcdefgh", turned), letters("ranks", "12345678", turned));
  element.replaceChildren(frame);
}

// Of the squares, as chessground has them.
function letters(kind, all, turned) {
  const found = made("coords", "", `${kind}${turned ? " black" : ""}`);
  found.append(...[...all].map((one) => made("coord", one)));
  return found;
}

// Clocks and players.

const now = () => state.at + (performance.now() - received) / 1000;

function clockOf({ left, since }) {
  const used = since === null || state.state !== "running" ? 0 : Math.max(0, now() - since);
  if (left === null) return since === null ? "" : `${used.toFixed(0)} s`;
  const rest = Math.max(0, left - used);
  if (rest < 20) return rest.toFixed(1);
  const [hours, minutes, seconds] = [rest / 3600, rest / 60 % 60, rest % 60].map(Math.floor);
  return `${hours ? `${hours}:` : ""}${String(minutes).padStart(hours ? 2 : 1, "0")}:${String(seconds).padStart(2, "0")}`;
}

function showPlayer(element, player, side, turn, full) {
  const clock = made("span", "", "clock");
  clock.player = player;
  clock.textContent = clockOf(player);
  const name = made("span", player.name, "name");
  if (full) name.append(made("span", ` (${side})`, "note"));
  element.classList.toggle("turn", side === turn);
  element.replaceChildren(name, made("span", player.said ?? "", "says"), made("span", full ? player.line ?? "" : "", "line"), clock);
}

setInterval(() => {
  for (const clock of document.querySelectorAll(".clock")) clock.textContent = clockOf(clock.player);
}, 200);

// The game on the board.

const winner = (one) => isWhites(one.result) ? one.white : one.black;
const runs = (round) => state.running.some((one) => one.round === round);
const ofRound = (round) => [...state.running, ...state.games].find((one) => one.round === round);
const lingers = () => performance.now() - endedAt < LINGER ? ended : null;
const game = () => ofRound(chosen ?? lingers()) ?? state.running[0] ?? state.games[0];

const numbered = (at) => {
  const before = at + (story.turn === "Black" ? 1 : 0);
  return `${story.number + Math.floor(before / 2)}${before % 2 ? "..." : "."} ${story.moves[at][0]}`;
};

async function load(one) {
  const wanted = `${one.file} ${one.plies ?? "all"}`;
  if (wanted === storyOf) return;
  let found;
  try {
    found = FROM_DISK ? JSON.parse(byId("stories").textContent)[one.file] : await told(`${one.file}.json`);
  } catch { /* the next second will tell */ }
  if (game()?.file !== one.file) return;
  if (!found) {
    if (!storyOf.startsWith(one.file)) { story = null; storyOf = ""; }
    return;
  }
  story = found;
  storyOf = wanted;
}

async function showGame() {
  const one = game();
  byId("stage").hidden = !one;
  if (!one) return;
  await load(one);
  draw(game());
}

function draw(one) {
  const moves = story?.moves ?? [];
  const at = ply === null ? moves.length : Math.max(0, Math.min(ply, moves.length));
  const running = one.plies !== undefined;
  const live = running && ply === null;
  const squares = squaresOf(live ? one.placement : story?.start ?? "8/8/8/8/8/8/8/8");
  if (!live) for (const made of moves.slice(0, at)) move(squares, made[1]);
  const last = live ? one.last[0] : moves[at - 1];
  drawBoard(byId("board"), squares, last?.[1] ?? "", flipped);
  byId("board").setAttribute("aria-label", `Board: ${[...squares].map(([name, sign]) => sign + name).join(" ")}`);
  for (const [id, side] of [["white", "White"], ["black", "Black"]]) {
    const player = running ? one[id] : { name: one[id], left: null, since: null };
    byId(id).style.order = (side === "White") === flipped ? -1 : 1;
    showPlayer(byId(id), player, side, running ? one.turn : "", true);
  }
  byId("title").textContent = `Round ${one.round}${running ? "" : `: ${one.result}, ${winner(one)} wins`}`;
  byId("live").hidden = !state.running.length || live;
  const record = live ? one.record : moves[at - 1]?.[3] ?? story?.record;
  byId("said").replaceChildren(
    at && story ? `${numbered(at - 1)}${last ? `, ${last[2]}. ` : " "}` : "Start. ",
    ...(record ? ["Record: ", badge(record), ` (${meaning(record)})`] : []),
    ...(running || at < moves.length ? [] : [". Result: ", badge(one.result), `, points ${one.points}: ${one.end}`]),
  );
  if (!story) byId("said").textContent = FROM_DISK ? "This game is not in the page: serve its folder, as by python3 -m http.server." : "";
  byId("said").setAttribute("aria-live", live ? "off" : "polite");
  drawCurve(at);
  listMoves(at);
  try {
    history.replaceState(null, "", chosen === null ? location.pathname : `#${chosen}${ply === null ? "" : `/${ply}`}`);
  } catch { /* too often */ }
}

// Only what is new is added: a list that is made anew would lose its place.
let listed = null;

function listMoves(at) {
  const body = byId("moves"), moves = story?.moves ?? [], key = storyOf.split(" ")[0];
  if (listed !== key || body.rows.length > moves.length) body.replaceChildren();
  listed = key;
  for (let place = body.rows.length; place < moves.length; place++) {
    const [, , gscore, record, said, seconds] = moves[place];
    const row = body.insertRow();
    const press = made("button", numbered(place), "plain-button");
    press.type = "button";
    press.addEventListener("click", () => { chosen = game().round; ply = place + 1; showGame(); });
    row.insertCell().append(press);
    row.insertCell().textContent = gscore;
    if (record === (moves[place - 1]?.[3] ?? story.record)) row.insertCell();
    else row.insertCell().append(badge(record));
    row.insertCell().textContent = said;
    const spent = row.insertCell();
    spent.className = "number";
    spent.textContent = seconds === null ? "" : seconds.toFixed(1);
  }
  body.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const current = body.rows[at - 1], pane = body.closest(".scroll");
  current?.setAttribute("aria-current", "true");
  pane.scrollTop = current ? current.offsetTop - pane.clientHeight / 2 : 0;
}

// The record, ply by ply: White's best above, Black's below.
function drawCurve(at) {
  const records = story ? [story.record, ...story.moves.map((made) => made[3])] : [];
  if (records.length < 2) { byId("curve").replaceChildren(); return; }
  const most = Math.max(...records.map(levelOf)) + 1;
  const width = 640, height = 170, left = 64, top = 12, bottom = 30;
  const x = (place) => (left + place * (width - left - 10) / records.length).toFixed(1);
  const level = (gscore) => isWhites(gscore) ? levelOf(gscore) : 2 * most - levelOf(gscore);
  const y = (gscore) => (top + level(gscore) * (height - top - bottom) / (2 * most)).toFixed(1);
  const labels = ["G0.0", "-G0.0"].filter((one) => Math.abs(y(one) - y(records[at])) >= 11).concat(records[at]);
  const named = (gscore) => levelOf(gscore) ? gscore : "mate";
  const runs = (side) => records.map((record, place) => isWhites(record) === side ? `M${x(place)} ${y(record)}H${x(place + 1)}` : "").join("");
  const joins = records.map((record, place) => place && record !== records[place - 1]
    ? `M${x(place)} ${y(records[place - 1])}V${y(record)}` : "").join("");
  const changes = records.filter((record, place) => record !== records[place - 1]).length - 1;
  byId("curve").innerHTML = `<svg class="picture" viewBox="0 0 ${width} ${height}" role="img" aria-label="Record: ${records[0]} at the
    start, ${records.at(-1)} now, ${counted(changes, "change")}">
    ${labels.map((one) => `<text class="axis end" x="${left - 5}" y="${Number(y(one)) + 4}">${named(one)}</text>
      <path class="grid" d="M${left} ${y(one)}H${width - 10}"/>`).join("")}
    <path class="joins" d="${joins}"/><path class="curve whites" d="${runs(true)}"/><path class="curve blacks" d="${runs(false)}"/>
    <path class="now" d="M${((+x(at) + +x(at + 1)) / 2).toFixed(1)} ${top}V${height - bottom}"/>
    <text class="axis" x="${left}" y="${height - 8}">record after each ply, White’s above</text>
    <text class="axis end" x="${width - 10}" y="${height - 8}">${plies(records.length - 1)}</text></svg>`;
}

// The match.

function showState() {
  const words = { running: "The match goes on.", over: "This is how the match ended.",
    stopped: "Nobody plays now. The same command goes on with the match." };
  byId("told").textContent = `${state.score && `${state.score}. `}${state.told}. ${words[state.state]}`;
  showCards();
  showTables();
  showGames();
}

function showCards() {
  const cards = byId("cards"), shown = game()?.round;
  byId("others").hidden = !state.running.some((one) => one.round !== shown);
  while (cards.children.length > state.running.length) cards.lastChild.remove();
  state.running.forEach((one, place) => {
    let card = cards.children[place];
    if (!card) {
      card = made("button", "", "card");
      card.type = "button";
      card.append(made("span", "", "player"), made("span", "", "board cg-wrap"), made("span", "", "player"), made("span", "", "below"));
      card.addEventListener("click", () => choose(card.round, null));
      cards.append(card);
    }
    card.round = one.round;
    card.setAttribute("aria-pressed", String(one.round === shown));
    const [black, board, white, below] = card.children;
    showPlayer(black, one.black, "Black", one.turn);
    showPlayer(white, one.white, "White", one.turn);
    drawBoard(board, squaresOf(one.placement), one.last[0]?.[1] ?? "");
    below.replaceChildren(`${one.round}  ${one.last[0]?.[0] ?? ""} `, badge(one.record));
  });
}

const cellsOf = (tag, row) => row.map((words) => made(words ? tag : "td", words));

let tables = "";

function showTables() {
  const known = JSON.stringify(state.tables);
  if (known === tables) return;
  tables = known;
  byId("standings").parentElement.hidden = !state.tables.length;
  byId("standings").replaceChildren(...state.tables.map(({ heads, rows }) => {
    const table = document.createElement("table"), pane = made("div", "", "scroll");
    table.createTHead().insertRow().append(...cellsOf("th", heads));
    const body = table.createTBody();
    for (const row of rows) body.insertRow().append(...cellsOf("td", row));
    pane.tabIndex = 0;
    pane.setAttribute("role", "region");
    pane.setAttribute("aria-label", heads[0] || heads[1]);
    pane.append(table);
    return pane;
  }));
}

let gamesListed = "";

function showGames() {
  const known = `${state.games[0]?.file} ${state.played}`;
  if (known === gamesListed) return;
  gamesListed = known;
  byId("past").parentElement.hidden = !state.games.length;
  byId("older").textContent = state.played > state.games.length
    ? `The last ${state.games.length} of ${state.played}. All are in the PGN file.` : "";
  byId("games").replaceChildren(...state.games.map((one) => {
    const row = document.createElement("tr"), press = made("button", one.round, "plain-button");
    press.type = "button";
    press.setAttribute("aria-label", `Round ${one.round}, ${one.white} against ${one.black}`);
    press.addEventListener("click", () => choose(one.round, null));
    const first = document.createElement("td");
    first.append(press);
    row.append(first, ...cellsOf("td", [one.white, one.black, one.result, one.points, one.end]));
    row.cells[isWhites(one.result) ? 1 : 2].className = "winner";
    return row;
  }));
}

function choose(round, at) {
  chosen = round;
  ply = at;
  showCards();
  showGame();
  byId("stage").scrollIntoView();
}

function step(key) {
  if (key === "f") flipped = !flipped;
  else {
    const all = story?.moves.length ?? 0, at = ply ?? all;
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all }[key];
    chosen = game()?.round ?? null;
    ply = next >= all ? null : Math.max(0, next);
  }
  showGame();
}

// Back to what is played now: in the game on the board, else in the first that runs.
byId("live").addEventListener("click", () => {
  if (!runs(game().round)) chosen = ended = null;
  choose(chosen, null);
});
byId("steps").addEventListener("click", (event) => { if (event.target.dataset.key) step(event.target.dataset.key); });
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (["ArrowLeft", "ArrowRight", "Home", "End", "f"].includes(event.key)) { step(event.key); event.preventDefault(); }
});

// What lies beside the page.
async function told(name) {
  const answer = await fetch(`${encodeURIComponent(document.body.dataset.folder)}/${name}`, { cache: "no-store" });
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return answer.json();
}

function complain(words, kind = "problem") {
  byId("problem").hidden = !words;
  byId("problem").className = kind;
  if (byId("problem").textContent !== words) byId("problem").textContent = words;
}

let waiting = 0;

async function follow() {
  clearTimeout(waiting);
  if (!document.hidden) {
    const watched = chosen === null && runs(game()?.round) ? game().round : null;
    try {
      state = await told("live.json");
      received = performance.now();
      if (watched !== null && !runs(watched)) { ended = watched; endedAt = received; }
      complain("");
      showState();
      await showGame();
    } catch (error) {
      complain(`The match does not answer (${error.message}): what is shown is ${Math.round(now() - state.at)} seconds old.`);
    }
  }
  clearTimeout(waiting);
  waiting = setTimeout(follow, state.state === "running" ? PAUSE : IDLE);
}

// What the address chooses: a game, and a position in it. A mistyped one chooses nothing.
function readAddress() {
  const hash = /^#([^/]+)(?:\/(\d+))?$/.exec(location.hash);
  if (!hash) return;
  try { chosen = decodeURIComponent(hash[1]); } catch { return; }
  ply = hash[2] === undefined ? null : Number(hash[2]);
}

function begin() {
  readAddress();
  showState();
  showGame();
  if (!FROM_DISK) {
    document.addEventListener("visibilitychange", follow);
    follow();
  } else if (state.state === "running") {
    complain("This page was opened as a file: it loads itself again every 5 seconds. With its folder on a web host, as by " +
      "python3 -m http.server, it is told of every second.", "hint");
    setTimeout(() => location.reload(), RELOAD);
  }
}

if (FROM_DISK && document.readyState === "loading") addEventListener("DOMContentLoaded", begin);
else begin();
