/** The screen of a reader, FIND or MEASURE: opens notes, saves marks, goes on to the next. */
import { Refusal } from "./api.js";
import * as dialogs from "./dialogs.js";
import { byId } from "./dom.js";
import { FindBar } from "./find.js";
import { Inspector } from "./inspector.js";
import { CHANGES, Marking } from "./marking.js";
import { bodyOf, openedNote } from "./note.js";
import { Panes } from "./panes.js";
import { pointing } from "./pointing.js";
import { DocumentView } from "./segments.js";
import { countsSaid, pieceSaid, spanSaid, titleSaid } from "./telling.js";

const TICK_MS = 1000;
/** What was planted has been told by then. */
const FINAL = "In a campaign a verdict stands: this note was read.";

/** One reader and the note that is open. */
export class Reader {
  /** @type {?object} */
  note = null;
  busy = false;

  /**
   * @param {object} page
   * @param {import("./api.js").Api} page.api
   * @param {import("./session.js").Info} page.info
   * @param {import("./keys.js").Keys} page.keys
   * @param {import("./queue.js").Queue} page.queue
   * @param {import("./status.js").Status} page.status
   * @param {(refusal: Refusal) => boolean} page.isLocked handles that the session ended
   */
  constructor(page) {
    this.page = page;
    const { info, keys, status, api } = page;
    this.blind = info.queue === "measure";
    this.canShowOriginal = info.can.original && !this.blind;
    this.panes = new Panes(byId("panes"), (piece) => pieceSaid(piece, this.note));
    this.panes.isBlind = this.blind;
    this.inspector = new Inspector(byId("inspector"), {
      keys,
      labels: info.labels,
      blind: this.blind,
      canShowOriginal: this.canShowOriginal,
      mark: (label) => this.#mark(label),
      act: (action) => this.act(action),
      onComment: (text) => this.#commented(text),
    });
    this.marking = new Marking({
      panes: this.panes,
      labels: info.labels,
      say: (text) => status.say(text),
      onChange: () => this.#changed(),
      onMove: () => this.#tell(),
      pickLabel: (title) => dialogs.pick(title, dialogs.labelChoices(info.labels)),
      confirm: dialogs.confirm,
      same: (stretch) => this.#asked(api.same(this.note.item, stretch), []).then((answer) => answer.places ?? []),
    });
    this.find = new FindBar(byId("find"), { marking: this.marking, panes: this.panes, say: (text) => status.say(text) });
    this.acts = {
      ...this.marking.actions,
      find: () => this.find.open(),
      done: () => this.done(),
      "previous-note": () => this.previous(),
      skip: () => this.skip(),
      original: () => this.toggleOriginal(),
      comment: () => byId("comment").focus(),
    };
    this.ticking = setInterval(() => !document.hidden && this.note && this.note.seconds++, TICK_MS);
    pointing(this.panes.host, {
      marking: this.marking,
      isBusy: () => this.busy,
      retype: () => this.act("retype"),
    });
  }

