"""What the organisers' own script counted on made-up annotations, against ours.

The script is not part of this project. `COUNTED` holds what it counted: the documents of `made()`
were written by `i2b2_2014.render`, one folder a side, and read by the script, neither changed, on
Python 2.7. How to repeat it: docs/evaluation.md, "Checked against the official script".
"""

import hashlib
from collections.abc import Iterator

import pytest
from scrubline.models.core.labels import LABELS
from scrubline.models.corpora import AnnotatedDocument, i2b2_2014
from scrubline.models.evaluation import compare

from .makers import placed, tokenize

WORDS = (
    *("Ann", "Lee", "José", "O'Brien,", "3/4/2012", "(617)", "555-0123", "a@b.example", "<b>"),
    *("&amp;", "]]>", '"so"', "🙂", "王伟", "---", "e\u0301lan", "x_y", "#42", "St."),
    *("54yo", "\ufeff"),
)
GAPS = (" ", " ", " ", "\n", "\r\n", "\t", "\r", ", ", "")

COUNTED = (
    # metric, (TP, FP, FN), macro (P, R, F), deviations of P and R
    ("i2b2_2014_token", (693, 284, 436), (0.644758, 0.579519, 0.610400), (0.274157, 0.259484)),
    ("strict", (233, 377, 446), (0.374066, 0.352806, 0.363125), (0.211709, 0.195898)),
    ("i2b2_2014_relaxed", (353, 234, 283), (0.551239, 0.537447, 0.544256), (0.251325, 0.244881)),
    (
        "i2b2_2014_hipaa_token",
        (426, 190, 286),
        (0.632527, 0.563182, 0.595844),
        (0.308907, 0.294382),
    ),
    (
        "i2b2_2014_hipaa_strict",
        (147, 245, 291),
        (0.383485, 0.353262, 0.367754),
        (0.269207, 0.244293),
    ),
    (
        "i2b2_2014_hipaa_relaxed",
        (224, 156, 186),
        (0.544838, 0.526376, 0.535448),
        (0.302243, 0.289443),
    ),
)


READ = "9156a6375f566e2bd2d8a45967b3993f7d9caedbd0752485fbdf9df4eb9bd1dd"
"""SHA-256 of the names and contents of the files that it read."""


def numbers() -> Iterator[int]:
    """A linear congruential generator of its own: the same on every version of Python."""
    state = 2014
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield state >> 33


def made() -> tuple[list[AnnotatedDocument], list[AnnotatedDocument]]:
    """Sixty documents: gold with overlaps, and each of its spans kept, changed, cut or lost."""
    stream = numbers()

    def below(limit: int) -> int:
        return next(stream) % limit

    gold, predicted = [], []
    for ordinal in range(60):
        length = 0 if ordinal == 7 else 5 + below(40)
        text = "".join(WORDS[below(21)] + GAPS[below(9)] for _ in range(length))
        truth: list[tuple[int, int, str]] = []
        found: list[tuple[int, int, str]] = []
        at = below(6)
        while at < len(text):
            end, label = at + 1 + below(12), LABELS[below(28)]
            truth.append((at, end, label))
            if below(9) == 0:
                truth.append((at, end + below(7) - 3, label))
            change = below(14)
            if change < 5:
                found += [(at, end, label)] * (1 + change % 2)
            elif change < 9:
                found.append((at, end + below(7) - 3, label))
            elif change == 9:
                found.append((at + 1, end, label))
            elif change == 10:
                found.append((at, end, LABELS[below(28)]))
            elif change == 11:
                middle = at + (end - at) // 2
                found += [(at, middle, label), (middle, end, label)]
            elif change == 12:
                found += [(at, end + below(9) - 4, label) for _ in range(3)]
            at = end + below(9)
        # Nothing on either side, on one, on the other.
        if ordinal in (3, 23, 43):
            truth = []
        if ordinal in (3, 4, 23, 24, 44):
            found = []
        for side, spans in ((gold, truth), (predicted, found)):
            inside = [span for span in spans if span[0] < span[1] <= len(text)]
            side.append(placed(text, *inside, doc_id=f"{100 + ordinal // 5}-{1 + ordinal % 5:02}"))
    return gold, predicted


@pytest.mark.parametrize(("metric", "counts", "macro", "deviations"), COUNTED)
def test_ours_are_the_numbers_of_the_script(metric, counts, macro, deviations):
    found = compare(*made(), tokenize=tokenize, resamples=0, metrics=[metric]).metrics[metric]
    assert (found.micro.tp, found.micro.fp, found.micro.fn) == counts
    ours = (found.documents.precision, found.documents.recall, found.documents.f1)
    assert ours == pytest.approx(macro, abs=6e-7)
    assert found.deviations == pytest.approx(deviations, abs=6e-7)


def test_the_xml_is_still_what_the_script_read():
    # A writer that changes has to be shown to the script again.
    digest = hashlib.sha256()
    for side in made():
        for name, content in sorted(i2b2_2014.render(side).items()):
            digest.update(name.encode() + b"\0" + content + b"\0")
    assert digest.hexdigest() == READ
