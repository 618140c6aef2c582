"""The screens of the review: measuring, deciding, panels; read by anyone, at any width."""

import pytest

from .looking import CONTRAST, WIDTH
from .review_double import Double, note
from .reviewing import reviewing

pytestmark = pytest.mark.slow

TEXT = (
    "Seen by Dr. Lee on 3 May 2012.\nHer sister Ann called.\n\u05e8\u05d7\u05dc came \U0001f600.\n"
    * 3
)
REMOVED = [("Lee", "DOCTOR"), ("3 May 2012", "DATE")] * 3
AGREEMENT = {
    "read_twice": 12,
    "strict": {"f1": 0.91, "low": 0.85, "high": 0.96},
    "blind": {"f1": 0.94, "low": 0.9, "high": 0.97},
    "kappa": 0.9,
    "alpha": None,
    "by_label": [
        {"label": "PATIENT", "f1": 0.95, "spans": 40},
        {"label": "DOCTOR", "f1": None, "spans": 0},
    ],
    "pairs": [{"readers": ["ana", "ben"], "documents": 12, "f1": 0.91}],
}
POINT = {"model": "b-1", "at": "2026-11-28T20:00:00+00:00", "low": 0.7, "high": 0.8}
CURVE = {
    "points": [
        {**POINT, "notes": 25, "minutes": 31.5, "f1": 0.76, "recall": 0.81},
        {
            **POINT,
            "notes": 50,
            "minutes": 58,
            "f1": 0.82,
            "recall": 0.83,
            "low": 0.78,
            "high": 0.86,
        },
        {
            **POINT,
            "notes": 75,
            "minutes": 80,
            "f1": 0.84,
            "recall": 0.85,
            "low": None,
            "high": None,
        },
    ],
    "scored_on": "measure",
    "seconds_a_note": 71.2,
}
DIFFERENCES = [
    {
        "start": 12,
        "end": 15,
        "marks": {"ana": "DOCTOR", "ben": None},
        "model": {"tag": "O", "p": 0.31},
    },
    {"start": 42, "end": 45, "marks": {"ana": "PATIENT", "ben": "DOCTOR"}, "model": None},
    {"start": 46, "end": 52, "marks": {"ana": None, "ben": "DATE"}, "model": None},
]


def notes(count=3, **more):
    return [note("abcdefgh"[n], TEXT, REMOVED, **more) for n in range(count)]


