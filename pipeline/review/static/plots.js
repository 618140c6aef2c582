/** Plots as SVG; every one has its numbers in a table beside it. */
import { draw } from "./dom.js";

const HEIGHT = 260;
const EDGE = { left: 48, right: 90, top: 14, bottom: 40 };
const SYMBOL = 4;

/** Of a plot that is drawn now: as wide as the window lets it be, its letters of one size. */
function plotWidth() {
  return Math.max(280, Math.min(640, Math.floor(0.94 * innerWidth) - 40));
}

/** A round step that gives about so many ticks. */
function tickStep(span, count) {
  const rough = span / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= rough);
}

function ticks(low, high, count = 5) {
  const step = tickStep(high - low, count);
  const found = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + 1e-9; n++) found.push(n * step);
  return found;
}

/**
 * Lines over one axis, the first with a band around it.
 * @param {object} plot
 * @param {string} plot.title
 * @param {string} plot.says what is seen, in words
 * @param {string} plot.across
 * @param {{name: string, points: [number, number][]}[]} plot.lines
 * @param {[number, number, number][]} [plot.band] x, low, high
 * @returns {SVGElement}
 */
export function lines({ title, says, across, lines: all, band = [] }) {
  const xs = all.flatMap(({ points }) => points.map(([x]) => x));
  const ys = [
    ...all.flatMap(({ points }) => points.map(([, y]) => y)),
    ...band.flatMap(([, low, high]) => [low, high]),
  ];
  const width = plotWidth();
  const right = Math.max(...xs, 1);
  const low = Math.max(0, Math.floor(10 * Math.min(...ys)) / 10);
  const high = Math.max(low + 0.1, Math.min(1, Math.ceil(10 * Math.max(...ys)) / 10));
  const x = (value) => EDGE.left + (value / right) * (width - EDGE.left - EDGE.right);
  const y = (value) =>
    HEIGHT - EDGE.bottom - ((value - low) / (high - low)) * (HEIGHT - EDGE.top - EDGE.bottom);
  const at = (px, py) => `${px.toFixed(1)},${py.toFixed(1)}`;
  const frame = axes({ x, y, right, low, high, across, width });
  const around = [
    ...band.map(([px, , top]) => at(x(px), y(top))),
    ...band.toReversed().map(([px, bottom]) => at(x(px), y(bottom))),
  ];
  const drawn = all.flatMap(({ name, points }, n) => {
    const [lastX, lastY] = points.at(-1) ?? [0, low];
    return [
      draw("polyline", {
        class: `line line-${n}`,
        points: points.map(([px, py]) => at(x(px), y(py))).join(" "),
      }),
      ...points.map(([px, py]) => symbol(n, x(px), y(py))),
      draw(
        "text",
        {
          x: x(lastX) + 10,
          y: y(lastY) + 4 + (n ? labelShift(all, n, y) : 0),
          class: `name name-${n}`,
        },
        name,
      ),
    ];
  });
  return draw(
    "svg",
    {
      viewBox: `0 0 ${width} ${HEIGHT}`,
      role: "img",
      "aria-label": `${title}. ${says}`,
      class: "plot",
    },
    ...frame,
    band.length > 0 ? draw("polygon", { class: "band", points: around.join(" ") }) : null,
    ...drawn,
  );
}

/** Keeps the name of a line off the name of the first. */
function labelShift(all, n, y) {
  const apart = y(all[n].points.at(-1)[1]) - y(all[0].points.at(-1)[1]);
  if (Math.abs(apart) >= 14) return 0;
  return (apart >= 0 ? 14 : -14) - apart;
}

function axes({ x, y, right, low, high, across, width }) {
  return [
    ...ticks(low, high).flatMap((value) => [
      draw("line", { class: "grid", x1: x(0), x2: x(right), y1: y(value), y2: y(value) }),
      draw("text", { x: EDGE.left - 8, y: y(value) + 4, class: "tick end" }, value.toFixed(2)),
    ]),
    ...ticks(0, right, width < 480 ? 3 : 5).map((value) =>
      draw(
        "text",
        { x: x(value), y: HEIGHT - EDGE.bottom + 16, class: "tick middle" },
        String(+value.toFixed(1)),
      ),
    ),
    draw("line", { class: "axis", x1: x(0), x2: x(right), y1: y(low), y2: y(low) }),
    draw("text", { x: (x(0) + x(right)) / 2, y: HEIGHT - 6, class: "tick middle" }, across),
  ];
}

/** Points of another line are of another shape, too. */
function symbol(n, px, py) {
  if (n === 0) return draw("circle", { class: `symbol line-${n}`, cx: px, cy: py, r: SYMBOL });
  return draw("rect", {
    class: `symbol line-${n}`,
    x: px - SYMBOL,
    y: py - SYMBOL,
    width: 2 * SYMBOL,
    height: 2 * SYMBOL,
  });
}

/**
 * Bars, one a row, from 0 to 1.
 * @param {string} title
 * @param {{name: string, value: number, says: string}[]} rows
 */
export function bars(title, rows) {
  const row = 26;
  const width = plotWidth();
  const from = Math.min(170, Math.floor(width * 0.4));
  const longest = width - from - 60;
  return draw(
    "svg",
    {
      viewBox: `0 0 ${width} ${row * rows.length + 4}`,
      role: "img",
      "aria-label": `${title}: ${rows.map(({ name, says }) => `${name} ${says}`).join(", ")}`,
      class: "plot",
    },
    ...rows.flatMap(({ name, value, says }, n) => [
      draw("text", { x: from - 8, y: row * n + 18, class: "tick end" }, name),
      draw("rect", {
        class: "bar",
        x: from,
        y: row * n + 5,
        width: Math.max(1, longest * value),
        height: row - 10,
      }),
      draw("text", { x: from + longest * value + 6, y: row * n + 18, class: "tick" }, says),
    ]),
  );
}
