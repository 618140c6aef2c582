/** Where a reader is within a note: the span that keys act on, and what is selected. */
import { isField } from "./keys.js";
import { rowsWithin } from "./text.js";

/** @typedef {import("./segments.js").Span} Span */
/** @typedef {{start: number, end: number}} Stretch */
/**
 * A note that is being read.
 * @typedef {object} Note
 * @property {import("./segments.js").DocumentView} view
 * @property {import("./marks.js").Marks} marks
 * @property {boolean} blind whether only what is left in the clear is marked
 */

/** Goes about in the note that is open. */
export class Caret {
  /** @type {?Note} */
  note = null;
  /** @type {?Span} the span that keys act on; or one of the run's that was deleted */
  current = null;
  /** @type {?(Stretch & {whole: boolean, side?: string})} */
  selection = null;
  /** @type {?Stretch} the word from which a selection was begun by keys */
  anchor = null;
  /** @type {?Stretch} the word that they selected last */
  moving = null;
  /** where the next search for a span or word begins */
  place = 0;
  /** @type {Stretch[]} */
  found = [];
  /** @type {Set<number>} where spans begin that were looked at */
  looked = new Set();

  /**
   * @param {object} page
   * @param {import("./panes.js").Panes} page.panes
   * @param {string[]} page.labels
   * @param {(text: string) => void} page.say
   * @param {() => void} page.onChange the marks are others than before
   * @param {() => void} page.onMove another span, or none, is acted on
   * @param {(title: string) => Promise<?string>} page.pickLabel
   * @param {(question: string, yes: string) => Promise<boolean>} page.confirm
   * @param {(stretch: Stretch) => Promise<{places: Stretch[]}>} page.same
   */
  constructor(page) {
    this.page = page;
    document.addEventListener("selectionchange", () => this.#selectionChanged());
  }

  /** @param {?Note} note another one, or none */
  open(note) {
    this.note = note;
    this.current = null;
    this.selection = null;
    this.anchor = null;
    this.place = 0;
    this.found = [];
    this.looked = new Set();
  }

  /** The spans in order, and those of the run that were deleted: where `j` and `k` stop. */
  get stops() {
    const { marks, view, blind } = this.note;
    if (blind) return [...marks.spans];
    const dropped = view.runSpans.filter(
      (run) => rowsWithin(marks.spans, run.start, run.end).length === 0,
    );
    return [...marks.spans, ...dropped].sort((one, other) => one.start - other.start);
  }

  /** Whether a span stands among the marks. @param {?Span} span */
  isMarked(span) {
    return span !== null && this.note.marks.spans.includes(span);
  }

  setCurrent(span, focus = true) {
    this.current = span;
    if (span) {
      this.place = span.start;
      this.looked.add(span.start);
      this.unselect();
    }
    this.page.panes.setCurrent(span, { focus });
    this.page.onMove();
  }

  /** The span that begins at a place becomes the current one. @param {number} start */
  choose(start) {
    const span = this.stops.find((row) => row.start === start);
    if (span) this.setCurrent(span);
  }

  unselect() {
    this.selection = null;
    this.anchor = null;
    this.moving = null;
    document.getSelection()?.removeAllRanges();
  }

  goSpan(direction) {
    const from = this.selection?.start ?? this.place;
    const at = this.current || this.selection || this.place ? from : -1;
    const stops = this.stops;
    const next =
      direction > 0 ? stops.find((row) => row.start > at) : stops.findLast((row) => row.start < at);
    if (next) this.setCurrent(next);
    else this.page.say(direction > 0 ? "no span below" : "no span above");
  }

  goWord(direction, extend) {
    const { words } = this.note.view;
    const from = (extend && this.moving) || this.selection || this.current;
    const stop =
      direction > 0
        ? words.next(from?.end ?? this.place)
        : words.previous(from?.start ?? this.place);
    if (!stop) return this.page.say(direction > 0 ? "end of the note" : "start of the note");
    const anchor = (extend && (this.anchor ?? this.selection)) || stop;
    const { start, end } = anchor;
    this.select({ start: Math.min(start, stop.start), end: Math.max(end, stop.end) });
    this.anchor = { start, end };
    this.moving = stop;
    return null;
  }

  goUncertain() {
    const from = this.selection?.end ?? this.current?.end ?? this.place;
    const next = this.note.view.uncertain.find((row) => row.start >= from);
    if (next) this.select(next);
    else this.page.say(this.note.blind ? "not in this queue" : "no uncertain word below");
  }

  /** @param {string} wanted @returns {number} how many places hold it */
  find(wanted) {
    this.found = this.note.view.text.find(wanted);
    return this.found.length;
  }

  goFound() {
    const from = this.selection?.end ?? this.place;
    const n = Math.max(
      this.found.findIndex((row) => row.start >= from),
      0,
    );
    if (this.found.length === 0) return this.page.say("nothing found");
    this.select(this.found[n], false);
    return this.page.say(`place ${n + 1} of ${this.found.length}`);
  }

  /** Selects a stretch, and says it. @param {Stretch} stretch */
  select({ start, end }, whole = true) {
    if (this.current) {
      this.current = null;
      this.page.panes.setCurrent(null);
    }
    this.selection = { start, end, whole, side: this.selection?.side };
    this.anchor = null;
    this.moving = null;
    this.place = start;
    if (document.activeElement !== this.page.panes.host)
      this.page.panes.host.focus({ preventScroll: true });
    this.page.panes.select({ start, end }, this.selection.side);
    this.page.say(this.note.view.text.slice(start, end).replaceAll("\ufffc", ""));
    this.page.onMove();
  }

  /** The mouse was let go: whole words, or characters with Alt. @param {boolean} byCharacters */
  take(byCharacters) {
    const read = this.page.panes.drawn.read();
    if (!read) return false;
    const stretch = this.note.view.words.snap(read.start, read.end, !byCharacters);
    if (!stretch) return false;
    this.selection = { ...stretch, whole: !byCharacters, side: read.side };
    this.select(stretch, !byCharacters);
    return true;
  }

  /** What the browser's own keys or a finger selected. */
  #selectionChanged() {
    if (!this.note || isField(document.activeElement) || document.querySelector("dialog[open]"))
      return;
    const read = this.page.panes.drawn.read();
    if (!read) {
      if (this.selection && document.getSelection()?.isCollapsed) this.selection = null;
      return;
    }
    const same = this.selection?.start === read.start && this.selection?.end === read.end;
    if (!same) this.selection = { ...read, whole: true };
  }

  selected() {
    if (!this.selection) return null;
    const { start, end, whole } = this.selection;
    return this.note.view.words.snap(start, end, whole);
  }
}
