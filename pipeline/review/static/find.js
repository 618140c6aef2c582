/** The field for finding words in the note. */
import { byId } from "./dom.js";

/** Opens with a key, jumps with Enter, closes with Escape. */
export class FindBar {
  /** @param {HTMLElement} form @param {import("./marking.js").Marking} marking */
  constructor(form, marking) {
    const { panes } = marking.page;
    this.form = form;
    this.marking = marking;
    this.field = /** @type {HTMLInputElement} */ (byId("wanted"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#go();
    });
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.close();
      panes.host.focus({ preventScroll: true });
    });
  }

  open() {
    this.form.hidden = false;
    this.field.focus();
    this.field.select();
  }

  #go() {
    const { marking } = this;
    const { panes, say } = marking.page;
    if (!marking.note) return;
    if (marking.find(this.field.value) === 0) {
      say("nothing found");
      return;
    }
    // In the field a selection would be the field's own.
    panes.host.focus({ preventScroll: true });
    marking.goFound();
  }

  close() {
    this.field.value = "";
    this.form.hidden = true;
  }
}
