"""The page of the review before its real server, on a small output."""

import contextlib
import json
import socket

import pytest
from scrubline.models.formats.column_roles import Columns
from scrubline.models.review.accesses import ORIGINAL, PUBLISHED, read_accesses
from scrubline.models.review.appended import read_lines
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.certifying.review_folder import ACCESSES, FIND, ReviewFolder
from scrubline.pipeline.options import Options
from scrubline.pipeline.review.app import make_review_app
from scrubline.pipeline.review.desk import DeskSettings, ReviewDesk
from scrubline.pipeline.review.panel import ReviewPanel
from scrubline.pipeline.review.sessions import Sessions
from scrubline.pipeline.review.texts import ReviewedOutput
from scrubline.pipeline.run import scrub

from .review_double import serving_app
from .reviewing import Reviewer

pytestmark = pytest.mark.slow

TEXTS = (
    "\U0001f600\U0001f600 Jose\u0301 called on 3/4/2012.\r\nFrom a@b.example, qux\u0308 zork too.",
    "\u05e8\u05d7\u05dc 3/4/2012 \U0001f637 call 555-867-5309 qux\u0308 zork",
    "Aged 34, seen on 3/4/2012.\n\nqux\u0308 zork <b>bold</b> & QUX\u0308 ZORK",
)


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    (folder / "key.txt").write_text("scrubline-key-v1:" + "QUJD" * 10 + "QUI=\n")
    (folder / "key.txt").chmod(0o600)
    (folder / "in").mkdir()
    lines = [json.dumps({"id": n, "text": text}) for n, text in enumerate(TEXTS)]
    (folder / "in/a.jsonl").write_text("\n".join(lines) + "\n")
    options = Options(
        inputs=(str(folder / "in"),),
        output=str(folder / "out"),
        models=(),
        columns=Columns.parse([("id", "id"), ("text", "text:plain")]),
        key_source=str(folder / "key.txt"),
        progress=False,
    )
    scrub(Storage(), options)
    return folder


@contextlib.contextmanager
def desk_served(browser, folder):
    """A reader before the page, and the desk behind it."""
    review = ReviewFolder.of(str(folder / "out"), FIND)
    review.make()
    output = ReviewedOutput(Storage(), str(folder / "out"), str(folder / "key.txt"), ())
    desk = ReviewDesk(output, review, DeskSettings("ana"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        links = []
        sessions = Sessions(links.append, output.forget)
        app = make_review_app(ReviewPanel(desk), sessions, listener.getsockname()[1])
        sessions.new_link()
        with serving_app(app, listener) as url:
            context = browser.new_context(viewport={"width": 1400, "height": 900})
            reviewer = Reviewer(context.new_page(), None, url)
            reviewer.page.goto(f"{url}#{links[-1]}")
            reviewer.waits_for("#progress", "of 3")
            yield reviewer, desk
            context.close()


def test_notes_are_read_to_the_end_at_the_real_server(browser, published):
    with desk_served(browser, published) as (at, desk):
        at.press("n")
        for done in range(3):
            at.waits_for("#progress", f"{done} of 3")
            at.page.wait_for_selector("#panes .row")
            at.press("j", "k", "o")
            at.page.wait_for_selector("#panes.both")
            at.press("o")
            at.page.wait_for_selector("#panes:not(.both)")
            at.press("/", *"qux", "Enter", "Shift+W", "3", "a")
            at.page.wait_for_timeout(300)
            at.press("Enter" if at.page.locator("dialog").count() else "Shift")
            at.press("c")
            at.page.keyboard.type("seen")
            at.press("Escape")
            at.is_saved()
            at.press("n")
        at.waits_for("#spoken", "No note is left to read.")
        assert at.complaints == []
        assert all(address.startswith(at.url) for address in at.requests)
        label = desk.output.labels[2]
        marked = []
        for text in desk.order:
            row = desk.marks.held[text]
            assert row.verdict == "done" and row.seconds >= 0
            written = desk.output.original(text)
            marked += [
                written[s.start : s.end] for s in row.spans if s.label == label and not s.was
            ]
        assert sorted(marked) == ["QUX\u0308 ZORK", *["qux\u0308 zork"] * 3]
        shown = list(read_accesses(read_lines(desk.folder.file(ACCESSES))))
        assert {row.reviewer for row in shown} == {"ana"}
        for text in desk.order:
            what = [row.what for row in shown if (row.doc_key, row.field) == text]
            assert what == [PUBLISHED, ORIGINAL]


def test_a_note_that_was_read_is_opened_again_as_it_was(browser, published):
    with desk_served(browser, published) as (at, desk):
        at.page.locator(".items button").first.click()
        at.page.wait_for_selector("#panes .row")
        before = desk.marks.held.get(desk.order[0])
        at.press("j", "x")
        at.is_saved()
        after = desk.marks.held[desk.order[0]]
        assert len(after.spans) == len(before.spans) - 1 if before else True
        at.press("u")
        at.is_saved()
        assert before is None or set(desk.marks.held[desk.order[0]].spans) == set(before.spans)
        at.page.locator("#lock-now").click()
        at.page.wait_for_selector("#lock:not([hidden])")
        assert "zork" not in at.page.content()
