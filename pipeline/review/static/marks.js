/** The marks of one document, with all that was done to them: every change can be undone. */
import { rowsWithin } from "./text.js";

/** @typedef {import("./segments.js").Span} Span */
/** @typedef {{start: number, end: number}} Stretch */

/** Spans in order that share no character. Each change gives the stretches that it touched. */
export class Marks {
  /** @type {(readonly Span[])[]} */
  #past = [];
  /** @type {(readonly Span[])[]} */
  #future = [];
  #runs;

  /**
   * @param {readonly Span[]} spans
   * @param {readonly Stretch[]} runs what the run found: what replaces it says so in `was`
   */
  constructor(spans, runs) {
    /** @type {readonly Span[]} */
    this.spans = ordered(
      spans.map(({ start, end, label, was = null }) => ({ start, end, label, was })),
    );
    this.#runs = new Map(runs.map((run) => [`${run.start}-${run.end}`, run]));
  }

  /** @returns {boolean} */
  get canUndo() {
    return this.#past.length > 0;
  }

  /** @returns {boolean} */
  get canRedo() {
    return this.#future.length > 0;
  }

  /**
   * Marks stretches; spans that they touch give way.
   * @param {readonly Stretch[]} places
   * @param {string} label
   * @returns {Stretch[]}
   */
  add(places, label) {
    let spans = this.spans;
    for (const { start, end } of places) {
      const touched = rowsWithin(spans, start, end);
      const span = { start, end, label, was: this.#replaced(start, end, touched) };
      spans = ordered([...spans.filter((row) => !touched.includes(row)), span]);
    }
    return this.#become(spans);
  }

  /**
   * Another label or other ends for one span.
   * @param {Span} span
   * @param {Partial<Span>} change
   * @returns {Stretch[]}
   */
  change(span, change) {
    const { start, end, label } = { ...span, ...change };
    if (start >= end) return [];
    const others = this.spans.filter((row) => row !== span);
    if (rowsWithin(others, start, end).length > 0) return [];
    const changed = { start, end, label, was: this.#replaced(start, end, [span]) };
    return this.#become(ordered([...others, changed]));
  }

  /** @param {Span} span @returns {Stretch[]} */
  remove(span) {
    return this.#become(this.spans.filter((row) => row !== span));
  }

  /**
   * Takes another whole set, as the server has it.
   * @param {readonly Span[]} spans
   * @returns {Stretch[]}
   */
  replace(spans) {
    return this.#become(ordered(spans.map((span) => ({ was: null, ...span }))));
  }

  /** @returns {Stretch[]} */
  undo() {
    return this.#travel(this.#past, this.#future);
  }

  /** @returns {Stretch[]} */
  redo() {
    return this.#travel(this.#future, this.#past);
  }

  #travel(from, to) {
    const spans = from.pop();
    if (!spans) return [];
    to.push(this.spans);
    return this.#take(spans);
  }

  #become(spans) {
    const before = this.spans;
    const touched = this.#take(spans);
    if (touched.length > 0) {
      this.#past.push(before);
      this.#future = [];
    }
    return touched;
  }

  #take(spans) {
    const touched = difference(this.spans, spans);
    this.spans = spans;
    return touched;
  }

  /** The span of the run that a new one stands for, itself if it is one; null if none does. */
  #replaced(start, end, touched) {
    const run = this.#runs.get(`${start}-${end}`);
    for (const row of touched) {
      const of = row.was ?? this.#runs.get(`${row.start}-${row.end}`);
      if (of) return { start: of.start, end: of.end };
    }
    return run ? { start, end } : null;
  }
}

/** @param {Span[]} spans @returns {Span[]} */
function ordered(spans) {
  return spans.sort((one, other) => one.start - other.start);
}

function difference(before, after) {
  const old = new Set(before);
  const fresh = new Set(after);
  return [...before.filter((row) => !fresh.has(row)), ...after.filter((row) => !old.has(row))].map(
    ({ start, end }) => ({ start, end }),
  );
}

/** Whether two sets of spans mark the same. */
export function marksSame(some, others) {
  const key = ({ start, end, label }) => `${start}-${end}-${label}`;
  if (!Array.isArray(some) || some.length !== others.length) return false;
  const known = new Set(some.map(key));
  return others.every((span) => known.has(key(span)));
}
