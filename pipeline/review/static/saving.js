/** Keeps the server's copy of one document's marks up to date, and says so when it cannot. */
import { Refusal } from "./api.js";

const DELAY_MS = 400;
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 30_000;

/** @typedef {"saved"|"waiting"|"saving"|"failed"|"conflict"|"locked"} SavingState */

/** One document's saves: one at a time, the whole set each time, tried until it is saved. */
export class Saver {
  #version = 0;
  #saved = 0;
  #timer = 0;
  #retry = FIRST_RETRY_MS;
  /** @type {?Promise<boolean>} */
  #running = null;

  /**
   * @param {object} options
   * @param {number|string} options.revision
   * @param {(revision: number|string) => Promise<{revision: number|string}>} options.save
   * @param {(state: SavingState, refusal: ?Refusal) => void} options.tell
   * @param {(answer: object) => boolean} [options.isMine] whether what the server has instead is
   *     what was sent: then an answer was lost, and nobody else has saved
   */
  constructor({ revision, save, tell, isMine = () => false }) {
    this.revision = revision;
    this.save = save;
    this.tell = tell;
    this.isMine = isMine;
    /** @type {SavingState} */
    this.state = "saved";
  }

  /** @returns {boolean} whether something is not saved yet */
  get isDirty() {
    return this.#version !== this.#saved;
  }

  /** Something was changed: it is saved soon, together with what follows at once. */
  changed() {
    this.#version += 1;
    if (this.state === "conflict" || this.state === "locked") return;
    if (this.state !== "failed") this.#say("waiting");
    this.#later(DELAY_MS);
  }

  /**
   * Saves now.
   * @returns {Promise<boolean>} whether all is saved
   */
  async flush() {
    clearTimeout(this.#timer);
    while (this.isDirty || this.#running) {
      this.#running ??= this.#send().finally(() => (this.#running = null));
      if (!(await this.#running)) return false;
    }
    return true;
  }

  /** Says that another revision was seen, and saves over it, or takes it as saved. */
  resolve(revision, { mine }) {
    this.revision = revision;
    if (mine) this.#version += 1;
    else this.#saved = this.#version;
    this.#say(mine ? "waiting" : "saved");
    return this.flush();
  }

  /** There is a session again. */
  resume() {
    if (this.isDirty) return this.flush();
    this.#say("saved");
    return Promise.resolve(true);
  }

  /** No more saves of this document. */
  close() {
    clearTimeout(this.#timer);
    this.tell = () => {};
  }

  async #send() {
    const version = this.#version;
    this.#say("saving");
    try {
      this.revision = (await this.save(this.revision)).revision;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.status === 409 && this.isMine(error.answer))
        return this.#lost(version, error.answer);
      if (error.status === 409) this.#say("conflict", error);
      else if (error.status === 401) this.#say("locked", error);
      else this.#again(error);
      return false;
    }
    this.#saved = version;
    this.#retry = FIRST_RETRY_MS;
    this.#say(this.isDirty ? "waiting" : "saved");
    return true;
  }

  /** The server has saved, and its answer was lost: a verdict may be all that it lacks. */
  #lost(version, { revision, error }) {
    this.revision = revision;
    if (error !== "Final") return true;
    this.#saved = version;
    this.#say("saved");
    return true;
  }

  #again(error) {
    this.#say("failed", error);
    this.#later(this.#retry);
    this.#retry = Math.min(2 * this.#retry, LONGEST_RETRY_MS);
  }

  #later(delay) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), delay);
  }

  #say(state, refusal = null) {
    this.state = state;
    this.tell(state, refusal);
  }
}
