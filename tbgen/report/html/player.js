// Boards to play through. All that is told of a line stands in its article, which readers without scripts see.

const names = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
const SVG = document.querySelector("svg.shared").namespaceURI;
const colourOf = (letter) => letter === letter.toUpperCase() ? "white" : "black";
const other = { white: "black", black: "white" };
const named = { white: "White", black: "Black" };

// Squares as numbers, a8 first, as a FEN goes.
const squareOf = (name) => "abcdefgh".indexOf(name[0]) + 8 * (8 - Number(name[1]));

// A goal is credited to the side that is not to move.
const gscore = (level, holder) => `${holder === "black" ? "-" : ""}G${level >> 1}.${level & 1 ? "5" : "0"}`;
const moveCount = (level) => level === 0 ? "mate" : level === 1 ? "stalemate"
  : `${level >> 1} legal move${level >> 1 === 1 ? "" : "s"}, ${level & 1 ? "not in check" : "in check"}`;

// The men that are on the board after each ply: what stands where, and which man it is.
function positionsOf(fen, moves) {
  let next = 0;
  const start = new Map();
  fen.split(" ")[0].split("/").forEach((row, rank) => {
    let file = 0;
    for (const letter of row) {
      if (/\d/.test(letter)) file += Number(letter);
      else start.set(rank * 8 + file++, { id: next++, letter });
    }
  });
  const found = [start];
  for (const uci of moves) {
    const now = new Map(found.at(-1));
    const [from, to] = [squareOf(uci), squareOf(uci.slice(2))];
    const man = now.get(from);
    now.delete(from);
    const passing = man.letter.toLowerCase() === "p" && from % 8 !== to % 8 && !now.has(to);
    if (passing) now.delete(Math.floor(from / 8) * 8 + to % 8);
    const promoted = uci[4] && (colourOf(man.letter) === "white" ? uci[4].toUpperCase() : uci[4]);
    now.set(to, promoted ? { id: man.id, letter: promoted } : man);
    found.push(now);
  }
  return found;
}

function placement(men) {
  let rows = "";
  for (let square = 0; square < 64; square++) {
    if (square && square % 8 === 0) rows += "/";
    rows += men.get(square)?.letter ?? ".";
  }
  return rows.replace(/\.+/g, (run) => run.length);
}

// A line as its article tells it. `plies[0]` is the position that it starts from.
function read(article) {
  const { fen, goal, result, rules, steps, start } = article.dataset;
  const [, turn, , , clock, number] = fen.split(" ");
  const tokens = [...article.querySelector(".moves").childNodes].flatMap((node) => node.nodeName === "B"
    ? [{ record: node.textContent }] : node.textContent.split(/\s+/).filter(Boolean));
  const pairs = steps.split(" ").filter(Boolean).map((pair) => pair.split(":"));
  const men = positionsOf(fen, pairs.map(([uci]) => uci));
  let side = turn === "w" ? "white" : "black";
  const plies = [{ side, level: Number(start), record: gscore(Number(start), other[side]), men: men[0], fen }];
  let [at, full, half] = [0, Number(number), Number(clock)];
  for (const token of tokens) {
    if (token.record) plies.at(-1).record = token.record;
    else if (pairs.length && !token.endsWith(".")) {
      const [uci, level, passing = "-"] = pairs[at++];
      const quiet = men[at].size === men[at - 1].size && men[at - 1].get(squareOf(uci)).letter.toLowerCase() !== "p";
      half = quiet ? half + 1 : 0;
      const before = plies.at(-1);
      const mark = side === "white" ? `${full}.` : plies.length === 1 ? `${full}...` : "";
      full += side === "black";
      side = other[side];
      plies.push({ side, uci, san: token, mark, level: Number(level), record: before.record, men: men[at],
        fen: `${placement(men[at])} ${side[0]} - ${passing} ${half} ${full}` });
    }
  }
  return { key: article.id.replace("line-", ""), title: article.querySelector("h4").textContent,
    told: article.querySelector(".told").textContent, goal, result, rules, plies };
}

