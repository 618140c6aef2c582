/** Which key does what. Keys can be given anew; the browser keeps that, and nothing else. */

const KEPT = "scrubline-review-keys";

/** @typedef {{id: string, key: string, says: string, group: string}} Action */

/** @type {Action[]} */
export const ACTIONS = [
  ["Move", "next-span", "j", "next span"],
  ["Move", "previous-span", "k", "previous span"],
  ["Move", "next-word", "w", "caret to the next word"],
  ["Move", "previous-word", "b", "caret to the word before"],
  ["Move", "more-words", "Shift+w", "select on to the next word"],
  ["Move", "fewer-words", "Shift+b", "select on to the word before"],
  ["Move", "next-uncertain", "g", "next uncertain word"],
  ["Move", "find", "/", "find in this note"],
  ["Move", "next-found", ";", "next place found"],
  ...Array.from({ length: 9 }, (_, n) => ["Mark", `label-${n + 1}`, `${n + 1}`, `label ${n + 1}`]),
  ["Mark", "more-labels", "0", "all labels, then a letter"],
  ["Mark", "retype", "r", "another label for the span"],
  ["Mark", "start-out", "[", "start of the span out by a word"],
  ["Mark", "start-in", "]", "start of the span in by a word"],
  ["Mark", "end-in", "{", "end of the span in by a word"],
  ["Mark", "end-out", "}", "end of the span out by a word"],
  ["Mark", "start-out-character", "Alt+[", "start out by a character"],
  ["Mark", "start-in-character", "Alt+]", "start in by a character"],
  ["Mark", "end-in-character", "Alt+{", "end in by a character"],
  ["Mark", "end-out-character", "Alt+}", "end out by a character"],
  ["Mark", "delete", "x", "delete the span"],
  ["Mark", "all-alike", "a", "mark all alike in this note"],
  ["Mark", "accept", "y", "all shown is looked at and right"],
  ["Mark", "undo", "u", "undo"],
  ["Mark", "redo", "Shift+u", "redo"],
  ["Note", "done", "n", "done, and the next note"],
  ["Note", "previous-note", "p", "previous note"],
  ["Note", "skip", "s", "skip, with a reason"],
  ["Note", "original", "o", "show or hide the original (logged)"],
  ["Note", "comment", "c", "write a comment"],
  ["Page", "help", "?", "these keys"],
].map(([group, id, key, says]) => ({ group, id, key, says }));

const BY_CODE = { BracketLeft: ["[", "{"], BracketRight: ["]", "}"] };

/**
 * A pressed key as it is written, such as `j`, `Shift+u`, `Alt+[` or `?`.
 * @param {KeyboardEvent} event
 * @returns {?string} null while words are composed, and for Shift and its like alone
 */
export function nameOf(event) {
  if (
    event.isComposing ||
    ["Dead", "Shift", "Alt", "Control", "Meta", "AltGraph", "Process"].includes(event.key)
  ) {
    return null;
  }
  const graph = event.getModifierState("AltGraph");
  const alt = event.altKey && !graph;
  const control = (event.ctrlKey || event.metaKey) && !graph;
  let key = event.key;
  // With Option a Mac writes other signs; a keyboard of other letters has none of a to z.
  if (alt && BY_CODE[event.code] && !"[]{}".includes(key))
    key = BY_CODE[event.code][Number(event.shiftKey)];
  const isLetter = key.length === 1 && key.toLowerCase() !== key.toUpperCase();
  if (/^Key[A-Z]$/.test(event.code) && (alt || (isLetter && key > "\x7f"))) key = event.code[3];
  if (key.length === 1) key = key.toLowerCase();
  const shift = event.shiftKey && (isLetter || /^[a-z]$/.test(key) || key.length > 1);
  if (key === " ") key = "Space";
  return `${control ? "Ctrl+" : ""}${alt ? "Alt+" : ""}${shift ? "Shift+" : ""}${key}`;
}

/** Whether letters are written where the focus is. @param {EventTarget|null} target */
export function isField(target) {
  return (
    target instanceof Element &&
    target.closest("input, textarea, select, [contenteditable]") !== null
  );
}

/** The keys in use. */
export class Keys {
  constructor() {
    /** @type {Map<string, string>} action -> key */
    this.byAction = new Map(ACTIONS.map(({ id, key }) => [id, key]));
    for (const [id, key] of Object.entries(kept())) {
      if (this.byAction.has(id) && typeof key === "string") this.byAction.set(id, key);
    }
    this.#index();
  }

  #index() {
    this.byKey = new Map([...this.byAction].map(([id, key]) => [key, id]));
  }

  /** @param {string} action @returns {string} */
  of(action) {
    return this.byAction.get(action) ?? "";
  }

  /**
   * What a pressed key does.
   * @param {KeyboardEvent} event
   * @returns {?string} an action; null if none, or if it is written into a field
   */
  actionOf(event) {
    const name = nameOf(event);
    if (name === null || isField(event.target)) return null;
    return this.byKey.get(name) ?? null;
  }

  /**
   * Another key for an action.
   * @returns {?string} why not; null if it is so now
   */
  change(action, key) {
    if (/^(Tab|Shift\+Tab|Escape|Enter|Space)$/.test(key))
      return `${key} is needed by the page itself`;
    const holder = this.byKey.get(key);
    if (holder && holder !== action) {
      return `${key} is taken: ${ACTIONS.find(({ id }) => id === holder).says}`;
    }
    this.byAction.set(action, key);
    this.#keep();
    return null;
  }

  /** All keys as they came. */
  reset() {
    for (const { id, key } of ACTIONS) this.byAction.set(id, key);
    this.#keep();
  }

  #keep() {
    this.#index();
    const changed = ACTIONS.filter(({ id, key }) => this.byAction.get(id) !== key);
    try {
      localStorage.setItem(
        KEPT,
        JSON.stringify(Object.fromEntries(changed.map(({ id }) => [id, this.of(id)]))),
      );
    } catch {
      // A browser that keeps nothing: the keys hold until the page is closed.
    }
  }
}

function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "{}") ?? {};
  } catch {
    return {};
  }
}
