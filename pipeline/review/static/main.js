/** The page: from the link to the screen of the reader or adjudicator, until it is locked. */
import { Adjudicator } from "./adjudicator.js";
import { Api, Refusal } from "./api.js";
import * as dialogs from "./dialogs.js";
import { byId } from "./dom.js";
import { isField, Keys } from "./keys.js";
import * as panels from "./panels.js";
import { Queue } from "./queue.js";
import { Reader } from "./reader.js";
import { enter, forget, Idle, takeToken, tokenOf } from "./session.js";
import { Status } from "./status.js";

const LAST_SAVE_MS = 3000;

/** Holds what is there while a session lasts, and what outlives it: marks that are not saved. */
class Page {
  api = new Api();
  keys = new Keys();
  status = new Status();
  /** @type {?(Reader|Adjudicator)} */
  screen = null;
  /** @type {?{reviewer: string, run: string, kept: object}} */
  unsaved = null;

  constructor() {
    document.addEventListener("keydown", (event) => this.#keyDown(event));
    window.addEventListener("beforeunload", (event) => {
      if (this.screen?.isDirty || this.unsaved) event.preventDefault();
    });
    // A new link in the tab of the old one changes the fragment alone.
    window.addEventListener("hashchange", () => this.enter(takeToken()));
    byId("unlock").addEventListener("submit", (event) => {
      event.preventDefault();
      const field = /** @type {HTMLInputElement} */ (byId("link"));
      const token = tokenOf(field.value);
      field.value = "";
      this.enter(token);
    });
    const opened = {
      "open-curve": () => panels.curve(this.api),
      "open-agreement": () => panels.agreement(this.api),
      "open-measure": () => panels.measure(this.api),
      "open-train": () => panels.train(this.api),
      "open-rescrub": () => panels.rescrub(this.api),
      "open-help": () => this.help(),
      "lock-now": () => this.lock("Locked by you."),
      "open-queue": () => this.#toggleQueue(),
    };
    for (const [id, open] of Object.entries(opened)) byId(id).addEventListener("click", open);
  }

  /** @param {string} token */
  async enter(token) {
    try {
      const info = await enter(this.api, token);
      if (info) await this.#begin(info);
      else this.#showLock("This page needs a link: `scrubline review` prints one.");
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      forget();
      const why = error.status
        ? "This link is not good, or was used before. Ask for a new one."
        : "The server does not answer.";
      this.#showLock(why);
    }
  }

  async #begin(info) {
    this.screen?.lock();
    this.idle?.stop();
    dialogs.closeAll();
    this.info = info;
    const page = {
      api: this.api,
      info,
      keys: this.keys,
      status: this.status,
      isLocked: (error) => this.#isLocked(error),
    };
    this.queue = new Queue(byId("items"), {
      api: this.api,
      of: info.queue,
      open: (item) => this.screen.open(item),
      onChange: () => this.status.progress(this.queue, info),
    });
    const Screen = info.role === "adjudicator" ? Adjudicator : Reader;
    this.screen = new Screen({ ...page, queue: this.queue });
    this.status.clear();
    this.status.begin(info);
    this.#arrange(info);
    this.idle = new Idle(info.idle_seconds, {
      warn: (seconds) => this.status.say(`Locks in ${seconds} seconds unless you go on.`),
      lock: () => this.lock("Locked: nobody was here for some time."),
    });
    try {
      await this.queue.load();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!this.#isLocked(error)) this.status.alarm(`The queue was not read: ${error.message}`);
      return;
    }
    await this.#resume(info);
  }

  #arrange(info) {
    byId("lock").hidden = true;
    byId("desk").hidden = false;
    document.body.dataset.queue = info.queue;
    document.body.dataset.role = info.role;
    byId("who").textContent =
      `${info.reviewer}${info.role === "adjudicator" ? ", adjudicator" : ""}`;
    byId("open-train").hidden = !info.can.train;
    byId("open-rescrub").hidden = !info.can.rescrub;
    byId("open-measure").hidden = info.queue !== "measure";
    this.status.title("No note is open");
    this.status.say(
      `Press ${this.keys.of("done")} for the first note, ${this.keys.of("help")} for all keys.`,
    );
  }

  async #resume(info) {
    const { unsaved } = this;
    if (!unsaved || unsaved.reviewer !== info.reviewer || unsaved.run !== info.run) return;
    if (await this.screen.resume(unsaved.kept)) {
      this.unsaved = null;
      this.status.say("What was not saved is saved now.");
    }
  }

  #keyDown(event) {
    if (event.defaultPrevented || !this.screen || document.querySelector("dialog[open]")) return;
    if (event.key === "Escape" && isField(event.target)) {
      byId("panes").focus();
      return;
    }
    const action = this.keys.actionOf(event);
    if (!action) return;
    if (action === "help") this.help();
    else if (!this.screen.act(action)) return;
    event.preventDefault();
  }

  async help() {
    await dialogs.help(
      this.keys,
      this.info?.role === "adjudicator" ? [] : (this.info?.labels ?? []),
    );
    this.screen?.inspector?.showKeys();
  }

  #toggleQueue() {
    const isOpen = document.body.classList.toggle("queue-open");
    byId("open-queue").setAttribute("aria-expanded", String(isOpen));
  }

  /** Whether a refusal means that the session ended; then the page is locked. */
  #isLocked(error) {
    if (error.status !== 401) return false;
    this.#empty("Locked: the session ended.");
    return true;
  }

  /** Saves what can be saved, ends the session, and empties the page. @param {string} why */
  async lock(why) {
    const waited = new Promise((resolve) => setTimeout(resolve, LAST_SAVE_MS));
    byId("desk").hidden = true;
    await Promise.race([this.screen?.rest(), waited]);
    await this.api.lock().catch(() => {});
    this.#empty(why);
  }

  #empty(why) {
    this.idle?.stop();
    const kept = this.screen?.lock();
    if (kept) this.unsaved = { reviewer: this.info.reviewer, run: this.info.run, kept };
    this.screen = null;
    this.queue?.clear();
    dialogs.closeAll();
    this.status.clear();
    forget();
    this.api.session = null;
    const more = this.unsaved
      ? " Some marks are NOT SAVED: do not close this tab, paste a new link here."
      : " Ask for a new link.";
    this.#showLock(why + more);
  }

  #showLock(why) {
    byId("desk").hidden = true;
    byId("lock").hidden = false;
    byId("why").textContent = why;
    byId("link").focus();
  }
}

const token = takeToken();
new Page().enter(token);
