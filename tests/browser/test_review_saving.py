"""What was marked or written is not lost: a server that is away, another window, a lock."""

import pytest

from .conftest import CHROMIUM
from .review_double import Double, note, serving
from .reviewing import Reviewer, reviewing

pytestmark = pytest.mark.slow

TEXT = "Seen by Ann Lee.\nNothing else."


@pytest.fixture
def at(browser):
    with reviewing(browser, Double([note(key, TEXT) for key in "abc"])) as reviewer:
        yield reviewer.enter()


def puts(at):
    return sum(method == "PUT" for method, _ in at.double.asked)


def test_changes_at_once_are_saved_together(at):
    at.press("w", "w", "w", "1", "2", "3", "4")
    at.is_saved()
    assert puts(at) == 1
    assert at.marks_there() == [("Ann", "HOSPITAL")]
    assert at.double.saved["a"]["verdict"] == "open"


def test_without_a_server_nothing_is_lost(at):
    at.double.away = True
    at.press("w", "w", "w", "1")
    at.waits_for("#saving", "NOT SAVED")
    assert "nothing could be logged" in at.text("#alarm")
    at.press("c")
    at.page.keyboard.type("typed meanwhile")
    at.press("Escape", "n")
    at.waits_for("#spoken", "not saved: the note stays open")
    assert at.text("#title").startswith("Note 1")
    assert at.page.locator("#panes mark").text_content() == "Ann"
    at.page.locator(".items button").nth(1).click()
    at.waits_for("#spoken", "not saved: the note stays open")
    at.double.away = False
    at.page.get_by_role("button", name="Try now").click()
    at.waits_for("#saving", "saved")
    assert at.page.locator("#alarm").is_hidden()
    assert at.marks() == [("Ann", "PATIENT")]
    assert at.double.written("a")["comment"] == "typed meanwhile"
    assert at.double.written("a")["verdict"] == "open", "it was not closed by what failed"


def test_it_is_tried_again_without_being_asked(at):
    at.page.route("**/api/marks/**", lambda route: route.abort())
    at.press("w", "1")
    at.waits_for("#alarm", "the server does not answer")
    at.page.unroute("**/api/marks/**")
    at.waits_for("#saving", "saved")
    assert at.marks() == [("Seen", "PATIENT")]


def test_leaving_the_page_is_asked_about_while_something_is_not_saved(at):
    asked = []
    at.page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    at.double.away = True
    at.press("w", "1")
    at.waits_for("#saving", "NOT SAVED")
    at.page.close(run_before_unload=True)
    at.page.wait_for_event("close")
    assert asked == ["beforeunload"]


def change_elsewhere(at):
    one = at.double.written("a")
    one["spans"] = [{"start": 12, "end": 15, "label": "DOCTOR", "was": None}]
    one["revision"] += 1


def test_another_window_has_saved_and_mine_are_kept(at):
    change_elsewhere(at)
    at.press("w", "1")
    at.waits_for("dialog", "it has 1 span there, 1 here")
    assert "NOT SAVED" in at.text("#saving")
    at.page.get_by_role("button", name="Keep mine").click()
    assert at.marks() == [("Seen", "PATIENT")]


def test_another_window_has_saved_and_theirs_are_taken_and_undone(at):
    change_elsewhere(at)
    at.press("w", "1")
    at.waits_for("dialog", "it has 1 span there, 1 here")
    at.page.get_by_role("button", name="Take the saved ones").click()
    at.waits_for("#spoken", "the saved marks")
    assert at.marks() == [("Lee", "DOCTOR")]
    assert at.page.locator("#panes mark").text_content() == "Lee"
    at.press("u")
    assert at.marks() == [("Seen", "PATIENT")]


def test_a_conflict_that_is_put_off_can_be_chosen_later(at):
    change_elsewhere(at)
    at.press("w", "1")
    at.page.wait_for_selector("dialog")
    at.press("Escape")
    at.page.wait_for_selector("dialog", state="detached")
    assert "saved from another window" in at.text("#alarm")
    at.press("w", "2", "n")
    at.page.wait_for_selector("dialog")
    at.press("Escape")
    at.page.get_by_role("button", name="Choose").click()
    at.page.get_by_role("button", name="Keep mine").click()
    assert at.marks() == [("Seen", "PATIENT"), ("by", "DOCTOR")]


def test_an_answer_that_was_lost_is_no_conflict(at):
    """The server has saved, its answer did not arrive, and the page sends the same again."""

    def lose(route):
        route.fetch()
        route.abort()

    at.page.route("**/api/marks/**", lose, times=1)
    at.press("w", "1")
    at.waits_for("#saving", "NOT SAVED")
    at.waits_for("#saving", "saved")
    assert at.page.locator("dialog").count() == 0
    assert at.marks() == [("Seen", "PATIENT")]


def test_a_note_of_somebody_else_is_not_opened(at):
    at.double.refusals["POST", "claim/b"] = (423, {"error": "Taken", "message": "taken"})
    at.page.locator(".items button").nth(1).click()
    at.waits_for("#alarm", "Somebody else reads this note")
    assert at.page.locator(".row").count() == 0


def test_what_cannot_be_logged_is_not_shown(at):
    at.double.refusals["GET", "document/b"] = (503, {"message": "no access row was written"})
    at.press("n")
    at.waits_for("#alarm", "no access row was written")
    assert at.page.locator(".row").count() == 0


