// Boards to play lines through: by keys, buttons, a slider, or a click on a move.

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
    for (const known of document.querySelectorAll(".beside [aria-current]")) known.removeAttribute("aria-current");
    for (const link of document.querySelectorAll(`.beside a[href="#${CSS.escape(article.id)}"], .beside a[href="#${article.id}"]`)) {
      link.closest("tr, .exhibit").setAttribute("aria-current", "true");
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
      button.tabIndex = place + 1 === Math.max(this.at, 1) ? 0 : -1; // one of them takes the focus
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
    const row = event.target.closest(".data tbody tr, .exhibit");
    const link = event.target.closest("a") ?? row?.querySelector('a[href^="#line-"]');
    const article = link && targetOf(link.hash);
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

const asked = location.hash.startsWith("#line-") && targetOf(location.hash);
if (asked) show(players.get(asked.closest("section")), asked);
