"""Every key and every act of the mouse on the page of the review."""

import re

import pytest

from .review_double import Double, note
from .reviewing import reviewing

pytestmark = pytest.mark.slow

TEXT = "Seen by Dr. Lee on 3 May 2012.\nHer sister Ann Smith called; ann smith, MRN 1234567.\nEnd."
REMOVED = [("Lee", "DOCTOR"), ("3 May 2012", "DATE"), ("1234567", "MEDICALRECORD")]
RUN = [("Lee", "DOCTOR"), ("3 May 2012", "DATE"), ("1234567", "MEDICALRECORD")]


def notes(count=1, **more):
    return [note("abcdefgh"[n], TEXT, REMOVED, **more) for n in range(count)]


@pytest.fixture
def at(browser):
    """A reader before one note."""
    uncertain = [{"start": TEXT.index("Ann"), "end": TEXT.index("Ann") + 3, "p": 0.4}]
    with reviewing(browser, Double(notes(3, uncertain=uncertain))) as reviewer:
        yield reviewer.enter()
        assert reviewer.complaints == []


def test_spans_are_gone_through(at):
    at.press("j")
    assert at.text("#span").startswith("DOCTOR; found by the run; span 1 of 3, line 1; rule:date")
    assert "score 0.93" in at.text("#span")
    at.press("j", "j")
    assert at.text("#span").startswith("MEDICALRECORD")
    assert at.page.evaluate("() => document.activeElement.textContent") == "[MEDICALRECORD]"
    at.press("j")
    assert at.text("#spoken") == "no span below"
    at.press("k")
    assert at.text("#span").startswith("DATE")
    assert at.page.locator(".current").count() == 1
    assert at.text("#counts") == "3 spans; 3 looked at; rules alone 3, CRF alone 5, both 11"


def test_words_are_marked_by_keys_alone(at):
    at.press("w", "w")
    assert at.selected() == "by"
    at.press("w", "w", "b")
    assert at.selected() == "Dr"
    at.press("w", "w", "w", "w", "w")
    assert at.selected() == "sister", "a box is one stop"
    at.press("w", "Shift+W")
    assert at.selected() == "Ann Smith"
    at.press("1")
    assert at.marks() == [*RUN[:2], ("Ann Smith", "PATIENT"), RUN[2]]
    assert at.text("#span").startswith("PATIENT; marked by you; span 3 of 4, line 2")


def test_a_selection_grows_to_the_front_and_back(at):
    at.press("g", "Shift+B")
    assert at.selected() == "sister Ann"
    at.press("Shift+W", "Shift+W")
    assert at.selected() == "Ann Smith"


def test_label_keys(at):
    at.press("g", "4")
    assert ("Ann", "HOSPITAL") in at.marks()
    at.press("5")
    assert ("Ann", "PHONE") in at.marks(), "the span that was just made has another label"
    at.press("0", "b")
    assert ("Ann", "EMAIL") in at.marks()
    at.press("r", "ArrowDown", "Enter")
    assert ("Ann", "DOCTOR") in at.marks()
    at.press("r", "Escape")
    at.page.wait_for_selector("dialog", state="detached")
    assert ("Ann", "DOCTOR") in at.marks()
    at.press("k", "7")
    assert at.marks()[1] == ("3 May 2012", "AGE")
    assert at.double.written("a")["spans"][1]["was"] == {"start": 19, "end": 29}


def test_a_label_that_there_is_not_is_told(browser):
    with reviewing(browser, Double(notes(), labels=("PATIENT",))) as at:
        at.enter().press("w", "2")
        assert at.text("#spoken") == "there is no such label"


def test_ends_are_moved_by_words_and_characters(at):
    at.press("g", "1", "}")
    assert at.marks()[2] == ("Ann Smith", "PATIENT")
    at.press("[")
    assert at.marks()[2][0] == "sister Ann Smith"
    at.press("]", "{")
    assert at.marks()[2][0] == "Ann"
    at.press("Alt+]", "Alt+}", "Alt+}")
    assert at.marks()[2][0] == "nn S"
    at.press("Alt+[", "Alt+{")
    assert at.marks()[2][0] == "Ann "
    at.press("{", "{")
    assert at.text("#spoken") == "no room", "a span does not become empty"


def test_an_end_does_not_run_over_another_span(at):
    at.press("j", "}")
    assert at.text("#spoken") == "by" or ("Lee on", "DOCTOR") in at.marks()
    at.press("}")
    assert at.text("#spoken") == "no room"