  #mark(label) {
    if (this.note?.isFinal) this.page.status.say(FINAL);
    else if (this.note && !this.busy) this.marking.markAs(label);
  }

  /** @param {string} action @returns {boolean} whether this screen knows it */
  act(action) {
    const what = this.acts[action];
    if (!what) return false;
    if (this.busy) return true;
    if (!this.note && action !== "done") this.page.status.say("no note is open");
    else if (this.note?.isFinal && CHANGES.has(action)) this.page.status.say(FINAL);
    else what();
    return true;
  }

  /**
   * Opens a note, after what was open is saved.
   * @param {{doc: string, field?: ?string}} item
   * @param {{claimed?: boolean}} [options]
   */
  async open(item, { claimed = false } = {}) {
    await this.#alone(async () => {
      if (!(await this.leave())) return;
      const document = await this.#fetched(item, claimed);
      if (document) this.#show(document);
    });
  }

  async #alone(work) {
    if (this.busy) return;
    this.busy = true;
    try {
      await work();
    } finally {
      this.busy = false;
    }
  }

  async #fetched(item, claimed) {
    const { api, status, queue } = this.page;
    try {
      if (!claimed) await api.claim(item);
      return await api.document(item, "published");
    } catch (error) {
      if (!this.#refused(error)) return null;
      status.alarm(error.status === 423 ? "Somebody else reads this note: take another." : `The note was not opened: ${error.message}`);
      await this.#asked(queue.load(), null);
      return null;
    }
  }

  /** Whether a refusal is for the caller to tell. */
  #refused(error) {
    if (!(error instanceof Refusal)) throw error;
    return !this.page.isLocked(error);
  }

  async #asked(promise, otherwise) {
    try {
      return await promise;
    } catch (error) {
      if (this.#refused(error)) this.page.status.alarm(error.message);
      return otherwise ?? {};
    }
  }

  #show(document, kept = null) {
    const { status, queue, api } = this.page;
    const note = openedNote(document, kept, {
      blind: this.blind,
      save: (revision) => api.saveMarks(note.item, revision, bodyOf(note)),
      tell: (state, refusal) => this.#saving(note, state, refusal),
    });
    this.note = note;
    this.panes.show(note.view, () => note.marks.spans);
    this.marking.open(note);
    this.inspector.open(note.comment);
    status.alarm(null);
    status.saving(note.saver.state);
    status.title(titleSaid(note, queue, this.page.info));
    queue.show(queue.find(note.item));
    this.#tell();
    this.panes.host.scrollTop = 0;
    this.panes.host.focus({ preventScroll: true });
  }

  /** Saves what is open, and closes it. @returns {Promise<boolean>} whether it may be left */
  async leave() {
    const note = this.note;
    if (!note) return true;
    if (!(await note.saver.flush())) {
      this.page.status.say("not saved: the note stays open");
      return false;
    }
    note.saver.close();
    this.close();
    return true;
  }

  /** Nothing of the note stays in the page. */
  close() {
    this.note = null;
    this.marking.open(null);
    this.panes.clear();
    this.find.close();
    this.inspector.open(null);
    this.page.status.title("No note is open");
    this.page.status.saving(null);
    this.page.queue.show(null);
  }

  #changed() {
    this.note.saver.changed();
  }

  #commented(text) {
    if (!this.note) return;
    this.note.comment = text;
    this.note.saver.changed();
  }

  #saving(note, state, refusal) {
    const { status } = this.page;
    status.saving(state);
    if (state === "saved") status.alarm(null);
    if (state === "failed") {
      const again = () => note.saver.flush();
      status.alarm(`NOT SAVED: ${refusal.message}. What you marked is kept here, and is tried again.`, "Try now", again);
    }
    if (state === "locked") this.page.isLocked(refusal);
    if (state === "conflict") this.#conflict(note, refusal.answer);
  }

  async #conflict(note, { revision, spans = [] }) {
    const again = () => this.#conflict(note, { revision, spans });
    this.page.status.alarm("NOT SAVED: this note was saved from another window.", "Choose", again);
    if (document.querySelector("dialog[open]")) return;
    const chosen = await dialogs.conflict(note.marks.spans.length, spans.length);
    if (note !== this.note || !chosen) return;
    await note.saver.resolve(revision, { mine: chosen === "mine" });
    if (chosen === "theirs") this.marking.replaceAll(spans);
  }

  async done(verdict = "done", reason = null) {
    if (!this.note) return this.#begin();
    await this.#alone(async () => {
      const { note, page } = this;
      const before = { verdict: note.verdict, reason: note.reason };
      const isSaid = note.verdict === verdict && verdict !== "skipped" && !note.saver.isDirty;
      if (!isSaid && !note.isFinal) {
        Object.assign(note, { verdict, reason });
        note.saver.changed();
      }
      if (!(await note.saver.flush())) {
        Object.assign(note, before);
        return page.status.say("not saved: the note stays open");
      }
      let answer;
      try {
        answer = await page.api.done(note.item);
      } catch (error) {
        if (this.#refused(error)) page.status.alarm(`The marks are saved, but the note was not closed: ${error.message}`);
        return null;
      }
      note.saver.close();
      page.status.measured(answer.measured);
      await this.#asked(page.queue.load(), null);
      const next = answer.next;
      this.close();
      if (!next) return page.status.say("No note is left to read.");
      const document = await this.#fetched(next, true);
      if (document) this.#show(document);
      return null;
    });
    return null;
  }

  #begin() {
    const next = this.page.queue.nextOpen;
    return next ? this.open(next) : this.page.status.say("No note is left to read.");
  }

  previous() {
    const item = this.page.queue.find(this.note.item);
    const before = item && this.page.queue.before(item);
    return before ? this.open(before) : this.page.status.say("no note above");
  }

  async skip() {
    const said = await dialogs.skipping(this.blind ? "Skip: counts as a leak" : "Skip");
    if (said) await this.done(said.verdict, said.reason);
  }

  async toggleOriginal() {
    const { note, page } = this;
    if (!this.canShowOriginal) return page.status.say("originals cannot be shown here");
    return this.#alone(async () => {
      const shown = note.view.hasOriginal
        ? note.published
        : await this.#asked(page.api.document(note.item, "original"), null);
      if (!shown.segments || note !== this.note) return;
      note.view = new DocumentView(shown);
      const current = this.marking.current;
      this.panes.show(note.view, () => note.marks.spans);
      this.panes.setCurrent(current);
      page.status.say(note.view.hasOriginal ? "original shown, and logged" : "original hidden");
    });
  }

  /** Says which span is the current one. */
  #tell() {
    if (!this.note) return;
    const text = spanSaid(this.note, this.marking);
    this.inspector.show(text, countsSaid(this.note, this.marking));
    if (this.marking.current) this.page.status.say(text);
  }

  /** Something would be lost if the page were closed. */
  get isDirty() {
    return this.note?.saver.isDirty ?? false;
  }

  /** The session is about to end: one last attempt to save. */
  async rest() {
    await this.note?.saver.flush();
  }

  /** The session ended: the text goes; what is not saved stays in memory. @returns {?object} */
  lock() {
    clearInterval(this.ticking);
    const note = this.note;
    const unsaved = note?.saver.isDirty ? { ...note, view: null, published: null } : null;
    if (unsaved) unsaved.saver.tell = () => {};
    this.close();
    return unsaved;
  }

  /** A new session: what was not saved is opened again, and saved. @param {object} unsaved */
  async resume(unsaved) {
    const document = await this.#fetched(unsaved.item, false);
    if (!document) return false;
    this.#show(document, unsaved);
    this.note.saver.changed();
    return this.note.saver.flush();
  }
}
