"""Offsets that leave the page of the review: code points, whatever the text is made of."""

import pytest

from .review_double import Double, note
from .reviewing import reviewing

pytestmark = pytest.mark.slow

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
TEXTS = {
    "emoji": ("\U0001f600\U0001f600 said Ann Lee \U0001f637 and left", "Ann Lee"),
    "beyond the basic plane": ("\U00020bb7\u91ce\u5bb6 and \U0001d400\U0001d401 met Ann", "Ann"),
    "combining marks": (
        "Jose\u0301 Mun\u0303oz saw Zoe\u0308 A\u030angstro\u0308m here",
        "A\u030angstro\u0308m",
    ),
    "joined emoji": (f"{FAMILY}{FAMILY} of Ann Lee", "Ann Lee"),
    "CR LF": ("one\r\ntwo\r\n\r\nAnn Lee\r\nfour", "Ann Lee"),
    "lone CR": ("one\rtwo Ann Lee\rthree", "Ann Lee"),
    "right to left": (
        "\u05d4\u05d7\u05d5\u05dc\u05d4 \u05e8\u05d7\u05dc \u05db\u05d4\u05df 12-34 \u05d4\u05d2",
        "\u05e8\u05d7\u05dc",
    ),
    "mixed directions": (
        "Ann \u0645\u0631\u064a\u0645 \u0639\u0644\u064a 3/4 came \U0001f600 Lee",
        "Lee",
    ),
    "tabs and blanks": ("\t\tName:   Ann\u00a0Lee  \t 7\u2009mg", "Ann"),
    "controls": ("a\x00b\x0b\x0c Ann \x1b[31m\u2028 Lee\ufeff!", "Lee"),
    "lone surrogate of another encoding": ("x\ufffdy \ufffc Ann \ufffc", "Ann"),
}


@pytest.mark.parametrize("kind", TEXTS)
def test_found_words_are_marked_where_they_are(browser, kind):
    text, words = TEXTS[kind]
    with reviewing(browser, Double([note("a", text)])) as at:
        at.enter().press("/")
        at.page.locator("#wanted").fill(words)
        at.press("Enter", "1")
        start = text.index(words)
        at.is_saved()
        (span,) = at.double.written("a")["spans"]
        assert (span["start"], span["end"]) == (start, start + len(words))
        assert at.page.locator("#panes .piece").first.text_content() == words
        assert at.complaints == []


@pytest.mark.parametrize("kind", TEXTS)
def test_the_caret_goes_over_all_words_and_back(browser, kind):
    """Every word is marked by keys; what is marked is what was seen selected."""
    text, _ = TEXTS[kind]
    with reviewing(browser, Double([note("a", text)])) as at:
        at.enter()
        seen = []
        for _ in range(40):
            at.press("w")
            if at.text("#spoken") == "end of the note":
                break
            seen.append(at.selected())
        assert len(seen) >= 3
        for words in reversed(seen):
            assert at.selected() == words
            at.press("b")
        assert at.text("#spoken") == "start of the note"
        at.press("1")
        for _ in seen[1:]:
            at.press("w", "1")
        assert [words for words, _ in at.marks()] == seen


@pytest.mark.parametrize(
    "kind", ["emoji", "combining marks", "right to left", "CR LF", "joined emoji"]
)
def test_a_double_click_takes_a_word(browser, kind):
    text, words = TEXTS[kind]
    before = text[: text.index(words)].replace("\r\n", "\n")
    line, units = before.count("\n") + 1, len(before.split("\n")[-1].encode("utf-16-le")) // 2
    with reviewing(browser, Double([note("a", text)])) as at:
        at.enter().click_on((line, units + 1), count=2)
        at.press("1")
        (found,) = at.marks()
        assert found[0] == words.split()[0]


def test_characters_as_people_count_them(browser):
    text = f"x {FAMILY}e\u0301y z"
    with reviewing(browser, Double([note("a", text)])) as at:
        at.enter().press("w", "1", "Alt+}")
        at.press("Alt+}")
        assert at.marks() == [(f"x {FAMILY}", "PATIENT")]
        at.press("Alt+}")
        assert at.marks() == [(f"x {FAMILY}e\u0301", "PATIENT")]
        at.press("Alt+{", "Alt+{")
        assert at.marks() == [("x ", "PATIENT")]


def test_boxes_behind_emoji_lie_where_they_were(browser):
    text = "\U0001f600 Dr. Lee\r\n\U0001f600\U0001f600 MRN 123 of Ann\u0301 Poe"
    written = note("a", text, [("Lee", "DOCTOR"), ("123", "MEDICALRECORD")])
    with reviewing(browser, Double([written])) as at:
        at.enter().press("o")
        at.page.wait_for_selector("#panes.both")
        shown = at.page.locator('[data-side="original"] .removed').all_text_contents()
        assert shown == ["Lee", "123"]
        at.press("/", *"Poe", "Enter", "Shift+B", "1")
        assert at.marks()[-1] == ("Ann\u0301 Poe", "PATIENT")


def test_a_selection_over_lines_and_boxes(browser):
    text = "Ann\r\n\r\nLee of 12 High St\nSpringfield \U0001f600 end"
    with reviewing(browser, Double([note("a", text, [("12 High St", "STREET")])])) as at:
        at.enter().press("o")
        at.page.wait_for_selector("#panes.both")
        at.drag((1, 1), (4, 6), side="original")
        at.press("1")
        assert at.marks() == [("Ann\r\n\r\nLee of 12 High St\nSpringfield", "PATIENT")]
        assert at.page.locator('[data-side="original"] [data-badge]').count() == 1
        at.press("u", "o")
        at.page.wait_for_selector("#panes:not(.both)")
        at.drag((1, 0), (3, 2))
        at.press("1")
        assert at.marks()[0] == ("Ann\r\n\r\nLee", "PATIENT")


def test_what_was_removed_over_a_line_end_is_one_box(browser):
    text = "Lives at 12 High St\nSpringfield, called."
    written = note("a", text, [("12 High St\nSpringfield", "STREET")])
    with reviewing(browser, Double([written])) as at:
        at.enter()
        assert at.page.locator(".row").count() == 1
        at.press("o")
        at.page.wait_for_selector("#panes.both")
        assert at.text('[data-side="original"] .removed') == "12 High St\nSpringfield"
        at.press("w", "w", "w", "w", "3")
        assert at.marks()[0] == ("High", "DATE")


def test_script_in_a_note_or_a_label_stays_text(browser):
    bad = "<script>parent.bad = 1</script><img src=x onerror='parent.bad = 1'>"
    text = f"Seen {bad} by <b>Ann</b>."
    label = "<i onclick=bad()>X</i>"
    written = note("a", text, [("Ann", label)], comment=bad, type=bad)
    with reviewing(browser, Double([written], labels=(label, "PATIENT"))) as at:
        at.enter()
        at.press("j", "k", "o")
        at.page.wait_for_selector("#panes.both")
        assert bad in at.text('[data-side="original"]')
        assert (
            at.page.locator("#panes script, #panes img, #panes b, #inspector i, #items img").count()
            == 0
        )
        assert at.page.evaluate("() => window.bad") is None
        assert at.page.locator("#comment").input_value() == bad
        at.press("r")
        assert label in at.text("dialog")
        at.press("Escape")
        refused = at.page.evaluate(
            "() => { try { document.body.innerHTML = '<b>x</b>'; return 'written' }"
            " catch (e) { return e.name } }"
        )
        assert refused == "TypeError", "Trusted Types"
        assert all(address.startswith(at.url) for address in at.requests)
