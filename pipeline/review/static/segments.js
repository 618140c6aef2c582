/**
 * A document as it is drawn: lines, cut into chunks that are drawn again one by one, and of each
 * chunk the pieces, none of which mixes what is removed, marked or plain.
 */
import { PointText, rowAt, rowsWithin, Words } from "./text.js";

/** @typedef {{start: number, end: number}} Stretch */
/** @typedef {Stretch & {label: string, was: ?Stretch}} Span */
/**
 * @typedef {object} Segment
 * @property {number} start
 * @property {number} end
 * @property {boolean} removed
 * @property {string} text what is published
 * @property {string} [label]
 * @property {string} [original] what was removed, if it is shown
 */
/** @typedef {{start: number, end: number}} Chunk a part of one line */
/** @typedef {{number: number, start: number, end: number, chunks: Chunk[]}} Line */
/**
 * @typedef {object} Piece
 * @property {number} start
 * @property {number} end
 * @property {string} text what is seen of it
 * @property {boolean} exact whether its characters are those of the text, one to one
 * @property {?Segment} box what was removed here
 * @property {?Span} mark
 * @property {?object} run the span of the run, if nothing is marked where it is
 * @property {boolean} uncertain
 */

/** Stands for each character that is not shown: neither a blank nor the end of a line. */
const HIDDEN = "\ufffc";
/** Where something was removed and nothing put in its place. */
const NOTHING = "▒";
/** A line of a text without line ends is drawn in parts, so that a mark draws little again. */
const LONGEST_CHUNK = 1000;

/** A document that was read, ready to be drawn. */
export class DocumentView {
  /** @param {object} document as the server gives it */
  constructor(document) {
    /** @type {Segment[]} */
    this.segments = document.segments;
    this.boxes = this.segments.filter((segment) => segment.removed);
    this.text = new PointText(this.segments.map(seen).join(""));
    this.words = new Words(this.text, document.words ?? [], this.#stops());
    this.runSpans = [...(document.run_spans ?? [])].sort((a, b) => a.start - b.start);
    this.uncertain = [...(document.uncertain ?? [])].sort((a, b) => a.start - b.start);
    this.lines = cutLines(this.text, this.boxes);
    this.hasOriginal = this.boxes.some((box) => box.original !== undefined);
  }

  /** The boxes of which the words are not seen. */
  #stops() {
    return this.boxes.filter((box) => box.original === undefined);
  }

  /**
   * The parts of a stretch that are left in the clear and are not blank.
   * @param {number} start
   * @param {number} end
   * @returns {{start: number, end: number}[]}
   */
  clearParts(start, end) {
    return rowsWithin(this.segments, start, end)
      .filter((segment) => !segment.removed)
      .map((segment) => {
        const from = Math.max(start, segment.start);
        const part = this.words.snap(from, Math.min(end, segment.end), false);
        // A sign that belongs to a character within a box is left to the box.
        return part && { start: Math.max(part.start, from), end: Math.min(part.end, segment.end) };
      })
      .filter((part) => part !== null);
  }

  /**
   * The pieces of a chunk, in order and without gaps.
   * @param {Chunk} chunk
   * @param {readonly Span[]} spans by place
   * @param {"published"|"original"} side
   * @returns {Piece[]}
   */
  pieces(chunk, spans, side) {
    const pieces = [];
    for (const segment of rowsWithin(this.segments, chunk.start, chunk.end)) {
      const start = Math.max(segment.start, chunk.start);
      const end = Math.min(segment.end, chunk.end);
      const box = segment.removed ? segment : null;
      if (box && (side === "published" || box.original === undefined)) {
        pieces.push(this.#wholeBox(box, spans));
        continue;
      }
      const cuts = this.#cuts(start, end, spans);
      for (let n = 1; n < cuts.length; n++) {
        pieces.push(this.#exactPiece(cuts[n - 1], cuts[n], box, spans));
      }
    }
    return pieces;
  }

  #wholeBox(box, spans) {
    const [mark = null] = rowsWithin(spans, box.start, box.end);
    const run = mark ? null : (rowAt(this.runSpans, box.start) ?? box);
    return {
      ...pick(box),
      text: box.text || NOTHING,
      exact: false,
      box,
      mark,
      run,
      uncertain: false,
    };
  }

  #exactPiece(start, end, box, spans) {
    const mark = rowAt(spans, start);
    const run = rowAt(this.runSpans, start);
    const replaced = run && rowsWithin(spans, run.start, run.end).length > 0;
    return {
      start,
      end,
      text: this.text.slice(start, end),
      exact: true,
      box,
      mark,
      run: mark || replaced ? null : run,
      uncertain: !mark && rowAt(this.uncertain, start) !== null,
    };
  }

  #cuts(start, end, spans) {
    const cuts = new Set([start, end]);
    for (const rows of [spans, this.runSpans, this.uncertain]) {
      for (const row of rowsWithin(rows, start, end)) {
        cuts.add(Math.max(row.start, start));
        cuts.add(Math.min(row.end, end));
      }
    }
    return [...cuts].sort((one, other) => one - other);
  }
}

/** @param {{start: number, end: number}} row */
function pick({ start, end }) {
  return { start, end };
}

/** @param {Segment} segment @returns {string} as many code points as the original has here */
function seen(segment) {
  if (!segment.removed) return segment.text;
  return segment.original ?? HIDDEN.repeat(segment.end - segment.start);
}

/**
 * The lines of a text; what was removed is never cut.
 * @param {PointText} text
 * @param {readonly Segment[]} boxes
 * @returns {Line[]}
 */
function cutLines(text, boxes) {
  const lines = [];
  let start = 0;
  for (const found of text.text.matchAll(/\r\n|\r|\n/g)) {
    const end = text.toPoint(found.index);
    if (rowAt(boxes, end)) continue;
    lines.push(line(lines.length + 1, start, end, text, boxes));
    start = text.toPoint(found.index + found[0].length);
  }
  lines.push(line(lines.length + 1, start, text.length, text, boxes));
  return lines;
}

function line(number, start, end, text, boxes) {
  const chunks = [];
  let from = start;
  while (end - from > LONGEST_CHUNK) {
    let cut = from + LONGEST_CHUNK;
    // Behind a blank, so that no word and no cluster is cut; in front of what was removed.
    while (cut < end && !(text.isBlank(cut - 1, cut) && !insideOf(boxes, cut))) cut += 1;
    chunks.push({ start: from, end: cut });
    from = cut;
  }
  if (from < end || chunks.length === 0) chunks.push({ start: from, end });
  return { number, start, end, chunks };
}

function insideOf(boxes, point) {
  const box = rowAt(boxes, point);
  return box !== null && box.start < point;
}