def test_the_link_is_taken_out_of_the_address_and_is_good_once(at):
    assert "#" not in at.page.url
    assert not any("launch-token" in address for address in at.requests)
    at.page.reload()
    at.waits_for("#spoken", "for the first note")
    at.press("n")
    at.page.wait_for_selector(".row")
    other = at.page.context.new_page()
    other.goto(f"{at.url}#launch-token-of-a-test")
    other.wait_for_selector("#lock:not([hidden])")
    assert "was used before" in other.text_content("#why")
    assert other.locator("#desk").is_hidden()


def test_without_a_link_the_page_asks_for_one(browser):
    with reviewing(browser, Double([note("a", TEXT)])) as at:
        at.page.goto(at.url)
        at.waits_for("#why", "`scrubline review` prints one")
        at.page.locator("#link").fill(f"{at.url}#{at.double.token}")
        at.press("Enter")
        at.waits_for("#spoken", "for the first note")
        assert at.complaints == []


def test_locked_by_the_reader(at):
    at.press("w", "1")
    at.page.get_by_role("button", name="lock").click()
    at.page.wait_for_selector("#lock:not([hidden])")
    assert at.marks_there() == [("Seen", "PATIENT")], "it was saved first"
    assert at.double.locked
    assert "Ann" not in at.page.content() and "Seen" not in at.page.content()
    at.page.reload()
    at.waits_for("#why", "needs a link")


def test_idle_locks_and_empties(browser):
    double = Double([note("a", TEXT)], idle_seconds=900)
    with reviewing(browser, double) as at:
        at.page.clock.install()
        at.enter()
        at.press("w", "w", "w", "c")
        at.page.keyboard.type("of Ann")
        at.page.clock.run_for(845_000)
        assert "Locks in" in at.text("#spoken")
        assert at.page.locator(".row").count() == 2
        at.press("Shift")
        at.page.clock.run_for(890_000)
        assert at.page.locator(".row").count() == 2, "a key begins it anew"
        at.page.clock.run_for(15_000)
        at.page.wait_for_selector("#lock:not([hidden])")
        assert at.page.locator(".row").count() == 0
        assert "Ann" not in at.page.content()
        assert at.page.locator("#comment").input_value() == ""
        assert at.double.written("a")["comment"] == "of Ann"
        assert at.page.evaluate("() => sessionStorage.length") == 0


def test_a_session_that_ends_keeps_what_was_not_saved_for_the_next(at):
    at.double.locked = True
    at.press("w", "w", "w", "1", "c")
    at.page.keyboard.type("kept")
    at.page.wait_for_selector("#lock:not([hidden])")
    assert "NOT SAVED" in at.text("#why")
    assert "Ann" not in at.page.content()
    at.double.token = "another-token"
    # The new link, in the same tab: the fragment alone is another one.
    at.page.evaluate("() => { location.hash = 'another-token' }")
    at.waits_for("#spoken", "What was not saved is saved now.")
    assert at.marks() == [("Ann", "PATIENT")]
    assert at.double.written("a")["comment"].startswith("k")
    assert at.page.locator("#panes mark").text_content() == "Ann"
    assert "#" not in at.page.url


KEPT = """async () => JSON.stringify([
  location.href, document.title, document.cookie, history.state, window.name,
  {...localStorage}, {...sessionStorage}, await caches.keys(), await indexedDB.databases(),
  performance.getEntries().map(({name}) => name),
])"""
"""What a browser keeps of a page, or shows beside it, while a note is open."""


def test_while_a_note_is_open_the_browser_keeps_none_of_its_words(browser):
    text = "Seen by Zebedeequux of Hollow Road."
    with reviewing(browser, Double([note("a", text, [("Hollow Road", "STREET")])])) as at:
        at.enter().press("o")
        at.page.wait_for_selector("#panes.both")
        at.press("/", *"Zebedeequux", "Enter", "1", "c")
        at.page.keyboard.type("about Marmaduke")
        at.press("Escape")
        at.is_saved()
        kept = at.page.evaluate(KEPT) + "".join(at.requests + at.complaints)
        assert "session-of-a-test" in kept, "it was looked into"
        for word in ("Zebedee", "Hollow", "Road", "Marmaduke", "Seen"):
            assert word.lower() not in kept.lower()


def test_nothing_is_left_in_the_profile_of_the_browser(browser, tmp_path):
    canary = "Zebedeequux"
    text = f"Seen by {canary} of Hollow Road."
    double = Double([note("a", text, [("Hollow Road", "STREET")])])
    with serving(double) as url:
        context = browser.browser_type.launch_persistent_context(
            tmp_path, executable_path=str(CHROMIUM), args=["--no-sandbox"]
        )
        at = Reviewer(context.new_page(), double, url).enter()
        at.press("o")
        at.page.wait_for_selector("#panes.both")
        at.press("/", *canary, "Enter", "1", "c")
        at.page.keyboard.type(f"about {canary}")
        at.press("Escape")
        assert (canary, "PATIENT") in at.marks()
        context.close()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 10
    for secret in (canary, "Hollow Road"):
        for encoding in ("utf-8", "utf-16-le"):
            holds = [path for path in files if secret.encode(encoding) in path.read_bytes()]
            assert holds == []
