"""How fast the page of the review opens a long note, and marks in it.

    python -m benchmarks.review_page [--characters 100000] [--spans 3000] [--rounds 9]

It needs the extra `browser-test` and a Chromium; medians of some rounds, in milliseconds. The bars:
a note of 100,000 characters with 3,000 spans opens within 1,000 ms, a mark is drawn within 50 ms.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

WORDS = ("seen", "on", "the", "ward", "with", "stable", "pressure", "and", "no", "fever", "since")

OPENS = """async () => {
  const began = performance.now();
  document.querySelector(".items button").click();
  await new Promise(done => {
    const look = () => document.querySelector(".row") ? done() : setTimeout(look, 1);
    look();
  });
  document.querySelector("#panes").getBoundingClientRect();
  await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  const painted = performance.now();
  const [answer] = performance.getEntriesByType("resource").filter(({name}) =>
    name.includes("/api/document/"));
  return [painted - began, painted - answer.responseEnd];
}"""
"""Until it is painted: from the click on, and from the last byte of the server's answer on."""

ACTS = """async keys => {
  const times = [];
  for (const key of keys) {
    const began = performance.now();
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
    document.querySelector("#panes").getBoundingClientRect();
    times.push(performance.now() - began);
    await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  }
  return times;
}"""
"""Handling of each key with the layout that it asks for."""


def long_note(characters: int, spans: int, *, in_lines: bool) -> tuple[str, list[tuple[str, str]]]:
    """A text, and as many stretches of it that were removed."""
    pieces: list[str] = []
    names = [f"Name{n}" for n in range(spans)]
    size = 0
    for n, name in enumerate(names):
        piece = f"{name} "
        end = (n + 1) * characters // spans - size
        while len(piece) < end:
            piece += WORDS[(n + len(piece)) % len(WORDS)] + " "
        piece = piece[: max(len(name), end - 1)].rstrip() + ("\n" if in_lines and n % 2 else " ")
        pieces.append(piece)
        size += len(piece)
    return "".join(pieces), [(name, "PATIENT") for name in names]


def median(times: list[float]) -> str:
    """Median and range, in words."""
    return f"{statistics.median(times):6.1f} ms  ({min(times):.1f} to {max(times):.1f})"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--characters", type=int, default=100_000)
    parser.add_argument("--spans", type=int, default=3_000)
    parser.add_argument("--rounds", type=int, default=9)
    asked = parser.parse_args()

    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import CHROMIUM
    from tests.browser.review_double import Double, note
    from tests.browser.reviewing import reviewing

    with sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        for name, in_lines in (("lines", True), ("one single line", False)):
            text, removed = long_note(asked.characters, asked.spans, in_lines=in_lines)
            opened: list[tuple[float, float]] = []
            times: dict[str, list[float]] = {"j": [], "w": [], "1": [], "x": [], "u": []}
            for _ in range(asked.rounds):
                with reviewing(browser, Double([note("a", text, removed)])) as at:
                    at.enter(opened=False)
                    whole, drawn = at.page.evaluate(OPENS)
                    opened.append((whole, drawn))
                    keys = "jjjwww1x"
                    for key, took in zip(keys, at.page.evaluate(ACTS, list(keys)), strict=True):
                        times[key].append(took)
                    times["u"] += at.page.evaluate(ACTS, ["u"])
            print(f"{len(text):,} characters, {len(removed):,} spans, {name}")
            print(f"  open           {median([whole for whole, _ in opened])}")
            print(f"    of which drawing {median([drawn for _, drawn in opened])}")
            says = {"j": "next span", "w": "next word", "1": "mark", "x": "delete", "u": "undo"}
            for key, word in says.items():
                print(f"  {word:14} {median(times[key])}")
        browser.close()


if __name__ == "__main__":
    main()
