/** The notes to read, as a list. In the measure queue nothing tells one from another. */
import { make } from "./dom.js";

const PAGE = 200;
const BARS = 7;
const STATES = { open: "", done: "✓ done", skipped: "skipped", taken: "being read" };

/**
 * @typedef {object} Item
 * @property {string} doc
 * @property {?string} field
 * @property {number} n
 * @property {string} state
 * @property {number} [bars]
 * @property {string} [type]
 */

/** The queue, as far as it was asked for. */
export class Queue {
  /** @type {Item[]} */
  items = [];
  total = 0;
  done = 0;
  skipped = 0;
  others = 0;

  /**
   * @param {HTMLElement} host
   * @param {object} page
   * @param {import("./api.js").Api} page.api
   * @param {"find"|"measure"} page.of
   * @param {(item: Item) => void} page.open
   * @param {() => void} page.onChange
   */
  constructor(host, page) {
    this.page = page;
    this.list = make("ol", { class: "items" });
    this.more = make("button", { type: "button", hidden: true, click: () => this.#more() }, "more");
    host.replaceChildren(this.list, this.more);
  }

  /** Asks again for what is shown. */
  async load() {
    await this.#ask(0, Math.max(PAGE, this.items.length), []);
  }

  async #more() {
    await this.#ask(this.items.at(-1)?.n ?? 0, PAGE, this.items);
  }

  async #ask(after, limit, before) {
    const answer = await this.page.api.queue(this.page.of, after, limit);
    this.total = answer.total;
    this.done = answer.done;
    this.skipped = answer.skipped;
    this.others = answer.others;
    this.items = [...before, ...answer.items];
    this.more.hidden = answer.items.length < limit;
    this.#draw();
    this.page.onChange();
  }

  /** @returns {?Item} */
  get nextOpen() {
    return this.items.find(({ state }) => state === "open") ?? null;
  }

  /** @param {{doc: string, field?: ?string}} wanted @returns {?Item} */
  find({ doc, field }) {
    return (
      this.items.find((item) => item.doc === doc && (item.field ?? null) === (field ?? null)) ??
      null
    );
  }

  /** @param {{doc: string, field?: ?string}} wanted @returns {?Item} the one above it */
  before(wanted) {
    const at = this.items.indexOf(this.find(wanted));
    return at > 0 ? this.items[at - 1] : null;
  }

  /** @param {?Item} item the one that is open */
  show(item) {
    this.current = item;
    for (const button of this.list.querySelectorAll("button")) {
      const open = item !== null && button.dataset.n === String(item.n);
      if (open) {
        button.setAttribute("aria-current", "true");
        button.scrollIntoView({ block: "nearest" });
      } else button.removeAttribute("aria-current");
    }
  }

  clear() {
    this.items = [];
    this.list.replaceChildren();
  }

  #draw() {
    const focused = document.activeElement?.closest?.(".items button")?.dataset.n;
    this.list.replaceChildren(
      ...this.items.map((item) => {
        const cells = [make("span", { class: "n" }, item.n)];
        if (item.bars) cells.push(risk(item.bars));
        cells.push(make("span", { class: "type" }, item.type || "note"));
        const state = STATES[item.state] ?? item.state;
        cells.push(make("span", { class: "state" }, state));
        const click = () => this.page.open(item);
        const name = `item ${item.state}`;
        return make(
          "li",
          {},
          make("button", { type: "button", class: name, "data-n": item.n, click }, ...cells),
        );
      }),
    );
    this.show(this.current ?? null);
    if (focused) this.list.querySelector(`[data-n="${focused}"]`)?.focus();
  }
}

function risk(bars) {
  const drawn = "▮".repeat(bars) + "▯".repeat(Math.max(0, BARS - bars));
  return make(
    "span",
    { class: "bars" },
    make("span", { class: "unseen" }, `risk ${bars} of ${BARS}`),
    make("span", { "aria-hidden": "true" }, drawn),
  );
}
