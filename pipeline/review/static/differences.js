/** A difference of readers, as it is shown to the one who decides. */
import { make } from "./dom.js";

export const UNDECIDED = "undecided";
const AROUND = 40;
/** Readers are letters here: whose mark it is decides nothing. */
const LETTERS = "ABCDEFGHIJ";

/**
 * @param {object} note with its differences and decisions
 * @param {number} n which difference
 * @param {boolean} isCurrent
 * @param {{take: (reader: number) => void, leave: () => void}} acts
 * @returns {HTMLElement}
 */
export function differenceItem(
  { view, differences, readers, decisions },
  n,
  isCurrent,
  { take, leave },
) {
  const difference = differences[n];
  const { label } = decisions[n];
  const takes = readers.map((reader, r) =>
    choice(r + 1, `${LETTERS[r]}: ${difference.marks[reader] ?? "nothing"}`, () => take(r)),
  );
  return make(
    "li",
    { tabindex: -1, "aria-current": isCurrent ? "true" : null, "data-n": n },
    excerpt(view.text, difference),
    make("p", { class: "model" }, said(difference.model)),
    make(
      "div",
      { class: "choices" },
      ...takes,
      choice(readers.length + 1, "other", () => take(readers.length)),
      choice(0, UNDECIDED, leave),
    ),
    make("p", { class: "decision" }, label === undefined ? "" : `decided: ${label ?? "no PHI"}`),
  );
}

/** @param {import("./text.js").PointText} text */
function excerpt(text, { start, end }) {
  const shown = (from, to) =>
    text
      .slice(from, to)
      .replace(/\ufffc+/g, "▒▒▒")
      .replace(/\s+/g, " ");
  return make(
    "p",
    { class: "excerpt", dir: "auto", lang: "" },
    shown(Math.max(0, start - AROUND), start),
    make("mark", { class: "piece left" }, shown(start, end)),
    shown(end, end + AROUND),
  );
}

function choice(key, says, click) {
  return make(
    "button",
    { type: "button", click },
    make("kbd", { "aria-hidden": "true" }, key),
    ` ${says}`,
  );
}

function said(model) {
  return model ? `model: ${model.tag}, p = ${Number(model.p).toFixed(2)}` : "";
}
