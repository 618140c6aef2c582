"""Attacks on surrogates: what a corpus looks like when it is published, and what is counted."""

import dataclasses

import pytest
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.studies.parrot import Attack, odd_one_out, parrot, released
from scrubline.models.surrogates import SurrogateSettings

NATIVE = {"PATIENT": "PATIENT", "DATE": "DATE", "SEX": None}
RECORD = [
    "Zelda Quimby came on 3/4/2019.",
    "Quimby came again on 3/11/2019.",
    "Zelda Quimby, female, was well.",
    "Mrs. Brackwater came.",
]
PHI = ["Zelda Quimby", "Quimby", "Brackwater", "3/4/2019", "3/11/2019", "female"]


def document(number, text):
    spans = []
    for phrase in PHI:
        at = text.find(phrase)
        if at >= 0 and not any(s.start <= at < s.end for s in spans):
            label = "SEX" if phrase == "female" else "DATE" if phrase[0].isdigit() else "PATIENT"
            spans.append(Annotation(at, at + len(phrase), label))
    return AnnotatedDocument(f"d{number}", text, tuple(spans), {"patient": "P1"})


GOLD = [document(number, text) for number, text in enumerate(RECORD)]


def published(scope="record", missed=("Brackwater",)):
    found = [[s for s in d.spans if d.text[s.start : s.end] not in missed] for d in GOLD]
    return released(GOLD, found, SurrogateSettings(scope=scope), NATIVE)


def test_what_is_found_is_replaced_and_what_is_missed_stays():
    texts = [one.document.text for one in published()]
    assert not any(phrase in text for text in texts for phrase in PHI if phrase != "Brackwater")
    assert texts[3] == RECORD[3] and "[SEX]" in texts[2]
    surname = texts[1].split()[0]
    assert surname in texts[0] and surname in texts[2]


def test_what_looks_like_phi_lies_where_it_stands():
    for one, source in zip(published(), RECORD, strict=True):
        text = one.document.text
        for seen in one.visible:
            shown = text[seen.span.start : seen.span.end]
            assert seen.is_leak == (shown in source) and "[" not in shown
        assert [seen.span for seen in one.visible] == list(one.document.spans)


def test_the_rest_of_a_name_that_was_found_in_part_is_a_leak():
    [gold] = [document(0, RECORD[0])]
    name = gold.spans[0]
    part = Annotation(name.start, name.start + len("Zelda"), "PATIENT")
    [one] = released([gold], [[part]], SurrogateSettings(), NATIVE)
    leaks = [one.document.text[s.span.start : s.span.end] for s in one.visible if s.is_leak]
    assert leaks == [" Quimby", "3/4/2019"]


def test_the_parrot_suspects_what_its_tagger_does_not_find():
    corpus = published()
    tagged = [[s.span for s in one.visible if not s.is_leak] for one in corpus]
    attack = parrot(corpus, tagged)
    assert attack == Attack(1, 1, 1, 6, 1, 1)
    assert (attack.recall, attack.precision, attack.by_chance) == (1.0, 1.0, pytest.approx(1 / 6))
    everything = [[s.span for s in one.visible] for one in corpus]
    assert parrot(corpus, everything) == dataclasses.replace(
        attack, suspected=0, exposed=0, notes_exposed=0
    )


@pytest.mark.parametrize(("scope", "exposed"), [("record", 1), ("document", 0), ("mention", 0)])
def test_a_name_that_stands_once_is_odd_beside_one_that_stands_often(scope, exposed):
    attack = odd_one_out(published(scope), ["PATIENT"])
    assert (attack.leaks, attack.exposed) == (1, exposed)


def test_nothing_missed_is_nothing_exposed():
    corpus = published(missed=())
    attack = odd_one_out(corpus, ["PATIENT"])
    assert (attack.leaks, attack.exposed, attack.recall) == (0, 0, None)