def test_delete_and_undo_and_redo(at):
    at.press("j", "x")
    assert at.marks() == RUN[1:]
    assert at.text("#span").startswith("DOCTOR; found by the run, deleted by you")
    assert at.page.locator("#panes .dropped").get_attribute("data-badge") == "not DOCTOR"
    at.press("u")
    assert at.marks() == RUN
    at.press("Shift+U")
    assert at.marks() == RUN[1:]
    at.press("2")
    assert at.marks() == RUN, "what was deleted can be marked again"
    at.press("u", "u")
    assert at.marks() == RUN
    at.press("u")
    assert at.text("#spoken") == "nothing to undo"


def test_all_alike_are_marked_after_a_question(at):
    at.press("g", "Shift+W", "1", "a")
    assert at.text("dialog h2") == "Mark 1 place alike as PATIENT?"
    at.press("Enter")
    at.page.wait_for_selector("dialog", state="detached")
    named = [row for row in at.marks() if row[1] == "PATIENT"]
    assert named == [("Ann Smith", "PATIENT"), ("ann smith", "PATIENT")]
    at.press("u")
    assert ("ann smith", "PATIENT") not in at.marks()
    at.press("k", "a")
    at.page.wait_for_selector("dialog")
    at.press("Escape")
    assert ("ann smith", "PATIENT") not in at.marks()


def test_all_alike_of_a_selection_asks_for_the_label(at):
    at.press("g", "a", "1")
    at.waits_for("dialog h2", "Mark 2 places alike as PATIENT?")
    at.press("Enter")
    at.page.wait_for_selector("dialog", state="detached")
    assert [words for words, label in at.marks() if label == "PATIENT"] == ["Ann", "ann"]


def test_all_shown_is_looked_at(at):
    at.press("y")
    assert "3 spans; 3 looked at" in at.text("#counts")


def test_done_and_next_are_one_act_and_previous_goes_back(at):
    at.press("n")
    at.waits_for("#title", "Note 2")
    assert at.double.saved["a"]["verdict"] == "done"
    assert at.text("#progress") == "1 of 3"
    at.press("p")
    at.waits_for("#title", "Note 1")
    at.press("j", "x")
    at.is_saved()
    assert at.double.written("a")["verdict"] == "done", "a correction leaves it done"
    at.press("n")
    at.waits_for("#title", "Note 2")
    at.press("n")
    at.waits_for("#title", "Note 3")
    at.press("n")
    at.waits_for("#spoken", "No note is left to read.")
    assert at.page.locator(".row").count() == 0


def test_skip_with_a_reason(at):
    at.press("s")
    assert "other language" in at.text("dialog")
    at.press("3")
    at.waits_for("#title", "Note 2")
    assert at.double.saved["a"]["verdict"] == "skipped"
    assert at.double.saved["a"]["reason"] == "other language"
    at.press("s", "6")
    at.waits_for("#title", "Note 3")
    assert at.double.saved["b"]["verdict"] == "cannot read"
    assert at.text("#progress") == "0 of 3 · 2 skipped"


def test_original_is_shown_and_hidden(at):
    assert "Lee" not in at.text("#panes")
    at.press("j", "o")
    at.page.wait_for_selector("#panes.both")
    assert at.text('.row[data-line="1"] [data-side="original"]') == "Seen by Dr. Lee on 3 May 2012."
    assert (
        at.text('.row[data-line="1"] [data-side="published"]') == "Seen by Dr. [DOCTOR] on [DATE]."
    )
    assert at.text("#span").startswith("DOCTOR"), "the span is still the current one"
    at.press("o")
    at.page.wait_for_selector("#panes:not(.both)")
    assert "Lee" not in at.page.content()


def test_original_is_marked_where_it_is_shown(at):
    at.press("o")
    at.page.wait_for_selector("#panes.both")
    at.drag((1, 19), (1, 22), side="original")
    assert at.selected() == "3 May"
    at.press("3")
    marks = at.marks()
    assert ("3 May", "DATE") in marks and ("3 May 2012", "DATE") not in marks


def test_comment_takes_letters_and_is_saved(at):
    at.press("c")
    at.page.keyboard.type("jxn is no key here")
    at.press("Escape")
    assert at.page.evaluate("() => document.activeElement.id") == "panes"
    at.is_saved()
    assert at.double.written("a")["comment"] == "jxn is no key here"
    assert at.marks() == RUN and at.text("#title").startswith("Note 1")


def test_find(at):
    at.press("/")
    at.page.keyboard.type("ann s")
    at.press("Enter")
    assert at.selected() == "Ann S"
    assert at.text("#spoken") == "place 1 of 2"
    at.press(";")
    assert at.selected() == "ann s"
    at.press(";", "1")
    assert ("Ann S", "PATIENT") in at.marks(), "what is found is marked as it was found"
    at.press("/")
    at.page.keyboard.type("nowhere")
    at.press("Enter")
    assert at.text("#spoken") == "nothing found"
    at.press("Escape")
    assert at.page.locator("#find").is_hidden()


