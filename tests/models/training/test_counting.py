"""Dictionaries that training counts: words, and headings that can be trusted."""

from __future__ import annotations

import pytest
from scrubline.dictionaries import parse
from scrubline.models.core.errors import UsageError
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.recipes.passes import Trust, WordCounts
from scrubline.models.training.counting import counted_dictionaries, entropy, trusted_headings

COUNTS = tuple(WordCounts(what, what, least=2) for what in ("capitalised", "frequency", "initial"))


def counted(*texts: str) -> dict[str, dict[str, int]]:
    documents = [AnnotatedDocument(str(n), text) for n, text in enumerate(texts)]
    made = counted_dictionaries(COUNTS, documents)
    for dictionary in made.values():
        assert parse(dictionary.name, dictionary.to_bytes()) == dictionary
    return {n: dict(zip(d.phrases, d.weights or (), strict=True)) for n, d in made.items()}


def test_words_are_counted_and_shares_are_powers_of_two():
    made = counted("The cat saw Lee. The cat", "Lee and the cat, 7 7")
    assert made["frequency"] == {"cat": 3, "lee": 2, "the": 3, "7": 2}
    # Of three, two are capitalised: ten sixteenths. Those of "lee" all are, half of them first.
    assert made["capitalised"] == {"cat": 1, "lee": 1 << 16, "the": 1 << 10}
    assert made["initial"] == {"lee": 1 << 8, "the": 1 << 16}


def test_without_counts_nothing_is_made():
    assert counted_dictionaries((), [AnnotatedDocument("a", "x")]) == {}


def test_headings_are_counted_by_document():
    texts = ["MEDS: a\nMeds: b\nPLAN\nx", "Meds: a\nPlan: b\nOnce: c", "plan\nMEDS:\na 1: b"]
    documents = [AnnotatedDocument(str(n), text) for n, text in enumerate(texts)]

    def listed(**more: int) -> tuple[str, ...]:
        (made,) = counted_dictionaries((WordCounts("h", "headings", **more),), documents).values()
        assert made.weights is None and parse("h", made.to_bytes()) == made
        return made.phrases

    assert listed(least=3) == ("meds",)
    assert listed(least=2) == ("meds", "plan")
    assert listed(least=1) == ("a 1", "meds", "once", "plan")
    assert listed(least=1, most=3) == ("a 1", "meds", "plan")
    with pytest.raises(UsageError, match="most is for headings"):
        WordCounts("x", "frequency", most=1)


def form(number: int) -> AnnotatedDocument:
    text = f"Name: Ann{number}\nSite: Oak\nPlan: Bo"
    labels = {"Ann": "PATIENT", "Oak": "HOSPITAL" if number % 2 else "CITY", "Bo": "DOCTOR"}
    spans = [(text.index(word), label) for word, label in labels.items()]
    ends = [start + len(text[start:].split("\n")[0]) for start, _ in spans]
    return AnnotatedDocument(
        str(number),
        text,
        tuple(Annotation(s, e, label) for (s, label), e in zip(spans, ends, strict=True)),
    )


def test_headings_of_one_label_are_trusted_if_they_have_enough_phrases():
    forms = [form(number) for number in range(10)]
    assert trusted_headings(Trust(), forms).phrases == ("name", "plan")
    assert trusted_headings(Trust(), forms[:9]).phrases == ()
    assert trusted_headings(Trust(phrases=9), forms[:9]).phrases == ("name", "plan")
    assert trusted_headings(Trust(entropy=1.1), forms).phrases == ("name", "plan", "site")


@pytest.mark.parametrize(
    ("counts", "bits"), [({"A": 4}, 0.0), ({"A": 1, "B": 1}, 1.0), ({"A": 2, "B": 1, "C": 1}, 1.5)]
)
def test_entropy_is_in_bits(counts, bits):
    assert entropy(counts) == pytest.approx(bits)
