"""What a test sees of a page in a browser."""

import contextlib

CONTRAST = """() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  const rgba = said => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = said; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3]));
  const light = c => {
    const [r, g, b] = c.map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const behind = element => {
    const layers = [];
    for (let e = element; e; e = e.parentElement)
      layers.push(rgba(getComputedStyle(e).backgroundColor));
    const dark = getComputedStyle(document.documentElement).colorScheme === "dark";
    const paper = dark ? [18, 18, 18] : [255, 255, 255];
    return layers.reverse().reduce((below, top) => over(top, below), paper);
  };
  const bad = [];
  for (const element of document.body.querySelectorAll("*")) {
    const own = [...element.childNodes].some(n => n.nodeType === 3 && n.data.trim());
    if (!own || !element.checkVisibility({visibilityProperty: true})) continue;
    const style = getComputedStyle(element), below = behind(element);
    const ink = rgba(element instanceof SVGElement ? style.fill : style.color);
    const [a, b] = [light(over(ink, below)), light(below)].sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05);
    if (ratio < 4.5) bad.push(`${element.tagName}.${element.className} ${ratio.toFixed(2)}`);
  }
  return bad;
}"""
"""Gives the elements whose letters have less than 4.5 to 1 against what is behind them (WCAG 2)."""

OPEN = "() => document.querySelectorAll('details').forEach(fold => fold.open = true)"
WIDTH = "() => [document.documentElement.scrollWidth, innerWidth]"


class Seen:
    """A page that is open, and what it asked for and complained of."""

    def __init__(self, page):
        self.page, self.requests, self.complaints = page, [], []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda said: self.complaints.append(said.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def open(self, path):
        self.page.goto(path.as_uri())
        return self

    def is_too_wide(self):
        scrolled, inner = self.page.evaluate(WIDTH)
        return scrolled > inner

    def unreadable(self):
        return self.page.evaluate(CONTRAST)

    def open_folds(self):
        self.page.evaluate(OPEN)


@contextlib.contextmanager
def looking(browser, path, *, width, scheme, media="screen"):
    """Opens a file in a window of its own, cut off from the network."""
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, offline=True
    )
    try:
        page = context.new_page()
        page.emulate_media(media=media, color_scheme=scheme)
        yield Seen(page).open(path)
    finally:
        context.close()
