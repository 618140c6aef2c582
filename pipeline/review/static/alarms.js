/** What is said while a note is saved, and what is asked where it cannot be. */
import * as dialogs from "./dialogs.js";

/**
 * @param {object} page
 * @param {import("./status.js").Status} page.status
 * @param {(refusal: Error) => boolean} page.isLocked
 * @param {import("./saving.js").Saver} saver
 * @param {import("./saving.js").SavingState} state
 * @param {?import("./api.js").Refusal} refusal
 * @param {(answer: object) => void} onConflict with what the server has instead
 */
export function sayState({ status, isLocked }, saver, state, refusal, onConflict) {
  status.saving(state);
  if (state === "saved") status.alarm(null);
  if (state === "failed") {
    const why = `NOT SAVED: ${refusal.message}. What you did is kept here, and is tried again.`;
    status.alarm(why, "Try now", () => saver.flush());
  }
  if (state === "locked") isLocked(refusal);
  if (state === "conflict") onConflict(refusal.answer);
}

/**
 * Asks whose marks are to stay, now or later.
 * @param {import("./status.js").Status} status
 * @param {object} note
 * @param {{revision: number, spans?: import("./segments.js").Span[]}} answer of the server
 * @param {object} page
 * @param {() => boolean} page.isOpen whether the note is still open
 * @param {(spans: import("./segments.js").Span[]) => void} page.replaceAll
 */
export async function settle(status, note, answer, page) {
  const { revision, spans = [] } = answer;
  const again = () => settle(status, note, answer, page);
  status.alarm("NOT SAVED: this note was saved from another window.", "Choose", again);
  if (document.querySelector("dialog[open]")) return;
  const chosen = await dialogs.conflict(note.marks.spans.length, spans.length);
  if (!chosen || !page.isOpen()) return;
  await note.saver.resolve(revision, { mine: chosen === "mine" });
  if (chosen === "theirs") page.replaceAll(spans);
}
