/** The screen of an adjudicator: where two readers of a note differ, and nothing else. */
import { sayState } from "./alarms.js";
import { Refusal } from "./api.js";
import * as dialogs from "./dialogs.js";
import { byId, make } from "./dom.js";
import { differenceItem, UNDECIDED } from "./differences.js";
import { Panes } from "./panes.js";
import { Saver } from "./saving.js";
import { DocumentView } from "./segments.js";
import { counted } from "./telling.js";

/** The differences of one note at a time. */
export class Adjudicator {
  /** @type {?object} */
  note = null;
  at = 0;
  busy = false;
  #past = [];

  /** @param {object} page as `Reader` has it */
  constructor(page) {
    this.page = page;
    this.panes = new Panes(
      byId("panes"),
      ({ mark, text }) => `${mark?.label ?? "removed"}: ${text}`,
    );
    this.panes.isBlind = true;
    this.list = make("ol", { class: "differences", "aria-label": "Differences" });
    const next = make(
      "button",
      { type: "button", class: "main", click: () => this.act("done") },
      "done, next",
    );
    byId("inspector").replaceChildren(this.list, next);
    byId("inspector").setAttribute("aria-label", "Differences");
    this.acts = {
      "next-span": () => this.go(this.at + 1),
      "previous-span": () => this.go(this.at - 1),
      "more-labels": () => this.decide(UNDECIDED),
      undo: () => this.undo(),
      done: () => this.done(),
      "previous-note": () => this.previous(),
      ...Object.fromEntries(
        Array.from({ length: 9 }, (_, n) => [`label-${n + 1}`, () => this.take(n)]),
      ),
    };
  }

  /** @param {string} action @returns {boolean} */
  act(action) {
    const what = this.acts[action];
    if (!what) return false;
    if (this.busy) return true;
    if (!this.note && action !== "done") this.page.status.say("no note is open");
    else what();
    return true;
  }

  /** @param {{doc: string, field?: ?string}} item */
  async open(item) {
    if (this.busy) return;
    this.busy = true;
    try {
      if (await this.leave()) await this.#fetch(item);
    } finally {
      this.busy = false;
    }
  }

