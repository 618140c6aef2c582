"""Other PHI in the same notes: laws that hold for any corpus, and one by hand."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.synth.replacing import (
    REPLACEMENTS,
    SHORTEST_NEW,
    PhiLabels,
    replace_phi,
    shape_of,
)

from ...examples import examples

LABELS = PhiLabels(frozenset({"NAME"}), frozenset({"PLACE"}))
WORD = re.compile(r"[^\W\d_]+")


def note(*parts: str | tuple[str, str]) -> AnnotatedDocument:
    """Plain text, and pairs of label and text for spans."""
    text, spans = "", []
    for part in parts:
        if isinstance(part, tuple):
            spans.append(Annotation(len(text), len(text) + len(part[1]), part[0]))
            part = part[1]
        text += part
    return AnnotatedDocument(str(len(text)), text, tuple(spans))


@st.composite
def corpora(draw: st.DrawFn) -> list[list[AnnotatedDocument]]:
    pieces = st.text(st.sampled_from("abAB1 -.\nñÉ"), min_size=1, max_size=9)
    labelled = st.tuples(st.sampled_from(["NAME", "PLACE", "DATE"]), pieces)
    notes = st.lists(st.one_of(pieces, labelled), max_size=8).map(lambda parts: note(*parts))
    return draw(st.lists(st.lists(notes, max_size=4), min_size=1, max_size=2))


def covered(document: AnnotatedDocument) -> list[tuple[str, str]]:
    spans = sorted(document.spans, key=lambda s: s.start)
    return [(span.label, document.text[span.start : span.end]) for span in spans]


def outside(document: AnnotatedDocument) -> list[str]:
    spans = sorted(document.spans, key=lambda s: s.start)
    edges = [0, *(edge for span in spans for edge in (span.start, span.end)), len(document.text)]
    return [document.text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]


@pytest.mark.parametrize("how", REPLACEMENTS)
@given(parts=corpora())
@examples(50)
def test_all_but_phi_stays_and_offsets_move_along(how, parts):
    made = replace_phi(parts, how, LABELS)
    assert made == replace_phi(parts, how, LABELS)
    assert [len(part) for part in made] == [len(part) for part in parts]
    for before, after in zip(sum(parts, []), sum(made, []), strict=True):
        assert outside(after) == outside(before) and after.doc_id == before.doc_id
        assert [label for label, _ in covered(after)] == [label for label, _ in covered(before)]


@pytest.mark.parametrize("how", REPLACEMENTS)
@given(parts=corpora())
@examples(50)
def test_equal_phi_of_a_document_stays_equal(how, parts):
    for before, after in zip(sum(parts, []), sum(replace_phi(parts, how, LABELS), []), strict=True):
        words: dict[str, str] = {}
        spans: dict[tuple[str, str], str] = {}
        for (label, old), (_, new) in zip(covered(before), covered(after), strict=True):
            if label == "DATE":
                assert spans.setdefault((label, old), new) == new
            elif how != "re-identified":
                assert len(WORD.findall(old)) == len(WORD.findall(new))
                for word, other in zip(WORD.findall(old), WORD.findall(new), strict=True):
                    if len(word) <= 3 and word.islower():
                        assert other == word  # a particle
                    else:
                        assert words.setdefault(word.lower(), other.lower()) == other.lower()


@given(parts=corpora())
@examples(50)
def test_made_up_words_have_their_shape_and_are_nowhere_else(parts):
    made = replace_phi(parts, "out of vocabulary", LABELS, known=("Aaaa",))
    words = {w.lower() for d in sum(parts, []) for w in WORD.findall(d.text)} | {"aaaa"}
    seen: dict[str, int] = {}
    pairs = zip(sum(parts, []), sum(made, []), strict=True)
    for number, (before, after) in enumerate(pairs):
        for (label, old), (_, new) in zip(covered(before), covered(after), strict=True):
            assert len(new) == len(old)
            if label == "DATE":
                assert shape_of(new) == shape_of(old)
                continue
            for word, other in zip(WORD.findall(old), WORD.findall(new), strict=True):
                if len(word) >= SHORTEST_NEW:
                    assert other.lower() not in words
                    assert seen.setdefault(other.lower(), number) == number
                    assert other[0].isupper() == word[0].isupper()


def test_where_spans_overlap_the_longest_stays_whole():
    document = AnnotatedDocument(
        "1", "Ann Lee Bo 12", (Annotation(4, 10, "NAME"), Annotation(0, 7, "PLACE"))
    )
    ((made,),) = replace_phi([[document]], "out of vocabulary", LABELS)
    assert [span.label for span in made.spans] == ["PLACE", "NAME"]
    assert made.spans[0].end == made.spans[1].start == 7 and made.text.endswith(" 12")


def test_a_corpus_by_hand():
    parts = [
        [
            note("fever in ", ("NAME", "Ana de Gil"), " on ", ("DATE", "3 May"), " at home"),
            note("home with fever: ", ("NAME", "BO LUZ"), ", ", ("DATE", "4 Jul")),
        ],
        [note(("NAME", "Eva"), " was here ", ("DATE", "5 Dec"))],
    ]
    (first, second), (alone,) = replace_phi(parts, "re-identified", LABELS)
    assert re.fullmatch(r"fever in (Bo|Luz) de (Bo|Luz) on 4 Jul at home", first.text)
    assert re.fullmatch(r"home with fever: (ANA|GIL) (ANA|GIL), 3 May", second.text)
    # Nothing of the other part: a made-up word, and other digits.
    assert re.fullmatch(r"[A-Z][a-z]{2} was here \d Dec", alone.text)

    (first, second), (alone,) = replace_phi(parts, "ambiguous", LABELS, words=("Bell", "St. Vitus"))
    pool = "(Home|Fever|Bell)"
    assert re.fullmatch(rf"fever in {pool} de {pool} on 4 Jul at home", first.text)
    assert re.fullmatch(rf"home with fever: {pool} {pool}, 3 May", second.text.replace(
        second.text[17:second.spans[0].end], second.text[17:second.spans[0].end].title()
    ))  # fmt: skip
    assert re.fullmatch(rf"{pool} was here \d Dec", alone.text)

    with pytest.raises(ValueError, match="how must be one of"):
        replace_phi(parts, "backwards", LABELS)


@pytest.mark.parametrize(
    ("text", "shape"),
    [("Ana Gil", "Xx Xx"), ("12/03/2014", "99/99/9999"), ("LUZ-2b", "X-9x"), ("", "")],
)
def test_shapes(text, shape):
    assert shape_of(text) == shape