def axe(at):
    """What axe finds wrong, by name of its rule."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe")
    found = axe.Axe().run(at.page).response
    return [(one["id"], [n["html"][:90] for n in one["nodes"]]) for one in found["violations"]]


# -- measuring


def test_measuring_shows_nothing_that_tells_notes_apart(browser):
    places = [(TEXT.index("Ann"), TEXT.index("Ann") + 3)]
    with reviewing(browser, Double(notes(planted=places), queue="measure")) as at:
        at.enter()
        assert at.text("#run") == "campaign C"
        assert (
            at.text("#progress") == "0 of 3 read · 0 skipped = 0 leaks · target: direct < 2\u00a0%"
        )
        assert at.text("#title") == "Note 1 of 3"
        assert at.page.locator(".bars").count() == 0
        assert set(at.page.locator(".items .type").all_text_contents()) == {"note"}
        assert "risk" not in at.page.locator("body").inner_text().lower()
        at.press("j")
        assert at.text("#spoken") == "no span below", "boxes are not gone through"
        at.press("g")
        assert at.text("#spoken") == "not in this queue"
        at.press("o")
        assert "Lee" not in at.text("#panes")
        at.press("/", *"Ann", "Enter", "1")
        assert at.marks() == [("Ann", "PATIENT")]
        assert at.text("#span").startswith("PATIENT; marked by you; span 1 of 1")
        at.press("n")
        at.waits_for("#measured", "you marked 1; planted there: 1, found: 1")
        at.waits_for("#title", "Note 2 of 3")
        assert at.complaints == []


def test_measuring_marks_only_what_is_left_in_the_clear(browser):
    with reviewing(browser, Double(notes(), queue="measure")) as at:
        at.enter()
        at.drag((1, 1), (2, 4))
        at.press("1")
        words = [words for words, _ in at.marks()]
        assert words == ["Seen by Dr.", "on", ".\nHer"]
        at.press("{", "}")
        at.press("k", "k", "k", "}")
        assert at.text("#spoken") == "only what is left in the clear is marked"
        assert at.page.locator(".dropped").count() == 1, "the legend's own"


def test_a_verdict_of_a_campaign_stands(browser):
    with reviewing(browser, Double(notes(), queue="measure")) as at:
        at.enter().press("w", "1", "n")
        at.waits_for("#title", "Note 2 of 3")
        at.press("p")
        at.waits_for("#title", "Note 1 of 3")
        before = len(at.double.saved)
        at.press("j", "x", "w", "1", "s")
        assert at.text("#spoken").startswith("In a campaign a verdict stands")
        assert at.page.locator("dialog").count() == 0
        at.press("n")
        at.waits_for("#title", "Note 2 of 3")
        assert at.marks_there() == [("Seen", "PATIENT")] and len(at.double.saved) == before


def test_a_note_that_is_skipped_counts_as_a_leak(browser):
    with reviewing(browser, Double(notes(), queue="measure")) as at:
        at.enter().press("s")
        assert at.text("dialog h2") == "Skip: counts as a leak"
        at.press("1")
        at.waits_for("#progress", "1 skipped = 1 leak")
        at.page.get_by_role("button", name="campaign").click()
        at.waits_for("dialog", "1 of 3")


# -- deciding


def test_differences_are_decided_by_keys(browser):
    double = Double(notes(2, differences=DIFFERENCES), role="adjudicator")
    with reviewing(browser, double) as at:
        at.enter()
        assert at.page.locator(".differences li").count() == 3
        first = at.page.locator(".differences li").first
        assert "A: DOCTOR" in first.text_content() and "B: nothing" in first.text_content()
        assert "model: O, p = 0.31" in first.text_content()
        assert "ana" not in at.text("#inspector") and "ben" not in at.text("#inspector")
        at.press("1")
        assert "decided: DOCTOR" in first.text_content()
        assert at.text("#spoken") == "difference 2 of 3"
        at.press("3", "0")
        at.page.wait_for_selector("dialog", state="detached")
        assert "decided: no PHI" in at.page.locator(".differences li").nth(1).text_content()
        at.press("u")
        at.press("2", "n")
        at.waits_for("dialog h2", "1 not decided")
        at.press("Enter")
        at.waits_for("#title", "Note 2")
        assert at.double.decided["a"] == {
            "decisions": [
                {"start": 12, "end": 15, "label": "DOCTOR"},
                {"start": 42, "end": 45, "label": "DOCTOR"},
                {"start": 46, "end": 52, "label": "undecided"},
            ],
            "rows": {"ana": 7, "ben": 9},
        }
        at.press("j", "j", "0", "k", "1")
        at.is_saved()
        labels = [row["label"] for row in at.double.decided["b"]["decisions"]]
        assert labels == ["undecided", "PATIENT", "undecided"]
        at.press("p")
        at.waits_for("#title", "Note 1")
        assert at.complaints == []


def test_differences_are_decided_by_the_mouse(browser):
    double = Double(notes(1, differences=DIFFERENCES), role="adjudicator")
    with reviewing(browser, double) as at:
        at.enter()
        rows = at.page.locator(".differences li")
        rows.nth(2).get_by_role("button", name="B: DATE").click()
        rows.nth(0).get_by_role("button", name="other").click()
        at.page.get_by_role("button", name="STREET").click()
        rows.nth(1).get_by_role("button", name="undecided").click()
        at.page.get_by_role("button", name="done, next").click()
        at.waits_for("#spoken", "No note is left to decide.")
        labels = [row["label"] for row in at.double.decided["a"]["decisions"]]
        assert labels == ["STREET", "undecided", "DATE"]


# -- panels


def test_curve_and_agreement_have_their_numbers_in_tables(browser):
    with reviewing(browser, Double(notes(), curve=CURVE, agreement=AGREEMENT)) as at:
        at.enter().page.get_by_role("button", name="curve").click()
        at.waits_for("dialog", "A note takes 71 seconds")
        assert at.page.locator("dialog polyline").count() == 2
        assert at.page.locator("dialog tbody tr").nth(1).locator("td").all_text_contents()[:3] == [
            "50",
            "58",
            "0.820",
        ]
        assert axe(at) == []
        at.press("Escape")
        at.page.get_by_role("button", name="agreement").click()
        at.waits_for("dialog", "Read twice: 12 notes")
        assert at.page.locator("dialog rect").count() == 2
        assert axe(at) == []
        assert at.complaints == []


def test_a_model_without_a_score_is_in_the_table_alone(browser):
    unscored = {**POINT, "notes": 8, "minutes": 0.4}
    unscored |= dict.fromkeys(("f1", "recall", "low", "high"))
    scored = {**POINT, "notes": 20, "minutes": 2.6, "f1": 0.7, "recall": 0.8}
    double = Double(notes(), curve={**CURVE, "points": [unscored, scored]})
    with reviewing(browser, double) as at:
        at.enter().page.get_by_role("button", name="curve").click()
        at.waits_for("dialog", "Figures of the curve")
        assert at.page.locator("dialog circle").count() == 1
        across = at.page.locator("dialog .tick.middle").all_text_contents()
        assert across[:-1] == ["0", "1", "2"]
        minutes = at.page.locator("dialog tbody tr td:nth-of-type(2)").all_text_contents()
        assert minutes == ["0.4", "2.6"]
        at.press("Escape")
        double.curve = {**CURVE, "points": [unscored], "scored_on": None, "seconds_a_note": 1.2}
        at.page.get_by_role("button", name="curve").click()
        at.waits_for("dialog", "Scored on nothing yet. A note takes 1 second.")
        assert at.page.locator("dialog svg").count() == 0
        assert at.complaints == []


def test_panels_without_figures_and_with_a_refusal(browser):
    double = Double(notes(), curve={"points": [], "scored_on": None, "seconds_a_note": None})
    double.agreement = {"read_twice": 0}
    double.refusals["GET", "agreement"] = (503, {"message": "the marks are damaged"})
    with reviewing(browser, double) as at:
        at.enter().page.get_by_role("button", name="curve").click()
        at.waits_for("dialog", "No model was trained on these notes yet")
        at.press("Escape")
        at.page.get_by_role("button", name="agreement").click()
        at.waits_for("dialog", "the marks are damaged")
        at.press("Escape")
        at.page.get_by_role("button", name="agreement").click()
        at.waits_for("dialog", "No note was read twice yet")


def test_training_and_scrubbing_again(browser):
    with reviewing(browser, Double(notes())) as at:
        at.enter().page.get_by_role("button", name="train", exact=True).click()
        at.waits_for("dialog", "not started")
        at.waits_for("dialog", "16,432 generated notes")
        assert "about 76 minutes of one core, and 17 GB of memory" in at.text("dialog .takes")
        at.page.get_by_role("button", name="Start", exact=True).click()
        at.waits_for("dialog", "New bundle: b-review-1")
        assert "training on 12 notes" in at.text("dialog .log")
        at.press("Escape")
        at.page.get_by_role("button", name="scrub again").click()
        at.page.get_by_role("button", name="Start", exact=True).click()
        at.waits_for("dialog", "9 documents compared: 4 spans more, 1 less.")
        assert axe(at) == []
        at.press("Escape")
        double = at.double
        double.refusals["POST", "train"] = (409, {"message": "no note was read to the end yet"})
        double.jobs.clear()
        at.page.get_by_role("button", name="train", exact=True).click()
        at.page.get_by_role("button", name="Start", exact=True).click()
        at.waits_for("dialog", "no note was read to the end yet")


def test_what_this_server_cannot_do_is_not_offered(browser):
    nothing = {"original": False, "train": False, "rescrub": False}
    with reviewing(browser, Double(notes(), can=nothing)) as at:
        at.enter()
        for name in ("train", "scrub again", "original", "campaign"):
            assert at.page.get_by_role("button", name=name, exact=True).count() == 0
        at.press("o")
        assert at.text("#spoken") == "originals cannot be shown here"


# -- for everyone


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("screen", ["find", "measure", "adjudicate"])
def test_page_is_read_at_any_width_by_day_and_night(browser, screen, width, scheme):
    written = notes(differences=DIFFERENCES, uncertain=[{"start": 42, "end": 45, "p": 0.4}])
    role = "adjudicator" if screen == "adjudicate" else "reader"
    double = Double(written, queue="measure" if screen == "measure" else "find", role=role)
    with reviewing(browser, double, width=width, scheme=scheme) as at:
        at.enter()
        if screen == "adjudicate":
            at.press("1")
        else:
            at.press("/", *"Ann", "Enter", "1", "j", "x", "o")
            at.is_saved()
        scrolled, inner = at.page.evaluate(WIDTH)
        assert scrolled <= inner
        assert at.page.evaluate(CONTRAST) == []
        assert axe(at) == []
        background = at.page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 26)"}[scheme]
        at.press("?")
        assert axe(at) == []
        assert at.page.evaluate(CONTRAST) == []
        scrolled, inner = at.page.evaluate(WIDTH)
        assert scrolled <= inner
        assert all(address.startswith(at.url) for address in at.requests)
        assert at.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_lock_is_read_by_anyone(browser, scheme):
    with reviewing(browser, Double(notes()), width=400, scheme=scheme) as at:
        at.page.goto(at.url)
        at.page.wait_for_selector("#lock:not([hidden])")
        assert axe(at) == []
        assert at.page.evaluate(CONTRAST) == []


def test_at_twice_the_size_all_is_reached(browser):
    # 200 % in a window of 1,280 to 800 pixels, as WCAG 1.4.4 counts it.
    with reviewing(browser, Double(notes()), width=640, height=400, device_scale_factor=2) as at:
        at.enter()
        scrolled, inner = at.page.evaluate(WIDTH)
        assert scrolled <= inner
        for name in ("done, next", "PATIENT", "queue", "lock"):
            button = at.page.get_by_role("button", name=name, exact=True)
            button.scroll_into_view_if_needed()
            box = button.bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= 640
        at.page.get_by_role("button", name="queue").click()
        assert at.page.locator(".items").is_visible()
        at.press("w", "1")
        assert at.marks()[0] == ("Seen", "PATIENT")


def test_focus_goes_through_the_page_in_order_and_is_seen(browser):
    with reviewing(browser, Double(notes())) as at:
        at.enter()
        at.page.locator("#open-curve").focus()
        seen = []
        for _ in range(60):
            at.press("Tab")
            where = "e => e.id || e.closest('[id]').id"
            seen.append(at.page.evaluate(f"() => ({where})(document.activeElement)"))
            outline = "() => getComputedStyle(document.activeElement).outlineStyle"
            assert at.page.evaluate(outline) != "none"
            if seen[-1] == "comment":
                break
        order = list(dict.fromkeys(seen))
        assert order.index("open-help") < order.index("items") < order.index("panes")
        assert order.index("panes") < order.index("inspector") < order.index("comment")


def test_what_is_done_is_said_to_those_who_do_not_see(browser):
    with reviewing(browser, Double(notes())) as at:
        at.enter()
        assert at.page.locator("#spoken").get_attribute("aria-live") == "polite"
        assert at.page.locator("#alarm").get_attribute("role") == "alert"
        at.press("w")
        assert at.text("#spoken") == "Seen"
        at.press("1")
        name = at.page.evaluate("() => document.activeElement.getAttribute('aria-label')")
        assert name == "PATIENT, left in the clear, marked by you: Seen"
        at.press("j")
        name = at.page.evaluate("() => document.activeElement.getAttribute('aria-label')")
        assert name == "DOCTOR, removed, found by the run: [DOCTOR]"
