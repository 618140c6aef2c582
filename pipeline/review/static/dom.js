/** Elements made one by one: text goes in as text, so that no note and no label is ever markup. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element. A function among the attributes listens to the event of that name; true gives an
 * attribute without a value; false, null and undefined give none.
 * @param {string} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...(Node|string|number|null)} children
 * @returns {HTMLElement}
 */
export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same within an SVG. @returns {SVGElement} */
export function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, String(value));
    }
  }
  element.append(
    ...children
      .filter((child) => child !== null)
      .map((child) => (child instanceof Node ? child : String(child))),
  );
  return element;
}

/** @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
}

/** What may be wider than the window: it is scrolled, by keys too. */
export function scrolled(name, element) {
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": name }, element);
}

/** A table with a caption and heads. */
export function table(caption, heads, rows) {
  return scrolled(
    caption,
    make(
      "table",
      {},
      make("caption", {}, caption),
      make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))),
      make(
        "tbody",
        {},
        ...rows.map(([first, ...rest]) =>
          make(
            "tr",
            {},
            make("th", { scope: "row" }, first),
            ...rest.map((cell) => make("td", {}, cell)),
          ),
        ),
      ),
    ),
  );
}

/** @param {?number} value @param {number} [digits] @returns {string} */
export function figure(value, digits = 3) {
  return typeof value === "number" ? value.toFixed(digits) : "–";
}
