/**
 * Offsets. The server counts code points, JavaScript counts UTF-16 units: a table of the whole
 * text converts between them, and nothing else in the page does.
 */

const BLANK = /^\s*$/u;
const WORD = /[\p{L}\p{N}]/u;
/** Characters that one step looks at: longer than any cluster that people write. */
const WINDOW = 64;

/** A text that is asked for by code points. */
export class PointText {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    /** @type {?Uint32Array} code point -> unit; null if they are equal throughout */
    this.units = null;
    /** @type {?Uint32Array} unit -> code point, of the point that the unit lies in */
    this.points = null;
    this.length = text.length;
    if (/[\ud800-\udbff][\udc00-\udfff]/.test(text)) this.#count();
  }

  #count() {
    const units = new Uint32Array(this.text.length + 1);
    const points = new Uint32Array(this.text.length + 1);
    let point = 0;
    let unit = 0;
    for (const character of this.text) {
      units[point] = unit;
      for (let n = 0; n < character.length; n++) points[unit + n] = point;
      point += 1;
      unit += character.length;
    }
    units[point] = unit;
    points[unit] = point;
    this.units = units.subarray(0, point + 1);
    this.points = points;
    this.length = point;
  }

  /** @param {number} point @returns {number} where it is in the string */
  toUnit(point) {
    const inside = Math.min(Math.max(point, 0), this.length);
    return this.units ? this.units[inside] : inside;
  }

  /** @param {number} unit @returns {number} the code point that it lies in */
  toPoint(unit) {
    const inside = Math.min(Math.max(unit, 0), this.text.length);
    return this.points ? this.points[inside] : inside;
  }

  /** @param {number} start @param {number} end @returns {string} */
  slice(start, end) {
    return this.text.slice(this.toUnit(start), this.toUnit(end));
  }

  /** @param {number} start @param {number} end @returns {boolean} */
  isBlank(start, end) {
    return BLANK.test(this.slice(start, end));
  }

  /**
   * The place one character as people count them (a letter with its marks, CR LF) away.
   * @param {number} point
   * @param {1|-1} direction
   * @returns {number}
   */
  step(point, direction) {
    const unit = this.toUnit(point);
    const clusters = new Intl.Segmenter(undefined, { granularity: "grapheme" });
    if (direction > 0) {
      const ahead = this.text.slice(unit, unit + WINDOW);
      for (const { segment } of clusters.segment(ahead)) return this.toPoint(unit + segment.length);
      return this.length;
    }
    const from = this.toUnit(Math.max(0, point - WINDOW));
    let last = from;
    for (const { index } of clusters.segment(this.text.slice(from, unit))) last = from + index;
    return this.toPoint(last);
  }

  /**
   * A stretch that cuts no character as people count them.
   * @param {number} start
   * @param {number} end
   * @returns {{start: number, end: number}}
   */
  whole(start, end) {
    const before = start > 0 ? this.step(start, -1) : 0;
    const isCut = start > 0 && this.step(before, 1) > start;
    return { start: isCut ? before : start, end: Math.max(end, this.step(this.step(end, -1), 1)) };
  }

  /**
   * All places of some words, whatever their case.
   * @param {string} wanted
   * @returns {{start: number, end: number}[]}
   */
  find(wanted) {
    if (!wanted) return [];
    const pattern = new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
    return [...this.text.matchAll(pattern)].map((found) => ({
      start: this.toPoint(found.index),
      end: this.toPoint(found.index + found[0].length),
    }));
  }
}

/**
 * The first row of a list in order of which the end lies behind a place.
 * @template {{end: number}} T
 * @param {readonly T[]} rows disjoint, by place
 * @param {number} point
 * @returns {number} its index; the list's length if there is none
 */
export function firstEndingAfter(rows, point) {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle].end > point) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The row that covers a place.
 * @template {{start: number, end: number}} T
 * @param {readonly T[]} rows disjoint, by place
 * @param {number} point
 * @returns {?T}
 */
export function rowAt(rows, point) {
  const row = rows[firstEndingAfter(rows, point)];
  return row && row.start <= point ? row : null;
}

/**
 * The rows that share a character with a stretch.
 * @template {{start: number, end: number}} T
 * @param {readonly T[]} rows disjoint, by place
 * @param {number} start
 * @param {number} end
 * @returns {T[]}
 */
export function rowsWithin(rows, start, end) {
  const found = [];
  for (let n = firstEndingAfter(rows, start); n < rows.length && rows[n].start < end; n++) {
    found.push(rows[n]);
  }
  return found;
}

/** What the caret stops at, and what a selection snaps to. */
export class Words {
  /**
   * @param {PointText} text
   * @param {readonly [number, number][]} tokens of the text
   * @param {readonly {start: number, end: number}[]} boxes each one stop, however long
   */
  constructor(text, tokens, boxes) {
    this.text = text;
    this.tokens = tokens.map(([start, end]) => ({ start, end }));
    const outside = this.tokens.filter(
      ({ start, end }) =>
        WORD.test(text.slice(start, end)) && rowsWithin(boxes, start, end).length === 0,
    );
    this.stops = [...outside, ...boxes.map(({ start, end }) => ({ start, end }))].sort(
      (one, other) => one.start - other.start,
    );
  }

  /** @param {number} point @returns {?{start: number, end: number}} the first stop from there on */
  next(point) {
    let n = firstEndingAfter(this.stops, point);
    while (n < this.stops.length && this.stops[n].start < point) n += 1;
    return this.stops[n] ?? null;
  }

  /** @param {number} point @returns {?{start: number, end: number}} the last stop before it */
  previous(point) {
    let n = Math.min(firstEndingAfter(this.stops, point), this.stops.length - 1);
    while (n >= 0 && this.stops[n].end > point) n -= 1;
    return this.stops[n] ?? null;
  }

  /**
   * A stretch without blanks at its ends, and with whole tokens.
   * @param {number} start
   * @param {number} end
   * @param {boolean} whole whether tokens are made whole
   * @returns {?{start: number, end: number}} null if nothing but blanks is in it
   */
  snap(start, end, whole = true) {
    while (start < end && this.text.isBlank(start, start + 1)) start += 1;
    while (start < end && this.text.isBlank(end - 1, end)) end -= 1;
    if (start >= end) return null;
    const first = whole ? rowAt(this.tokens, start) : null;
    const last = whole ? rowAt(this.tokens, end - 1) : null;
    return this.text.whole(first ? first.start : start, last ? last.end : end);
  }

  /**
   * The next edge of a token: where `[`, `]`, `{` and `}` move the ends of a span to.
   * @param {number} point
   * @param {1|-1} direction
   * @param {"start"|"end"} edge
   * @returns {number}
   */
  edge(point, direction, edge) {
    const tokens = this.tokens;
    let n = firstEndingAfter(tokens, direction > 0 ? point - 1 : point);
    if (direction > 0) {
      while (n < tokens.length && tokens[n][edge] <= point) n += 1;
      return n < tokens.length ? tokens[n][edge] : this.text.length;
    }
    n = Math.min(n, tokens.length - 1);
    while (n >= 0 && tokens[n][edge] >= point) n -= 1;
    return n >= 0 ? tokens[n][edge] : 0;
  }
}
