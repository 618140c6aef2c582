/** The screen of a reader, FIND or MEASURE: opens notes, saves marks, goes on to the next. */
import { settle, sayState } from "./alarms.js";
import { Refusal } from "./api.js";
import * as dialogs from "./dialogs.js";
import { byId } from "./dom.js";
import { FindBar } from "./find.js";
import { Inspector } from "./inspector.js";
import { CHANGES, Marking, markingPage } from "./marking.js";
import { bodyOf, fetchedNote, openedNote } from "./note.js";
import { Panes } from "./panes.js";
import { pointing } from "./pointing.js";
import { DocumentView } from "./segments.js";
import { countsSaid, pieceSaid, refusalSaid, spanSaid, titleSaid } from "./telling.js";

const TICK_MS = 1000;
const NOTHING_LEFT = "No note is left to read.";
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
    const { info, keys, api } = page;
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
    this.marking = new Marking(
      markingPage(page, this.panes, {
        onChange: () => this.note.saver.changed(),
        onMove: () => this.#tell(),
        same: (stretch) => this.#asked(api.same(this.note.item, stretch), { places: [] }),
      }),
    );
    this.find = new FindBar(byId("find"), this.marking);
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
   */
  async open(item) {
    await this.#alone(async () => {
      if (!(await this.leave())) return;
      const document = await this.#fetched(item, false);
      if (document) this.#show(document);
    });
  }

  async #alone(work) {
    if (this.busy) return;
    this.busy = true;
    // What is written while a note is closed would be lost with it.
    this.inspector.comment.readOnly = true;
    try {
      await work();
    } finally {
      this.busy = false;
      this.inspector.comment.readOnly = false;
    }
  }

  async #fetched(item, claimed) {
    try {
      return await fetchedNote(this.page.api, item, claimed);
    } catch (error) {
      if (!this.#refused(error)) return null;
      this.page.status.alarm(refusalSaid(error));
      await this.#asked(this.page.queue.load(), null);
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

  #commented(text) {
    if (!this.note) return;
    this.note.comment = text;
    this.note.saver.changed();
  }

  #saving(note, state, refusal) {
    sayState(this.page, note.saver, state, refusal, (answer) =>
      settle(this.page.status, note, answer, {
        isOpen: () => note === this.note,
        replaceAll: (spans) => this.marking.replaceAll(spans),
      }),
    );
  }

  async done(verdict = "done", reason = null) {
    if (!this.note) {
      const next = this.page.queue.nextOpen;
      return next ? this.open(next) : this.page.status.say(NOTHING_LEFT);
    }
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
        if (this.#refused(error)) page.status.alarm(`Saved, but not closed: ${error.message}`);
        return null;
      }
      note.saver.close();
      page.status.measured(answer.measured);
      await this.#asked(page.queue.load(), null);
      this.close();
      if (!answer.next) return page.status.say(NOTHING_LEFT);
      const document = await this.#fetched(answer.next, true);
      if (document) this.#show(document);
      return null;
    });
    return null;
  }

  previous() {
    const before = this.page.queue.before(this.note.item);
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

  #tell() {
    if (!this.note) return;
    const text = spanSaid(this.note, this.marking);
    this.inspector.show(text, countsSaid(this.note, this.marking));
    if (this.marking.current) this.page.status.say(text);
  }

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
    note?.saver.close();
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
