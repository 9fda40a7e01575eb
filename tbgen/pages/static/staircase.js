// The staircase as a picture: outcome against record, from White's best on the left to Black's on the right. Where the
// record stands the curve is the diagonal; what one side can better lies off it.

import { escaped, isWhites, levelOf } from "./words.js";

const WIDTH = 640, HEIGHT = 260, LEFT = 46, RIGHT = 10, TOP = 14, BOTTOM = 40;
const MOST_LABELS = 16;
const LINE = 11;  // between labels that can be read

// White's best first: G0.0 ... -G0.0.
const order = (a, b) => isWhites(a) !== isWhites(b) ? isWhites(b) - isWhites(a)
  : isWhites(a) ? levelOf(a) - levelOf(b) : levelOf(b) - levelOf(a);

// `steps`: what the position is worth under each record. `record` is the present one, `gscore` what comes of it.
export function staircase(steps, record, gscore) {
  const scale = [...new Set(steps.flatMap((step) => [step.record, step.gscore]).concat(record, gscore))].sort(order);
  const width = (WIDTH - LEFT - RIGHT) / steps.length, height = (HEIGHT - TOP - BOTTOM) / scale.length;
  const x = (place) => (LEFT + place * width).toFixed(1);
  const y = (value) => TOP + (scale.indexOf(value) + 0.5) * height;
  const every = (labels) => (_, place) => place % (Math.floor(labels / MOST_LABELS) + 1) === 0;

  const levels = scale.filter((value, place) =>
    value === gscore || (every(scale.length)(value, place) && Math.abs(y(value) - y(gscore)) >= LINE));
  const across = (value) => `${y(value).toFixed(1)}H`;
  const parts = [
    ...levels.map((value) => `<text class="axis end" x="${LEFT - 5}" y="${y(value) + 4}">${value}</text>` +
      `<path class="grid" d="M${LEFT} ${across(value)}${WIDTH - RIGHT}"/>`),
    ...steps.map((step, place) => every(steps.length)(step, place) &&
      `<text class="axis mid" x="${x(place + 0.5)}" y="${HEIGHT - 22}">${step.record.replace(/[-G]/g, "")}</text>`),
    `<text class="axis" x="${LEFT}" y="${HEIGHT - 5}">record: White’s</text>`,
    `<text class="axis end" x="${WIDTH - RIGHT}" y="${HEIGHT - 5}">Black’s</text>`,
    `<path class="diagonal" d="${steps.map((step, place) => `M${x(place)} ${across(step.record)}${x(place + 1)}`).join("")}"/>`,
    `<path class="curve" d="${steps.map((step, place) =>
      `${place ? "L" : "M"}${x(place)} ${across(step.gscore)}${x(place + 1)}`).join("")}"/>`,
  ];
  const now = steps.findIndex((step) => step.record === record);
  if (now >= 0) {
    parts.push(`<path class="now" d="M${x(now + 0.5)} ${TOP}V${HEIGHT - BOTTOM}"/>`,
      `<circle class="dot" cx="${x(now + 0.5)}" cy="${y(steps[now].gscore).toFixed(1)}" r="5"/>`);
  }
  return `<svg class="picture" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(inWords(steps))}">` +
    `${parts.filter(Boolean).join("")}</svg>`;
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
