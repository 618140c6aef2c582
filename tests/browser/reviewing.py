"""A page of the review that is open, and what a reader does there."""

import contextlib

from .review_double import serving

WAIT_MS = 20_000


class Reviewer:
    """A reader before the page.

    Attributes:
        page: of Playwright.
        double: the server.
        requests: addresses that were asked for.
        complaints: what the browser said of errors.
    """

    def __init__(self, page, double, url):
        self.page, self.double, self.url = page, double, url
        self.requests, self.complaints = [], []
        page.set_default_timeout(WAIT_MS)
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda said: self.complaints.append(said.text))
        page.on("pageerror", lambda error: self.complaints.append(f"{error} {error.stack}"))

    def enter(self, *, opened=True):
        """Opens the link, and the first note."""
        self.page.goto(f"{self.url}#{self.double.token}")
        self.page.wait_for_function(
            "() => document.querySelector('#progress').textContent"
            " && !document.querySelector('#desk').hidden"
        )
        if opened:
            self.press("n")
            self.page.wait_for_selector(".row")
        return self

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def text(self, selector):
        return self.page.locator(selector).text_content()

    def waits_for(self, selector, words):
        """Until an element holds some words."""
        self.page.wait_for_function(
            "([selector, words]) => document.querySelector(selector)?.textContent.includes(words)",
            arg=[selector, words],
        )

    def is_saved(self):
        """Until all is saved."""
        self.page.wait_for_timeout(450)
        self.page.wait_for_function(
            "() => document.querySelector('#saving').textContent === 'saved'"
        )

    def marks(self, key="a"):
        """(words, label) of the marks that the server has of a note."""
        self.is_saved()
        return self.marks_there(key)

    def marks_there(self, key="a"):
        text = self.double.written(key)["text"]
        spans = self.double.written(key).get("spans", [])
        return [(text[s["start"] : s["end"]], s["label"]) for s in spans]

    def selected(self):
        return self.page.evaluate("() => document.getSelection().toString()")

    def drag(self, start, end, *, alt=False, side="published"):
        """From the character `start` to in front of the character `end`, (line, number) each."""
        places = self.page.evaluate(PLACES, [start, end, side])
        if alt:
            self.page.keyboard.down("Alt")
        self.page.mouse.move(*places[0])
        self.page.mouse.down()
        self.page.mouse.move(*places[1], steps=4)
        self.page.mouse.up()
        if alt:
            self.page.keyboard.up("Alt")

    def click_on(self, place, *, count=1, side="published"):
        (x, y), _ = self.page.evaluate(PLACES, [place, place, side])
        self.page.mouse.click(x + 2, y, click_count=count)


PLACES = """([start, end, side]) => {
  const at = ([line, number]) => {
    const cell = document.querySelector(`.row[data-line="${line}"] [data-side="${side}"]`);
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    let left = number;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (left <= node.data.length) {
        const range = document.createRange();
        range.setStart(node, Math.max(0, left - (left === node.data.length ? 1 : 0)));
        range.setEnd(node, Math.min(node.data.length, range.startOffset + 1));
        const box = range.getBoundingClientRect();
        return [left === node.data.length ? box.right - 1 : box.left + 1, box.top + box.height / 2];
      }
      left -= node.data.length;
    }
    throw new Error("no such place");
  };
  return [at(start), at(end)];
}"""
"""Where characters are in the window, counted in units of the drawn text of a line."""


@contextlib.contextmanager
def reviewing(browser, double, *, width=1400, height=900, scheme="light", **more):
    """Serves the double, and opens a window of its own for it."""
    with serving(double) as url:
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, **more
        )
        try:
            yield Reviewer(context.new_page(), double, url)
        finally:
            context.close()