// The same as `tbgen report --format pgn` writes.
function asPgn({ title, goal, result, rules, plies }) {
  const tags = { Event: rules ? `${title}, whole-game mobility` : title,
    Site: document.querySelector("meta[name=generator]").content, Date: "????.??.??", Round: "-", White: "?", Black: "?",
    Result: result, RMobilityResult: goal, PlyCount: plies.length - 1, FEN: plies[0].fen, SetUp: "1" };
  const heads = Object.entries(tags).map(([name, words]) => `[${name} "${words}"]\n`).join("");
  // A comment stands between two moves: a black move after one bears its number again.
  const moves = plies.slice(1).map(({ san, side, fen, record }) => {
    const full = Number(fen.split(" ")[5]);
    return `${side === "black" ? `${full}.` : `${full - 1}...`} ${san} { ${record} }`;
  });
  return `${heads}\n${[...moves, result].join(" ")}\n`;
}

class Player {
  constructor(box, articles) {
    this.box = box;
    this.articles = articles;
    this.at = 0;
    this.men = new Map();
    this.caption = make("h3");
    this.told = make("p", { className: "told" });
    this.board = this.makeBoard();
    this.disc = make("span", { className: "disc" });
    this.now = make("div", { className: "words" });
    this.now.setAttribute("role", "status");
    this.slider = make("input", { type: "range", min: 0 });
    this.slider.setAttribute("aria-label", "Ply");
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.buttons = [
      press("«", () => this.go(0), "To the start (Home)"), press("‹", () => this.go(this.at - 1), "A ply back (left arrow)"),
      press("›", () => this.go(this.at + 1), "A ply on (right arrow)"),
      press("»", () => this.go(Infinity), "To the end (End)"),
    ];
    this.list = make("div", { className: "list" });
    this.list.setAttribute("role", "group");
    this.list.setAttribute("aria-label", "Moves");
    this.fen = make("input", { readOnly: true });
    this.fen.setAttribute("aria-label", "FEN");
    this.copied = press("Copy FEN", () => this.copy());
    const tools = make("div", { className: "tools" }, this.fen, this.copied,
      press("PGN", () => save(`${this.line.key}.pgn`, asPgn(this.line), "application/x-chess-pgn"), "Save this line as PGN"),
      press(`PGN of all ${articles.length} lines`, () => this.saveAll()));
    box.append(make("div", { className: "inner" }, make("div", { className: "head" }, this.caption, this.told), this.board,
      make("div", { className: "side" }, make("div", { className: "now" }, this.disc, this.now),
        make("div", { className: "controls" }, ...this.buttons, this.slider), this.list, tools)));
    box.hidden = false;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", `Board: ${box.closest("section").querySelector("h2").textContent}`);
    box.addEventListener("keydown", (event) => this.key(event));
  }

  makeBoard() {
    const board = document.createElementNS(SVG, "svg");
    board.setAttribute("class", "board");
    board.setAttribute("viewBox", "0 0 390 390");
    board.setAttribute("role", "img");
    board.innerHTML = '<use href="#empty-board"/><rect class="from" width="45" height="45"/><rect class="to" width="45" height="45"/><g></g>';
    return board;
  }

