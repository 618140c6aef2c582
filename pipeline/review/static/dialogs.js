/** What is asked in a window of its own. Each gives a promise of the answer. */
import { make } from "./dom.js";
import { ACTIONS, nameOf } from "./keys.js";
import { counted } from "./telling.js";

let number = 0;

/**
 * Shows a window until it is answered or closed.
 * @template T
 * @param {string} title
 * @param {(answer: (value: ?T) => void, dialog: HTMLDialogElement) => (Node|string)[]} fill
 * @param {{wide?: boolean}} [options]
 * @returns {Promise<?T>} null if it was closed
 */
export function open(title, fill, { wide = false } = {}) {
  return new Promise((resolve) => {
    const before = document.activeElement;
    const id = `dialog-${++number}`;
    const dialog = /** @type {HTMLDialogElement} */ (
      make("dialog", { "aria-labelledby": id, class: wide ? "wide" : null })
    );
    let value = null;
    const answer = (given) => {
      value = given;
      dialog.close();
    };
    const close = make(
      "button",
      { type: "button", class: "close", click: () => answer(null) },
      "Close",
    );
    dialog.append(
      make("div", { class: "head" }, make("h2", { id }, title), close),
      ...fill(answer, dialog),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (before instanceof HTMLElement && before.isConnected)
        before.focus({ preventScroll: true });
      resolve(value);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Closes every window, and takes its text out of the page. */
export function closeAll() {
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.close();
    dialog.replaceChildren();
  }
}

/**
 * One of some choices, each with a key.
 * @param {string} title
 * @param {{key: string, says: string, value: string}[]} choices
 * @returns {Promise<?string>}
 */
export function pick(title, choices) {
  return open(title, (answer, dialog) => {
    const buttons = choices.map(({ key, says, value }) =>
      make(
        "button",
        { type: "button", click: () => answer(value) },
        make("kbd", {}, key),
        " ",
        says,
      ),
    );
    dialog.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
      const choice = choices.find(({ key }) => key === nameOf(event));
      if (step) {
        const at = buttons.indexOf(document.activeElement);
        buttons.at((at + step) % buttons.length).focus();
      } else if (choice) answer(choice.value);
      else return;
      event.preventDefault();
    });
    queueMicrotask(() => buttons[0]?.focus());
    return [make("div", { class: "choices" }, ...buttons)];
  });
}

/** The labels with their keys: the first nine by digit, the others by letter. */
export function labelChoices(labels) {
  return labels.map((label, n) => ({
    key: n < 9 ? `${n + 1}` : n < 35 ? String.fromCharCode(97 + n - 9) : "",
    says: label,
    value: label,
  }));
}

/** Why a note may be skipped; the last is a verdict of its own. */
const CANNOT_READ = "cannot read";
const REASONS = ["too long", "not a note", "other language", "known to me", "other", CANNOT_READ];

/** @param {string} title @returns {Promise<?{verdict: string, reason: ?string}>} null: read on */
export async function skipping(title) {
  const choices = REASONS.map((says, n) => ({ key: String(n + 1), says, value: says }));
  const reason = await pick(title, choices);
  if (reason === CANNOT_READ) return { verdict: CANNOT_READ, reason: null };
  return reason && { verdict: "skipped", reason };
}

/** @returns {Promise<boolean>} */
export async function confirm(question, yes) {
  const answer = await open(question, (give) => {
    const button = make("button", { type: "button", class: "main", click: () => give(true) }, yes);
    queueMicrotask(() => button.focus());
    return [make("div", { class: "choices" }, button)];
  });
  return answer === true;
}

/** @returns {Promise<?("mine"|"theirs")>} which of two sets of marks stays */
export function conflict(mine, theirs) {
  return open("Saved elsewhere meanwhile", (answer) => [
    make(
      "p",
      {},
      "This note was saved from another window: it has " +
        `${counted(theirs, "span")} there, ${mine} here. ` +
        "Whichever you keep, undo gives you the other back until you leave the note.",
    ),
    make(
      "div",
      { class: "choices" },
      make("button", { type: "button", click: () => answer("mine") }, "Keep mine"),
      make("button", { type: "button", click: () => answer("theirs") }, "Take the saved ones"),
    ),
  ]);
}

/**
 * All keys, and other ones for them.
 * @param {import("./keys.js").Keys} keys
 * @param {string[]} labels
 */
export function help(keys, labels) {
  const said = make("p", { role: "status", class: "said" });
  const rows = make("tbody");
  let waiting = null;
  const fill = () => rows.replaceChildren(...ACTIONS.map((action) => row(action)));
  const row = ({ id, group, says }) => {
    const label = /^label-(\d)$/.exec(id);
    const meaning = label ? labels[Number(label[1]) - 1] : says;
    if (!meaning) return "";
    const change = make(
      "button",
      { type: "button", "aria-label": `another key for: ${meaning}` },
      "change",
    );
    change.addEventListener("click", () => {
      waiting = id;
      said.textContent = `Press the key for: ${meaning}. Escape leaves it as it is.`;
    });
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, make("kbd", {}, keys.of(id))),
      make("td", {}, meaning),
      make("td", {}, group),
      make("td", {}, change),
    );
  };
  const listen = (event) => {
    if (!waiting) return;
    const name = nameOf(event);
    if (name === null) return;
    event.preventDefault();
    const id = waiting;
    waiting = null;
    if (name === "Escape") {
      said.textContent = "Left as it was.";
      return;
    }
    said.textContent = keys.change(id, name) ?? `It is ${name} now.`;
    fill();
    rows.querySelectorAll("button")[ACTIONS.findIndex((action) => action.id === id)]?.focus();
  };
  fill();
  return open(
    "Keys",
    (answer, dialog) => {
      dialog.addEventListener("keydown", listen);
      // Escape while a key is awaited is an answer, and closes nothing.
      dialog.addEventListener("cancel", (event) => waiting && event.preventDefault());
      const reset = make("button", { type: "button" }, "All keys as they came");
      reset.addEventListener("click", () => {
        keys.reset();
        fill();
        said.textContent = "All keys are as they came.";
      });
      const heads = ["Key", "What it does", "", ""].map((head) =>
        make(head ? "th" : "td", head ? { scope: "col" } : {}, head),
      );
      return [
        make(
          "p",
          {},
          "Mouse: drag or double-click selects whole words, with Alt single characters; " +
            "a click on a span chooses it. " +
            "No key acts while a field is written in; Escape leaves the field.",
        ),
        said,
        make(
          "div",
          { class: "scroll", tabindex: 0, role: "region", "aria-label": "Keys" },
          make("table", { class: "keys" }, make("thead", {}, make("tr", {}, ...heads)), rows),
        ),
        reset,
      ];
    },
    { wide: true },
  );
}
