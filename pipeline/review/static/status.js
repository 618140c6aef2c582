/** What the page says of itself: the bar on top, alarms, and what is read aloud. */
import { byId, make } from "./dom.js";
import { counted } from "./telling.js";

const SAVING = {
  saved: "saved",
  waiting: "not saved yet",
  saving: "saving …",
  failed: "NOT SAVED",
  conflict: "NOT SAVED: conflict",
  locked: "NOT SAVED: locked",
};

/** Writes into the places that the page has for it. */
export class Status {
  /** @param {import("./session.js").Info} info */
  begin(info) {
    byId("run").textContent = info.campaign
      ? `campaign ${info.campaign.name}`
      : `run ${info.run.slice(0, 8)}`;
    byId("run").title = info.run;
  }

  /** @param {import("./queue.js").Queue} queue @param {import("./session.js").Info} info */
  progress(queue, info) {
    const parts = [`${queue.done} of ${queue.total}`];
    if (info.queue === "measure" && info.role !== "adjudicator") {
      parts[0] = `${queue.done} of ${info.campaign?.n ?? queue.total} read`;
      parts.push(
        `${queue.skipped} skipped = ${counted(queue.skipped, "leak")}`,
      );
      if (info.campaign)
        parts.push(
          `target: ${info.campaign.of} < ${+(100 * info.campaign.target).toPrecision(3)}\u00a0%`,
        );
    } else if (queue.skipped) parts.push(`${queue.skipped} skipped`);
    byId("progress").textContent = parts.join(" · ");
    byId("others").textContent =
      queue.others === 1 ? "1 other reading" : `${queue.others} others reading`;
  }

  /** @param {?import("./saving.js").SavingState} state */
  saving(state) {
    const place = byId("saving");
    place.textContent = state ? SAVING[state] : "";
    place.classList.toggle("bad", ["failed", "conflict", "locked"].includes(state ?? ""));
  }

  /**
   * @param {?string} text loud; null takes it back
   * @param {string} [label]
   * @param {() => void} [act]
   */
  alarm(text, label, act) {
    const place = byId("alarm");
    place.replaceChildren(...(text ? [make("p", {}, text)] : []));
    if (text && label) place.append(make("button", { type: "button", click: act }, label));
    place.hidden = !text;
  }

  /** @param {string} text seen, and read aloud */
  say(text) {
    byId("spoken").textContent = text;
    return null;
  }

  /** @param {string} text */
  title(text) {
    byId("title").textContent = text;
  }

  /** @param {?{marked: number, planted: number, found: number}} measured of the note before */
  measured(measured) {
    const place = byId("measured");
    place.hidden = !measured;
    place.textContent = measured
      ? `The note before: you marked ${measured.marked}; ` +
        `planted there: ${measured.planted}, found: ${measured.found}.`
      : "";
  }

  /** Nothing that was said stays. */
  clear() {
    for (const id of ["spoken", "measured", "title", "progress", "others", "run"])
      byId(id).textContent = "";
    byId("run").removeAttribute("title");
    this.saving(null);
    this.alarm(null);
  }
}
