/** Below the note: what the span is, the labels and acts as buttons, and the comment. */
import { make } from "./dom.js";
import { labelChoices } from "./dialogs.js";

const ACTS = [
  ["retype", "retype"],
  ["delete", "delete"],
  ["start-out", "start out"],
  ["start-in", "start in"],
  ["end-in", "end in"],
  ["end-out", "end out"],
  ["all-alike", "all alike"],
  ["accept", "accept all"],
  ["next-uncertain", "next uncertain"],
  ["undo", "undo"],
  ["redo", "redo"],
  ["find", "find"],
  ["original", "original"],
  ["previous-note", "previous"],
  ["skip", "skip"],
  ["done", "done, next"],
];
const NOT_WHEN_BLIND = new Set(["accept", "next-uncertain"]);

/** Shows, and lets the mouse do all that keys do. */
export class Inspector {
  /**
   * @param {HTMLElement} host
   * @param {object} page
   * @param {import("./keys.js").Keys} page.keys
   * @param {string[]} page.labels
   * @param {boolean} page.blind
   * @param {boolean} page.canShowOriginal
   * @param {(label: string) => void} page.mark
   * @param {(action: string) => void} page.act
   * @param {(text: string) => void} page.onComment
   */
  constructor(host, page) {
    this.page = page;
    this.span = make("p", { class: "span", id: "span" });
    this.counts = make("p", { class: "counts", id: "counts" });
    this.comment = /** @type {HTMLTextAreaElement} */ (
      make("textarea", {
        id: "comment",
        rows: 2,
        maxlength: 4000,
        disabled: true,
        autocomplete: "off",
        spellcheck: "false",
      })
    );
    this.comment.addEventListener("input", () => page.onComment(this.comment.value));
    this.labels = make("div", { class: "labels", role: "group", "aria-label": "Labels" });
    this.acts = make("div", { class: "acts", role: "group", "aria-label": "Acts" });
    // The mouse keeps the focus, and with it the selection, in the note.
    for (const bar of [this.labels, this.acts]) {
      bar.addEventListener("mousedown", (event) => event.preventDefault());
    }
    host.replaceChildren(
      make("div", { class: "about" }, this.span, this.counts),
      this.labels,
      this.acts,
      make("div", { class: "comment" }, make("label", { for: "comment" }, "Comment"), this.comment),
    );
    this.showKeys();
  }

  /** The keys are others now. */
  showKeys() {
    const { keys, labels, mark, act, blind, canShowOriginal } = this.page;
    const ofLabel = labelChoices(labels).map(({ key }, n) =>
      n < 9 ? keys.of(`label-${n + 1}`) : `${keys.of("more-labels")} ${key}`,
    );
    this.labels.replaceChildren(
      ...labels.map((label, n) => button(ofLabel[n], label, () => mark(label))),
    );
    const offered = ACTS.filter(
      ([id]) => !(blind && NOT_WHEN_BLIND.has(id)) && (id !== "original" || canShowOriginal),
    );
    this.acts.replaceChildren(
      ...offered.map(([id, says]) =>
        button(keys.of(id), says, () => act(id), id === "done" ? "main" : null),
      ),
    );
  }

  /** @param {string} span @param {string} counts */
  show(span, counts) {
    this.span.textContent = span;
    this.counts.textContent = counts;
  }

  /** @param {?string} comment of the note that is open; null if none is */
  open(comment) {
    this.comment.value = comment ?? "";
    this.comment.disabled = comment === null;
    this.show("", "");
  }
}

function button(key, says, click, kind = null) {
  return make(
    "button",
    { type: "button", class: kind, click },
    make("kbd", { "aria-hidden": "true" }, key),
    ` ${says}`,
  );
}