  async #fetch(item) {
    try {
      const answer = await this.page.api.differences(item);
      this.#show(item, answer, answer.document ?? answer);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!this.page.isLocked(error))
        this.page.status.alarm(`The note was not opened: ${error.message}`);
    }
  }

  #show(item, { differences, readers, rows }, document) {
    const view = new DocumentView({ ...document, run_spans: [], uncertain: [] });
    const decisions = differences.map(({ start, end }) => ({ start, end, label: undefined }));
    const note = {
      item: { doc: item.doc, field: item.field },
      view,
      differences,
      readers,
      rows,
      decisions,
    };
    note.saver = new Saver({
      revision: 0,
      save: () => this.page.api.saveDecisions(note.item, bodyOf(note)),
      tell: (state, refusal) => this.#saving(note, state, refusal),
    });
    this.note = note;
    this.#past = [];
    this.page.status.alarm(null);
    this.page.status.title(
      `Note ${this.page.queue.find(item)?.n ?? ""}: ${counted(differences.length, "difference")}`,
    );
    this.page.queue.show(this.page.queue.find(item));
    this.panes.show(view, () => this.#spans());
    this.#draw();
    this.go(0);
  }

  /** The differences as they are drawn in the text: only those that overlap none before. */
  #spans() {
    const spans = [];
    for (const { start, end, label } of this.note?.decisions ?? []) {
      if (start >= (spans.at(-1)?.end ?? 0)) {
        spans.push({
          start,
          end,
          label: label === undefined ? "?" : (label ?? "no PHI"),
          was: null,
        });
      }
    }
    return spans;
  }

  #draw() {
    const acts = (n) => ({
      take: (reader) => {
        this.at = n;
        this.take(reader);
      },
      leave: () => {
        this.at = n;
        this.decide(UNDECIDED);
      },
    });
    const { differences } = this.note;
    this.list.replaceChildren(
      ...differences.map((_, n) => differenceItem(this.note, n, n === this.at, acts(n))),
    );
  }

  /** @param {number} n */
  go(n) {
    const last = this.note.differences.length - 1;
    this.at = Math.min(Math.max(n, 0), Math.max(last, 0));
    for (const row of this.list.children) {
      row.toggleAttribute("aria-current", false);
      if (row.dataset.n === String(this.at)) row.setAttribute("aria-current", "true");
    }
    const row = this.list.children[this.at];
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
    const difference = this.note.differences[this.at];
    if (difference) this.panes.setCurrent(difference, { focus: false });
    this.page.status.say(
      difference ? `difference ${this.at + 1} of ${last + 1}` : "the readers agree",
    );
  }

  /** What one reader marked; behind them, another label. @param {number} n */
  async take(n) {
    const { note, at } = this;
    const difference = note.differences[at];
    if (!difference || n > note.readers.length) return;
    if (n < note.readers.length) {
      this.decide(difference.marks[note.readers[n]] ?? null);
      return;
    }
    const { labels } = this.page.info;
    const nothing = { key: "0", says: "no PHI", value: "" };
    const label = await dialogs.pick("Another decision", [
      ...dialogs.labelChoices(labels),
      nothing,
    ]);
    if (label !== null && note === this.note && at === this.at) this.decide(label || null);
  }

  /** @param {?string} label null: no PHI */
  decide(label) {
    const decision = this.note.decisions[this.at];
    if (!decision) return;
    this.#past.push([this.at, decision.label]);
    this.#set(this.at, label);
    this.go(this.at + 1);
  }

  undo() {
    const before = this.#past.pop();
    if (!before) {
      this.page.status.say("nothing to undo");
      return;
    }
    this.#set(...before);
    this.go(before[0]);
  }

  #set(n, label) {
    this.note.decisions[n].label = label;
    this.#draw();
    this.panes.update([this.note.decisions[n]]);
    this.note.saver.changed();
  }

  async done() {
    const { note, page } = this;
    if (!note) return this.#next();
    const open = note.decisions.filter(({ label }) => label === undefined).length;
    if (open > 0) {
      const question = `${open} not decided: each counts as a leak. Leave them undecided?`;
      if (!(await dialogs.confirm(question, "Leave undecided"))) return null;
      for (const row of note.decisions) if (row.label === undefined) row.label = UNDECIDED;
    }
    note.saver.changed();
    if (!(await note.saver.flush())) return page.status.say("not saved: the note stays open");
    const item = page.queue.find(note.item);
    if (item) item.state = "done";
    return this.#next();
  }

  async #next() {
    const { queue, status } = this.page;
    const next = queue.nextOpen;
    if (next) return this.open(next);
    if (await this.leave()) status.say("No note is left to decide.");
    return null;
  }

  previous() {
    const { queue, status } = this.page;
    const before = queue.before(this.note.item);
    return before ? this.open(before) : status.say("no note above");
  }

  #saving(note, state, refusal) {
    sayState(this.page, note.saver, state, refusal, () => {
      const why = `NOT SAVED: ${refusal.message}. Open the note anew: your decisions are kept.`;
      this.page.status.alarm(why, "Open anew", () => this.resume(note));
    });
  }

  /** @returns {Promise<boolean>} whether the note may be left */
  async leave() {
    if (!this.note) return true;
    if (!(await this.note.saver.flush())) return false;
    this.note.saver.close();
    this.close();
    return true;
  }

  close() {
    this.note = null;
    this.panes.clear();
    this.list.replaceChildren();
    this.page.status.title("No note is open");
    this.page.status.saving(null);
  }

  get isDirty() {
    return this.note?.saver.isDirty ?? false;
  }

  async rest() {
    await this.note?.saver.flush();
  }

  /** @returns {?object} what is not saved */
  lock() {
    const note = this.note;
    const unsaved = note?.saver.isDirty ? { item: note.item, decisions: note.decisions } : null;
    note?.saver.close();
    this.close();
    return unsaved;
  }

  /** @param {object} unsaved */
  async resume({ item, decisions }) {
    this.note?.saver.close();
    await this.#fetch(item);
    if (!this.note) return false;
    for (const { start, end, label } of decisions) {
      const decision = this.note.decisions.find((row) => row.start === start && row.end === end);
      if (decision) decision.label = label;
    }
    this.#draw();
    this.panes.update(this.note.decisions);
    this.note.saver.changed();
    return this.note.saver.flush();
  }
}

function bodyOf({ decisions, rows }) {
  return {
    decisions: decisions.map(({ start, end, label }) => ({
      start,
      end,
      label: label === undefined ? UNDECIDED : label,
    })),
    rows,
  };
}
