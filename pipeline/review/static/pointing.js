/** The mouse within the text of a note. */

/**
 * Drags and double-clicks select, clicks choose a span, Enter on a span gives it another label.
 * @param {HTMLElement} host
 * @param {object} page
 * @param {import("./marking.js").Marking} page.marking
 * @param {() => boolean} page.isBusy
 * @param {() => void} page.retype
 */
export function pointing(host, { marking, isBusy, retype }) {
  host.addEventListener("pointerdown", (event) => pressed(host, event));
  host.addEventListener("dragstart", (event) => event.preventDefault());
  host.addEventListener("mouseup", (event) => {
    host.dataset.dragged = "";
    if (!marking.note || isBusy() || event.button !== 0 || marking.take(event.altKey)) return;
    const mark = event.target.closest?.("[data-of]");
    if (mark) marking.choose(Number(mark.dataset.of));
  });
  host.addEventListener("keydown", (event) => {
    const at = event.target.dataset?.at;
    if (event.key !== "Enter" || !at || !marking.note) return;
    event.preventDefault();
    marking.choose(Number(at));
    retype();
  });
}

/** Before the browser decides, on mousedown, where a selection begins. */
function pressed(host, { target, pointerType, shiftKey }) {
  host.dataset.dragged = target.closest?.("[data-side]")?.dataset.side ?? "";
  if (pointerType !== "mouse") return;
  // What is selected would be dragged away as a whole, instead of being selected anew.
  if (!shiftKey) document.getSelection()?.removeAllRanges();
  // Chromium selects nothing from the edge of an element on that takes the focus.
  const mark = target.closest?.(".piece[tabindex]");
  mark?.removeAttribute("tabindex");
  document.addEventListener("pointerup", () => mark?.setAttribute("tabindex", "-1"), {
    once: true,
  });
}
