/** A note that is open: what is shown, what the reader says of it, and how that is saved. */
import { Marks, marksSame } from "./marks.js";
import { Saver } from "./saving.js";
import { DocumentView } from "./segments.js";

/**
 * @param {object} document as the server gives it
 * @param {?object} kept the same note before the page was locked, with what was not saved
 * @param {object} page
 * @param {boolean} page.blind
 * @param {(revision: number) => Promise<{revision: number}>} page.save
 * @param {(state: import("./saving.js").SavingState, refusal: ?Error) => void} page.tell
 */
export function openedNote(document, kept, { blind, save, tell }) {
  const marks = kept?.marks ?? new Marks(document.spans, document.run_spans ?? []);
  return {
    item: { doc: document.doc, field: document.field },
    view: new DocumentView(document),
    published: document,
    marks,
    blind,
    isFinal: blind && !kept && document.verdict !== "open",
    comment: kept?.comment ?? document.comment ?? "",
    verdict: kept?.verdict ?? document.verdict ?? "open",
    reason: kept?.reason ?? null,
    seconds: kept?.seconds ?? 0,
    saver: new Saver({
      revision: kept?.saver.revision ?? document.revision,
      save,
      tell,
      isMine: ({ spans }) => marksSame(spans, marks.spans),
    }),
  };
}

/**
 * @param {import("./api.js").Api} api
 * @param {{doc: string, field?: ?string}} item
 * @param {boolean} isClaimed whether it is this reader's already
 */
export async function fetchedNote(api, item, isClaimed) {
  if (!isClaimed) await api.claim(item);
  return api.document(item, "published");
}

/** What is saved of a note: the whole set of spans each time. */
export function bodyOf({ marks, verdict, seconds, reason, comment }) {
  return {
    spans: marks.spans.map(({ start, end, label, was }) => ({ start, end, label, was })),
    verdict,
    seconds,
    ...(reason ? { reason } : {}),
    comment,
  };
}
