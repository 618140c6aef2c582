"""An invented corpus that is hard enough for scores to differ, and a recipe that is fast."""

from __future__ import annotations

from scrubline.dictionaries import Dictionary
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.features import Gazetteer, Prefix, Suffix, Word, at
from scrubline.models.recipes import Learner, Recipe

SITES = Dictionary("sites", ("Oakton", "St Mary"), "0" * 64)
NAMES = ("Ann Lee", "Bo Zhu", "Cy Poe", "Di Fox", "Ed Roe", "Flo Day", "Gus Hay", "Ida May")
SITE_NAMES = ("Oakton", "St Mary", "Elmwood", "North Hill")
RECIPE = Recipe.single(
    name="tiny",
    layer="fine",
    sequence="line",
    features=(
        *at(Word(), -1, 0, 1),
        *at(Prefix(1), 0),
        *at(Suffix(2), 0),
        *at(Gazetteer("sites"), 0),
    ),
    scheme="BIO",
    learner=Learner.of("averaged-perceptron", max_iterations=6),
)
LISTS = {"sites": SITES}


def note(number: int) -> AnnotatedDocument:
    """A made-up note; every third name has no title before it, so some are missed."""
    name, site = NAMES[number % 8], SITE_NAMES[number % 4]
    title = "" if number % 3 == 0 else "Dr. "
    text = f"{title}{name} saw the patient\nat {site} on day {number}.\r\nNo fever. Café 🙂"
    start, place = text.index(name), text.index(site)
    spans = (
        Annotation(start, start + len(name), "DOCTOR"),
        Annotation(place, place + len(site), "HOSPITAL"),
    )
    return AnnotatedDocument(f"d{number}", text, spans, {"patient": number // 3})


CORPUS = [note(number) for number in range(24)]