  saveAll() {
    const games = this.articles.map((article) => asPgn(read(article)));
    save("lines.pgn", games.join("\n"), "application/x-chess-pgn");
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(this.fen.value);
    } catch {
      this.fen.select();
      document.execCommand("copy");
    }
    this.copied.textContent = "Copied";
    setTimeout(() => { this.copied.textContent = "Copy FEN"; }, 1500);
  }

  load(article, at = 0) {
    this.line = read(article);
    this.caption.textContent = this.line.title;
    this.told.textContent = this.line.told;
    this.slider.max = this.line.plies.length - 1;
    this.list.replaceChildren(...this.line.plies.slice(1).flatMap((ply, place) => this.moveOf(ply, place + 1)));
    for (const man of this.men.values()) man.remove();
    this.men.clear();
    for (const row of document.querySelectorAll(".data tr[aria-current]")) row.removeAttribute("aria-current");
    for (const link of document.querySelectorAll(`.data a[href="#${CSS.escape(article.id)}"], .data a[href="#${article.id}"]`)) {
      link.closest("tr").setAttribute("aria-current", "true");
    }
    this.go(at);
  }

  moveOf(ply, at) {
    const move = press(ply.san, () => this.go(at), `${ply.mark || ""} ${ply.san}`.trim());
    move.removeAttribute("title");
    move.tabIndex = -1;
    const news = ply.record === this.line.plies[at - 1].record && at > 1 ? [] : [make("small", { textContent: ply.record }), " "];
    return [make("span", {}, ...(ply.mark ? [make("i", { textContent: ply.mark })] : []), move, ...news), " "];
  }

  go(at) {
    const { plies } = this.line;
    this.at = Math.max(0, Math.min(at, plies.length - 1));
    const ply = plies[this.at];
    this.draw(ply);
    this.disc.className = `disc ${ply.side}`;
    const holder = other[ply.side];
    this.now.replaceChildren(
      make("p", {}, make("b", { textContent: ply.level ? `${named[ply.side]} to move` : "Mate" }),
        `, ply ${this.at} of ${plies.length - 1}${ply.san ? `, after ${ply.san}` : ""}`),
      make("p", {}, "G-score ", make("b", { textContent: gscore(ply.level, holder) }), `: ${moveCount(ply.level)}`),
      make("p", {}, "Record ", make("b", { textContent: ply.record }), `, ${ply.record[0] === "-" ? "Black" : "White"}’s`),
    );
    this.slider.value = this.at;
    this.slider.setAttribute("aria-valuetext", `ply ${this.at} of ${plies.length - 1}`);
    this.fen.value = ply.fen;
    const [first, back, on, last] = this.buttons;
    first.disabled = back.disabled = this.at === 0;
    on.disabled = last.disabled = this.at === plies.length - 1;
    [...this.list.querySelectorAll("button")].forEach((button, place) => {
      const here = place + 1 === this.at;
      button.tabIndex = here ? 0 : -1;
      if (here) {
        button.setAttribute("aria-current", "true");
        this.list.scrollTop = button.offsetTop - this.list.offsetTop - this.list.clientHeight / 2;
      } else button.removeAttribute("aria-current");
    });
    if (this.at === 0) this.list.scrollTop = 0;
  }

  draw(ply) {
    const group = this.board.querySelector("g");
    const place = (element, square) => { element.style.transform = `translate(${15 + 45 * (square % 8)}px, ${15 + 45 * Math.floor(square / 8)}px)`; };
    const left = new Map(this.men);
    for (const [square, { id, letter }] of ply.men) {
      let man = left.get(id);
      left.delete(id);
      if (!man) {
        man = document.createElementNS(SVG, "use");
        this.men.set(id, man);
        group.append(man);
      }
      man.setAttribute("href", `#${colourOf(letter)}-${names[letter.toLowerCase()]}`);
      place(man, square);
    }
    for (const [id, man] of left) { man.remove(); this.men.delete(id); }
    const marks = ply.uci ? [squareOf(ply.uci), squareOf(ply.uci.slice(2))] : [];
    ["from", "to"].forEach((name, at) => {
      const mark = this.board.querySelector(`.${name}`);
      mark.style.display = marks.length ? "" : "none";
      if (marks.length) place(mark, marks[at]);
    });
    const men = [...ply.men].map(([square, { letter }]) =>
      `${named[colourOf(letter)]} ${names[letter.toLowerCase()]} ${"abcdefgh"[square % 8]}${8 - Math.floor(square / 8)}`);
    this.board.setAttribute("aria-label", men.join(", "));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "INPUT") return;
    const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: Infinity }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.go(to);
  }
}

const players = new Map();
for (const box of document.querySelectorAll(".player")) {
  const section = box.closest("section");
  const articles = [...section.querySelectorAll("article[data-steps]")];
  if (!articles.length || players.has(section)) continue;
  const player = new Player(box, articles);
  players.set(section, player);
  player.load(articles[0]);
  section.addEventListener("click", (event) => {
    const row = event.target.closest(".data tbody tr");
    const link = event.target.closest("a") ?? row?.querySelector('a[href^="#line-"]');
    const article = link && document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (!article || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    history.replaceState(null, "", link.hash);
    show(player, article);
  });
}

// The board comes into sight, and has the keys.
function show(player, article) {
  player.load(article);
  const next = player.buttons[2].disabled ? player.copied : player.buttons[2];
  next.focus({ preventScroll: true });
  const { top, bottom } = player.box.getBoundingClientRect();
  if (top < 0 || bottom > innerHeight) player.box.scrollIntoView({ block: "nearest" });
}

// Keys that nothing else has taken go to the board that is in sight.
addEventListener("keydown", (event) => {
  if (event.target !== document.body) return;
  const seen = [...players.values()].find(({ board }) => {
    const { top, bottom } = board.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  });
  seen?.key(event);
});

const asked = location.hash.startsWith("#line-") && document.getElementById(decodeURIComponent(location.hash.slice(1)));
if (asked) show(players.get(asked.closest("section")), asked);