def test_signs_are_found_as_they_are(at):
    at.press("/")
    at.page.keyboard.type(r"^$\\.*+?()[]{}|/-&,#~:")
    at.press("Enter")
    assert at.text("#spoken") == "nothing found"
    assert at.complaints == []


def test_uncertain_words(at):
    assert at.text(".uncertain") == "Ann"
    at.press("g")
    assert at.selected() == "Ann"
    at.press("g")
    assert at.text("#spoken") == "no uncertain word below"


def test_keys_are_listed_and_given_anew(at):
    at.press("?")
    assert at.page.locator("dialog tbody tr").count() > 30
    row = at.page.locator("dialog tbody tr", has_text="done, and the next note")
    row.get_by_role("button").click()
    at.press("j")
    assert at.text("dialog .said") == "j is taken: next span"
    row.get_by_role("button").click()
    at.press("Escape")
    assert at.text("dialog .said") == "Left as it was."
    row.get_by_role("button").click()
    at.press("Control+Enter")
    assert row.locator("kbd").text_content() == "Ctrl+Enter"
    at.press("Escape")
    at.page.wait_for_selector("dialog", state="detached")
    at.press("n")
    assert at.text("#title").startswith("Note 1"), "the old key does nothing"
    at.press("Control+Enter")
    at.waits_for("#title", "Note 2")
    at.page.reload()
    at.waits_for("#spoken", "Press Ctrl+Enter for the first note")
    at.press("?")
    at.page.get_by_role("button", name="All keys as they came").click()
    assert row.locator("kbd").text_content() == "n"


def test_no_key_acts_without_a_note(browser):
    with reviewing(browser, Double(notes())) as at:
        at.enter(opened=False)
        for key in ("j", "w", "1", "x", "u", "a", "o", "p", "s", "g", "/", "c", "r", "["):
            at.press(key)
            assert at.text("#spoken") == "no note is open"
            assert at.page.locator("dialog").count() == 0
        assert at.complaints == []


def test_drag_snaps_to_words(at):
    at.drag((2, 12), (2, 17))
    assert at.selected() == "Ann Smith"
    at.press("1")
    assert ("Ann Smith", "PATIENT") in at.marks()


def test_drag_with_alt_takes_characters(at):
    at.drag((2, 12), (2, 17), alt=True)
    assert at.selected() == "nn Sm"
    at.press("1")
    assert ("nn Sm", "PATIENT") in at.marks()


def test_drag_backwards_and_over_line_ends(at):
    at.drag((3, 2), (2, 18))
    assert re.sub(r"\s+", " ", at.selected()).startswith("Smith called; ann smith, MRN")
    at.drag((2, 48), (3, 3))
    at.press("4")
    assert at.marks()[-1] == ("1234567.\nEnd", "HOSPITAL")


def test_double_click_selects_a_word_and_a_button_labels_it(at):
    at.click_on((2, 12), count=2)
    assert at.selected() == "Ann"
    at.page.get_by_role("button", name="PATIENT", exact=True).click()
    assert ("Ann", "PATIENT") in at.marks()


def test_a_click_chooses_a_span_and_buttons_act(at):
    at.page.locator("mark", has_text="[DATE]").click()
    assert at.text("#span").startswith("DATE")
    at.page.get_by_role("button", name="delete", exact=True).click()
    assert at.marks() == [RUN[0], RUN[2]]
    at.page.get_by_role("button", name="undo", exact=True).click()
    assert at.marks() == RUN
    at.page.get_by_role("button", name="start in", exact=True).click()
    at.page.get_by_role("button", name="done, next", exact=True).click()
    at.waits_for("#title", "Note 2")


def test_an_item_of_the_queue_is_opened_by_the_mouse(at):
    at.page.locator(".items button").nth(2).click()
    at.waits_for("#title", "Note 3")
    assert at.page.locator('[aria-current="true"] .n').text_content() == "3"


def test_enter_on_a_span_gives_another_label(at):
    at.press("j", "Enter", "3")
    assert at.marks()[0] == ("Lee", "DATE")


def test_twenty_notes_are_corrected_by_keyboard_alone(browser):
    written = [note(f"n{n}", TEXT, REMOVED) for n in range(20)]
    with reviewing(browser, Double(written)) as at:
        at.enter()
        for n in range(20):
            at.waits_for("#title", f"Note {n + 1},")
            at.press("/", *"Ann", "Enter", "Shift+W", "1", "j", "x", "n")
        at.waits_for("#spoken", "No note is left to read.")
        for one in written:
            words = [TEXT[s["start"] : s["end"]] for s in one["spans"]]
            assert words == ["Lee", "3 May 2012", "Ann Smith"]
            assert one["verdict"] == "done"
        assert at.complaints == []
