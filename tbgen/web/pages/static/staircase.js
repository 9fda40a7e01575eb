// The staircase as a picture: outcome against record, from White's best on the left to Black's on the right. Where the
// record stands the curve is the diagonal; what one side can better lies off it. Each step tells what it says.

import { escaped, isWhites, levelOf, plies } from "./words.js";

const WIDE = { width: 640, labels: 16 }, NARROW = { width: 360, labels: 8 };
const HEIGHT = 270, LEFT = 62, RIGHT = 10, TOP = 14, BOTTOM = 46;
const MOST_LABELS = 16;
const LINE = 11;  // between labels that can be read

// White's best first: G0.0 ... -G0.0.
const order = (a, b) => isWhites(a) !== isWhites(b) ? isWhites(b) - isWhites(a)
  : isWhites(a) ? levelOf(a) - levelOf(b) : levelOf(b) - levelOf(a);

// `steps`: what the position is worth under each record. `record` is the present one, `gscore` what comes of it.
export function staircase(steps, record, gscore) {
  const { width: WIDTH, labels } = matchMedia("(max-width: 40rem)").matches ? NARROW : WIDE;
  const scale = [...new Set(steps.flatMap((step) => [step.record, step.gscore]).concat(record, gscore))].sort(order);
  const width = (WIDTH - LEFT - RIGHT) / steps.length, height = (HEIGHT - TOP - BOTTOM) / scale.length;
  const x = (place) => (LEFT + place * width).toFixed(1);
  const y = (value) => TOP + (scale.indexOf(value) + 0.5) * height;
  const every = (count, most) => (_, place) => place % (Math.floor(count / most) + 1) === 0;

  const levels = scale.filter((value, place) =>
    value === gscore || (every(scale.length, MOST_LABELS)(value, place) && Math.abs(y(value) - y(gscore)) >= LINE));
  const across = (value) => `${y(value).toFixed(1)}H`;
  const middle = TOP + (HEIGHT - TOP - BOTTOM) / 2;
  const parts = [
    ...levels.map((value) => `<text class="axis end" x="${LEFT - 5}" y="${y(value) + 4}">${value}</text>` +
      `<path class="grid" d="M${LEFT} ${across(value)}${WIDTH - RIGHT}"/>`),
    ...steps.map((step, place) => every(steps.length, labels)(step, place) &&
      `<text class="axis mid" x="${x(place + 0.5)}" y="${HEIGHT - BOTTOM + 18}">${step.record.replace(/[-G]/g, "")}</text>`),
    `<text class="axis" x="${LEFT}" y="${HEIGHT - 8}">White’s</text>`,
    `<text class="axis mid" x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 8}">record</text>`,
    `<text class="axis end" x="${WIDTH - RIGHT}" y="${HEIGHT - 8}">Black’s</text>`,
    `<text class="axis mid" x="${-middle}" y="13" transform="rotate(-90)">what can be forced</text>`,
    `<path class="diagonal" d="${steps.map((step, place) => `M${x(place)} ${across(step.record)}${x(place + 1)}`).join("")}"/>`,
    `<path class="curve" d="${steps.map((step, place) =>
      `${place ? "L" : "M"}${x(place)} ${across(step.gscore)}${x(place + 1)}`).join("")}"/>`,
  ];
  const now = steps.findIndex((step) => step.record === record);
  if (now >= 0) {
    parts.push(`<path class="now" d="M${x(now + 0.5)} ${TOP}V${HEIGHT - BOTTOM}"/>`,
      `<circle class="dot" cx="${x(now + 0.5)}" cy="${y(steps[now].gscore).toFixed(1)}" r="5"/>`);
  }
  parts.push(...steps.map((step, place) => `<rect class="step" x="${x(place)}" y="${TOP}" width="${width.toFixed(1)}" ` +
    `height="${HEIGHT - TOP - BOTTOM}" data-tells="${told(step)}"/>`));
  const start = Math.max(now, 0);
  return `<svg class="picture" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(inWords(steps))}">${parts.filter(Boolean).join("")}</svg>` +
    `<input type="range" class="walk" max="${steps.length - 1}" value="${start}" aria-label="Record" aria-valuetext="${told(steps[start])}">` +
    `<p class="tells">${told(steps[start])}</p>`;
}

const told = ({ record, gscore, dtg }) =>
  `Under the record ${record}: ${dtg ? `${gscore} in ${plies(dtg)}` : gscore === record ? "it stands" : gscore}`;

// Steps tell by pointer and finger on the picture, and by the slider below it, which keys move.
export function listen(around) {
  const tell = (section, step) => {
    const steps = [...section.querySelectorAll(".step")], slider = section.querySelector(".walk");
    for (const one of steps) one.classList.toggle("picked", one === step);
    slider.value = steps.indexOf(step);
    slider.setAttribute("aria-valuetext", step.dataset.tells);
    section.querySelector(".tells").textContent = step.dataset.tells;
  };
  const pointed = ({ target }) => { if (target.matches?.(".step")) tell(target.closest(".stairs"), target); };
  around.addEventListener("pointerover", pointed);
  around.addEventListener("pointerdown", pointed);
  around.addEventListener("input", ({ target }) => {
    if (target.matches(".walk")) tell(target.closest(".stairs"), target.closest(".stairs").querySelectorAll(".step")[target.value]);
  });
}

// Under records from so far to so far, this outcome.
function inWords(steps) {
  const runs = [];
  for (const { record, gscore } of steps) {
    if (runs.at(-1)?.gscore === gscore) runs.at(-1).last = record;
    else runs.push({ first: record, last: record, gscore });
  }
  return runs.map(({ first, last, gscore }) =>
    `${first === last ? `record ${first}` : `records ${first} to ${last}`}: ${gscore}`).join("; ");
}
