/** What a reader does to the marks of a note. */
import { Caret } from "./caret.js";
import * as dialogs from "./dialogs.js";
import { counted } from "./telling.js";
import { rowAt, rowsWithin } from "./text.js";

/** Acts that change marks, or end in a change. */
export const CHANGES = new Set([
  ...Array.from({ length: 9 }, (_, n) => `label-${n + 1}`),
  ...["more-labels", "retype", "delete", "all-alike", "undo", "redo", "skip", "comment"],
  ...["start-out", "start-in", "end-in", "end-out"].flatMap((edge) => [edge, `${edge}-character`]),
]);

/** Acts on the marks of the note that is open. */
export class Marking extends Caret {
  /** @type {Record<string, () => unknown>} what keys do */
  actions = {
    "next-span": () => this.goSpan(1),
    "previous-span": () => this.goSpan(-1),
    "next-word": () => this.goWord(1, false),
    "previous-word": () => this.goWord(-1, false),
    "more-words": () => this.goWord(1, true),
    "fewer-words": () => this.goWord(-1, true),
    "next-uncertain": () => this.goUncertain(),
    "next-found": () => this.goFound(),
    ...Object.fromEntries(
      Array.from({ length: 9 }, (_, n) => [
        `label-${n + 1}`,
        () => this.markAs(this.page.labels[n]),
      ]),
    ),
    "more-labels": () => this.markByChoice("Label"),
    retype: () => this.markByChoice("Another label"),
    "start-out": () => this.moveEdge("start", -1, true),
    "start-in": () => this.moveEdge("start", 1, true),
    "end-in": () => this.moveEdge("end", -1, true),
    "end-out": () => this.moveEdge("end", 1, true),
    "start-out-character": () => this.moveEdge("start", -1, false),
    "start-in-character": () => this.moveEdge("start", 1, false),
    "end-in-character": () => this.moveEdge("end", -1, false),
    "end-out-character": () => this.moveEdge("end", 1, false),
    delete: () => this.delete(),
    "all-alike": () => this.markAlike(),
    accept: () => this.accept(),
    undo: () => this.travel("undo", "undone", "nothing to undo"),
    redo: () => this.travel("redo", "done again", "nothing to redo"),
  };

  markAs(label) {
    if (!label) return this.page.say("there is no such label");
    const chosen = this.selected();
    if (!chosen && this.isMarked(this.current)) {
      return this.#changed(
        this.note.marks.change(this.current, { label }),
        this.current.start,
        label,
      );
    }
    const stretch = chosen ?? this.current;
    if (!stretch) return this.page.say("select words first");
    return this.#add([stretch], label);
  }

  #add(stretches, label) {
    const { view, blind, marks } = this.note;
    const places = blind
      ? stretches.flatMap(({ start, end }) => view.clearParts(start, end))
      : stretches;
    if (places.length === 0) return this.page.say("nothing here is left in the clear");
    return this.#changed(marks.add(places, label), places[0].start, label);
  }

  async markByChoice(title) {
    if (!this.selected() && !this.current) return this.page.say("select words, or a span, first");
    const kept = this.selection;
    const label = await this.page.pickLabel(title);
    if (kept) this.selection = kept;
    return label ? this.markAs(label) : this.#back();
  }

  #back() {
    if (this.selection) this.page.panes.select(this.selection, this.selection.side);
  }

  moveEdge(edge, direction, byWord) {
    const { view, marks, blind } = this.note;
    const span = this.current;
    if (!this.isMarked(span)) return this.page.say("choose a span first");
    const to = byWord
      ? view.words.edge(span[edge], direction, edge)
      : view.text.step(span[edge], direction);
    const changed = { start: span.start, end: span.end, [edge]: outOfBox(view, to, direction) };
    if (blind && !isOnePart(view, changed))
      return this.page.say("only what is left in the clear is marked");
    const touched = marks.change(span, changed);
    if (touched.length === 0) return this.page.say("no room");
    return this.#changed(
      touched,
      changed.start,
      view.text.slice(changed.start, changed.end).replaceAll("\ufffc", ""),
    );
  }

  delete() {
    if (!this.isMarked(this.current)) return this.page.say("choose a span first");
    const { start, label } = this.current;
    return this.#changed(this.note.marks.remove(this.current), start, `${label} deleted`);
  }

  async markAlike() {
    const chosen = this.selected() ?? this.current;
    if (!chosen) return this.page.say("select words, or a span, first");
    const label = this.isMarked(this.current)
      ? this.current.label
      : await this.page.pickLabel("Mark all alike as");
    if (!label) return this.#back();
    const { note } = this;
    const places = (await this.page.same(chosen)).places.filter((place) =>
      this.#isNew(place, label),
    );
    if (note !== this.note) return null;
    if (places.length === 0) return this.page.say("no other place alike");
    const question = `Mark ${counted(places.length, "place")} alike as ${label}?`;
    return (await this.page.confirm(question, "Mark")) ? this.#add(places, label) : this.#back();
  }

  #isNew(place, label) {
    const { marks, view, blind } = this.note;
    const there = rowsWithin(marks.spans, place.start, place.end);
    if (
      there.some((row) => row.label === label && row.start <= place.start && row.end >= place.end)
    )
      return false;
    return !blind || isOnePart(view, place);
  }

  accept() {
    for (const { start } of this.stops) this.looked.add(start);
    this.page.onMove();
    this.page.say("all that is shown is looked at");
  }

  travel(way, said, otherwise) {
    const touched = this.note.marks[way]();
    if (touched.length === 0) return this.page.say(otherwise);
    return this.#changed(touched, Math.min(...touched.map(({ start }) => start)), said);
  }

  /** Draws what changed; the span at a place becomes the current one. */
  #changed(touched, place, said) {
    this.unselect();
    this.current = null;
    this.page.panes.update(touched);
    this.place = place;
    const span = this.stops.find((row) => row.start === place) ?? null;
    this.setCurrent(span);
    this.page.say(said);
    this.page.onChange();
  }

  /**
   * The whole set as it is on the server.
   * @param {readonly import("./segments.js").Span[]} spans
   */
  replaceAll(spans) {
    this.#changed(this.note.marks.replace(spans), this.place, "the saved marks");
  }
}

function isOnePart(view, { start, end }) {
  const parts = view.clearParts(start, end);
  return parts.length === 1 && parts[0].start === start && parts[0].end === end;
}

/** An edge within what cannot be seen goes on to the end of it. */
function outOfBox(view, point, direction) {
  const box = rowAt(view.boxes, point);
  if (!box || box.original !== undefined || box.start === point) return point;
  return direction < 0 ? box.start : box.end;
}

/**
 * What marking needs of the page around it.
 * @param {{info: import("./session.js").Info, status: import("./status.js").Status}} page
 * @param {import("./panes.js").Panes} panes
 * @param {object} hooks see `Caret`
 */
export function markingPage({ info, status }, panes, hooks) {
  return {
    panes,
    labels: info.labels,
    say: (text) => status.say(text),
    pickLabel: (title) => dialogs.pick(title, dialogs.labelChoices(info.labels)),
    confirm: dialogs.confirm,
    ...hooks,
  };
}
