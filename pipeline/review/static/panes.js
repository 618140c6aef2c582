/** The text of a note as lines, published and beside it the original; drawn again by chunks. */
import { make } from "./dom.js";
import { DrawnTexts } from "./selection.js";
import { firstEndingAfter, rowsWithin } from "./text.js";

/** @typedef {import("./segments.js").DocumentView} DocumentView */
/** @typedef {import("./segments.js").Piece} Piece */
/** @typedef {import("./segments.js").Span} Span */
/** @typedef {import("./segments.js").Chunk & Record<string, HTMLElement>} DrawnChunk */

/** Draws one document into one element. */
export class Panes {
  /** @type {?DocumentView} */
  #view = null;
  /** @type {() => readonly Span[]} */
  #spans = () => [];
  /** @type {DrawnChunk[]} */
  #chunks = [];
  /** @type {string[]} */
  #sides = [];
  /** @type {?number} where the current span begins */
  #current = null;

  /**
   * @param {HTMLElement} host
   * @param {(piece: Piece) => string} describe what a marked or removed piece is, in words
   */
  constructor(host, describe) {
    this.host = host;
    this.describe = describe;
    this.drawn = new DrawnTexts(host, () => this.#view.text);
  }

  /**
   * Draws a document.
   * @param {DocumentView} view
   * @param {() => readonly Span[]} spans
   */
  show(view, spans) {
    this.clear();
    this.#view = view;
    this.#spans = spans;
    this.#sides = view.hasOriginal ? ["original", "published"] : ["published"];
    this.host.classList.toggle("both", view.hasOriginal);
    const rows = view.lines.map((line) => {
      const cells = this.#sides.map((side) =>
        make("div", { class: "cell", dir: "auto", "data-side": side, lang: "" }),
      );
      for (const chunk of line.chunks) {
        const drawn = { start: chunk.start, end: chunk.end };
        this.#sides.forEach((side, n) => {
          drawn[side] = make("span", { class: line.chunks.length > 1 ? "long" : null });
          cells[n].append(drawn[side]);
        });
        this.#chunks.push(drawn);
        this.#draw(drawn);
      }
      return make("div", { class: "row", "data-line": line.number }, ...cells);
    });
    this.host.append(...rows);
  }

  /** Nothing of the note stays in the page. */
  clear() {
    document.getSelection()?.removeAllRanges();
    this.host.replaceChildren();
    this.#view = null;
    this.#spans = () => [];
    this.#chunks = [];
    this.#current = null;
  }

  /**
   * Draws again what lies in some stretches.
   * @param {readonly {start: number, end: number}[]} stretches
   */
  update(stretches) {
    const touched = new Set();
    for (const { start, end } of stretches) {
      for (const chunk of this.#within(start, end)) touched.add(chunk);
    }
    const focused =
      this.host.contains(document.activeElement) && document.activeElement !== this.host;
    for (const chunk of touched) this.#draw(chunk);
    if (focused && !this.host.contains(document.activeElement)) {
      const element = this.#current === null ? null : this.elementAt(this.#current);
      (element ?? this.host).focus({ preventScroll: true });
    }
  }

  /** The chunks of a stretch; a run that is deleted is drawn anew where it was. */
  #within(start, end) {
    const { runSpans, boxes } = this.#view;
    const around = [...rowsWithin(runSpans, start, end), ...rowsWithin(boxes, start, end)];
    return rowsWithin(
      this.#chunks,
      Math.min(start, ...around.map((row) => row.start)),
      Math.max(end, ...around.map((row) => row.end)),
    );
  }

  #draw(chunk) {
    const spans = this.#spans();
    for (const side of this.#sides) {
      const pieces = this.#view.pieces(chunk, spans, side);
      chunk[side].replaceChildren(...pieces.map((piece) => this.#piece(piece, side)));
      if (pieces.length === 0) chunk[side].append(make("br"));
    }
  }

  #piece(piece, side) {
    const text = document.createTextNode(piece.text);
    this.drawn.register(text, { side, start: piece.start, end: piece.end, exact: piece.exact });
    const { mark, run, box } = piece;
    if (!mark && !run && !box) {
      return piece.uncertain ? make("span", { class: "uncertain" }, text) : text;
    }
    const subject = mark ?? run ?? box;
    const begins = subject.start >= piece.start && subject.start < piece.end;
    const dropped = !mark && !this.isBlind;
    const classes = ["piece", box ? "removed" : "left"];
    if (dropped) classes.push("dropped");
    if (subject.start === this.#current) classes.push("current");
    const acts = begins && (mark || dropped);
    return make(
      "mark",
      {
        class: classes.join(" "),
        "data-of": mark || dropped ? subject.start : null,
        "data-badge": subject.end <= piece.end ? badge(piece, this.isBlind) : null,
        ...(acts
          ? {
              role: "button",
              tabindex: -1,
              "data-at": subject.start,
              "aria-label": this.describe(piece),
            }
          : {}),
      },
      text,
    );
  }

  /** Whether the reader marks what is left alone: then no box of the run is doubted. */
  isBlind = false;

  /** @param {number} start of a span @returns {?HTMLElement} */
  elementAt(start) {
    const chunk = this.#chunks[firstEndingAfter(this.#chunks, start)];
    const side = this.#sides.at(-1);
    return chunk?.[side]?.querySelector(`[data-at="${start}"]`) ?? null;
  }

  /** @param {?Span} span the one that keys act on @param {{focus?: boolean}} options */
  setCurrent(span, { focus = true } = {}) {
    for (const old of this.host.querySelectorAll(".current")) old.classList.remove("current");
    this.#current = span?.start ?? null;
    if (!span) return;
    for (const chunk of this.#within(span.start, span.end)) this.#draw(chunk);
    const element = this.elementAt(span.start);
    if (focus) element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: "nearest" });
  }

  /** @param {{start: number, end: number}} stretch @param {string} [side] */
  select(stretch, side) {
    // A word within a box is seen in the original alone.
    const isHidden = rowsWithin(this.#view.boxes, stretch.start, stretch.end).length > 0;
    const shown = this.#sides.includes(side) && !isHidden ? side : this.#sides[0];
    const [first] = this.#within(stretch.start, stretch.start + 1);
    const [last] = this.#within(stretch.end - 1, stretch.end);
    if (!first || !last) return;
    this.drawn.select(stretch, first[shown], last[shown]);
    const node = document.getSelection()?.focusNode;
    (node instanceof Element ? node : node?.parentElement)?.scrollIntoView({ block: "nearest" });
  }
}

function badge({ mark, run, box, text }, isBlind) {
  if (!mark) return isBlind ? null : `not ${(run ?? box).label}`;
  return text === `[${mark.label}]` ? null : mark.label;
}
