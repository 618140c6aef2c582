/** Between places in the drawn text and offsets of the document. */

/**
 * What a drawn text stands for.
 * @typedef {object} Drawn
 * @property {"published"|"original"} side
 * @property {number} start
 * @property {number} end
 * @property {boolean} exact whether its characters are those of the text, one to one
 */

/** Knows of every drawn text where it lies in the document. */
export class DrawnTexts {
  /** @type {WeakMap<Node, Drawn>} */
  #known = new WeakMap();

  /** @param {HTMLElement} host @param {() => import("./text.js").PointText} text */
  constructor(host, text) {
    this.host = host;
    this.text = text;
  }

  /** @param {Node} node a text; or a line without any @param {Drawn} drawn */
  register(node, drawn) {
    this.#known.set(node, drawn);
  }

  /**
   * What is selected, as the browser has it.
   * @returns {?{start: number, end: number, side: string}} null if nothing of the text is
   */
  read() {
    const selection = document.getSelection();
    if (!selection || selection.rangeCount === 0 || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    if (!this.host.contains(range.commonAncestorContainer)) return null;
    const side = this.#sideOf(selection.anchorNode) ?? this.#sideOf(range.startContainer);
    const start = this.#offset(range.startContainer, range.startOffset, "start", side);
    const end = this.#offset(range.endContainer, range.endOffset, "end", side);
    return start === null || end === null || start >= end ? null : { start, end, side };
  }

  /**
   * Has the browser select a stretch.
   * @param {{start: number, end: number}} stretch
   * @param {HTMLElement} from the drawn chunk in which it begins @param {HTMLElement} to ends
   */
  select({ start, end }, from, to) {
    const first = this.#textAt(from, start, "start");
    const last = this.#textAt(to, end, "end");
    if (!first || !last) return;
    document
      .getSelection()
      ?.setBaseAndExtent(
        first,
        this.#unitIn(first, start, 0),
        last,
        this.#unitIn(last, end, last.data.length),
      );
  }

  #unitIn(node, point, otherwise) {
    const { start, exact } = this.#known.get(node);
    return exact ? this.text().toUnit(point) - this.text().toUnit(start) : otherwise;
  }

  #textAt(element, point, edge) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const drawn = this.#known.get(node);
      if (!drawn) continue;
      if (
        edge === "start"
          ? drawn.start <= point && point < drawn.end
          : drawn.start < point && point <= drawn.end
      ) {
        return node;
      }
    }
    return null;
  }

  #sideOf(node) {
    const element = node instanceof Element ? node : node?.parentElement;
    return element?.closest("[data-side]")?.dataset.side ?? null;
  }

  #offset(node, offset, edge, side) {
    let drawn = this.#known.get(node);
    if (!drawn || node.nodeType !== Node.TEXT_NODE) {
      const text = this.#nearest(node, offset, edge, side);
      drawn = text && this.#known.get(text);
      return drawn ? drawn[edge] : null;
    }
    if (side && drawn.side !== side) {
      const text = this.#nearest(node, offset, edge, side);
      drawn = text && this.#known.get(text);
      return drawn ? drawn[edge] : null;
    }
    if (!drawn.exact) return drawn[edge];
    const text = this.text();
    return text.toPoint(text.toUnit(drawn.start) + offset);
  }

  /** The drawn text at or behind the start of a selection, or in front of its end. */
  #nearest(node, offset, edge, side) {
    const walker = document.createTreeWalker(this.host, NodeFilter.SHOW_TEXT, (text) => {
      const drawn = this.#known.get(text);
      return drawn && (!side || drawn.side === side)
        ? NodeFilter.FILTER_ACCEPT
        : NodeFilter.FILTER_SKIP;
    });
    const child = node.childNodes[offset];
    if (edge === "start") {
      walker.currentNode = child ?? lastWithin(node);
      const here = child && this.#accepted(child, side);
      return here ? child : walker.nextNode();
    }
    walker.currentNode = child ?? lastWithin(node);
    const here = !child && this.#accepted(walker.currentNode, side);
    return here ? walker.currentNode : walker.previousNode();
  }

  #accepted(node, side) {
    const drawn = node.nodeType === Node.TEXT_NODE ? this.#known.get(node) : undefined;
    return drawn !== undefined && (!side || drawn.side === side);
  }
}

function lastWithin(node) {
  while (node.lastChild) node = node.lastChild;
  return node;
}
