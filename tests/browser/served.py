"""The page of `scrubline review` by the real command, and a reader before it."""

import contextlib
import subprocess
import sys

from .reviewing import Reviewer

ENDED_MS = 240_000
KEY = "scrubline-key-v1:" + "QUJD" * 10 + "QUI=\n"
"""Always the same: by it notes are drawn and read twice, and patients held back."""


def run(*words, cwd, code=0):
    """A command that has ended, with an exit code."""
    command = [sys.executable, "-m", "scrubline", *map(str, words)]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    return done


class Reader(Reviewer):
    """Somebody with a keyboard.

    Attributes:
        published: has `folder` and `labels`, in the order of their keys.
    """

    def __init__(self, page, url, published):
        super().__init__(page, None, url)
        self.published = published

    def goes_on(self):
        """The key of the note that the key for the next one opens, when it is there."""
        with self.page.expect_response(lambda answer: "/api/document/" in answer.url) as awaited:
            self.press("n")
        note = awaited.value.json()
        self.page.wait_for_function(
            "head => document.querySelector('#title').textContent.split(/,| of /)[0] === head"
            " && document.querySelector('#panes .row')",
            arg=f"Note {note['n']}",
        )
        return note["doc"]

    def marks(self, start, words, label):
        """Finds a span by its words, and gives it a label."""
        self.press("/")
        self.page.keyboard.type(words)
        self.press("Enter")
        self.waits_for("#spoken", "place 1 of 1")
        number = self.published.labels.index(label)
        self.press(*([str(number + 1)] if number < 9 else ["0", chr(ord("a") + number - 9)]))
        said = f'[data-at="{start}"][aria-label^="{label}, left in the clear, marked by you"]'
        self.page.wait_for_selector(f"#panes {said}")

    @contextlib.contextmanager
    def panel(self, name):
        """A dialog of the page, and what it holds."""
        self.page.locator(f"#open-{name}").click()
        self.page.wait_for_selector("dialog[open]")
        yield self.page.locator("dialog[open]")
        self.press("Escape")
        self.page.wait_for_selector("dialog[open]", state="detached")

    def lets_run(self, dialog, ended):
        """Starts what the dialog is for, and waits for what it says in the end."""
        dialog.get_by_role("button", name="Start").click()
        dialog.get_by_text(ended).wait_for(timeout=ENDED_MS)


@contextlib.contextmanager
def reading(browser, published, reviewer, *more):
    """A reader before the page of `scrubline review`."""
    words = ["review", "out", "--key-file", "key.txt", "--reviewer", reviewer, *map(str, more)]
    command = [sys.executable, "-m", "scrubline", *words]
    with subprocess.Popen(command, cwd=published.folder, stdout=subprocess.PIPE, text=True) as run:
        context = browser.new_context(viewport={"width": 1400, "height": 900})
        try:
            link = run.stdout.readline().strip()
            reader = Reader(context.new_page(), link.partition("#")[0], published)
            reader.page.goto(link)
            reader.waits_for("#progress", "of")
            yield reader
            assert reader.complaints == []
            assert all(address.startswith(reader.url) for address in reader.requests)
        finally:
            context.close()
            run.terminate()
            run.wait(30)
