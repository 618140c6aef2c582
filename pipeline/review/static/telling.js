/** A note, its spans and its pieces in words. */
import { firstEndingAfter, rowAt, rowsWithin } from "./text.js";

/** @returns {string} */
export function titleSaid(note, queue, info) {
  const item = queue.find(note.item);
  const number = note.published.n ?? item?.n ?? "";
  if (note.blind) return `Note ${number} of ${info.campaign?.n ?? queue.total}`;
  return `Note ${number}${item?.type ? `, ${item.type}` : ""}`;
}

/** The span of the run that lies where a span lies. */
function runOf({ view }, span) {
  return rowsWithin(view.runSpans, span.start, span.end).find(
    (run) => run.start === span.start && run.end === span.end,
  );
}

function sourceSaid(note, span) {
  if (rowAt(note.marks.spans, span.start) !== span) return "found by the run, deleted by you";
  if (!note.blind && runOf(note, span)?.label === span.label) return "found by the run";
  return span.was ? "changed by you" : "marked by you";
}

function detectorsSaid(note, span) {
  const { detectors, score } = runOf(note, span) ?? {};
  if (note.blind || !detectors) return "";
  return `${detectors.join(", ")}${typeof score === "number" ? `, score ${score.toFixed(2)}` : ""}`;
}

/**
 * What keys act on.
 * @param {object} note
 * @param {import("./caret.js").Caret} caret
 * @returns {string}
 */
export function spanSaid(note, { current, selection, stops }) {
  if (!current) return selection ? "words selected: give them a label" : "";
  const line = firstEndingAfter(note.view.lines, current.start) + 1;
  const place = `span ${stops.indexOf(current) + 1} of ${stops.length}, line ${line}`;
  const said = [current.label, sourceSaid(note, current), place, detectorsSaid(note, current)];
  return said.filter(Boolean).join("; ");
}

/** @param {number} count @param {string} noun @returns {string} "1 note", "2 notes" */
export function counted(count, noun) {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** @returns {string} how many spans there are, and who found them */
export function countsSaid(note, { stops, looked }) {
  const { detected } = note.published;
  const counts = [counted(stops.length, "span")];
  if (!note.blind)
    counts.push(`${stops.filter(({ start }) => looked.has(start)).length} looked at`);
  if (detected) {
    counts.push(`rules alone ${detected.rules}, CRF alone ${detected.crf}, both ${detected.both}`);
  }
  return counts.join("; ");
}

/** What a marked or removed piece is, for those who hear it. */
export function pieceSaid({ mark, run, box, text }, note) {
  const what = box ? "removed" : "left in the clear";
  if (mark) return `${mark.label}, ${what}, ${sourceSaid(note, mark)}: ${text}`;
  return `${(run ?? box).label}, ${what}, deleted by you: ${text}`;
}

/** Why a note was not opened. @param {import("./api.js").Refusal} refusal */
export function refusalSaid({ status, message }) {
  if (status === 423) return "Somebody else reads this note: take another.";
  return `The note was not opened: ${message}`;
}
