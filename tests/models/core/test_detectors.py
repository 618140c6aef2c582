import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.detectors import DetectorId, DetectorKind
from scrubline.models.recipes.recipe import KINDS as KINDS_OF_TAGGERS
from scrubline.models.recognisers import RECOGNISERS
from scrubline.models.redaction.merging import LIU_2015, ORDER, PART

KINDS = [kind.value for kind in DetectorKind]
TAGGERS = ("crf", "charcrf", "svm", "trees")


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("crf:en-default", "crf", "en-default"),
        ("charcrf:en", "charcrf", "en"),
        ("svm:en", "svm", "en"),
        ("trees:en", "trees", "en"),
        ("propagation:en", "propagation", "en"),
        ("propagation:", "propagation", ""),
        ("crf:a:b", "crf", "a:b"),
        ("deny", "deny", ""),
        ("own:chart", "own", "chart"),
        ("own", "rule", "own"),
        ("roster:self", "roster", "self"),
        ("roster", "rule", "roster"),
        ("phone", "rule", "phone"),
        ("crf", "rule", "crf"),
        ("propagation", "rule", "propagation"),
        ("crfs:en", "rule", "crfs:en"),
        ("rule:crf:x", "rule", "rule:crf:x"),
        ("deny:x", "rule", "deny:x"),
        ("", "rule", ""),
    ],
)
def test_names_of_detectors(text, kind, name):
    found = DetectorId.parse(text)
    assert (found.kind, found.name, str(found)) == (kind, name, text)
    assert found == DetectorId(kind, name)
    assert (found.is_rule, found.is_tagger) == (kind == "rule", kind in TAGGERS)


@given(st.text(alphabet="acdefhnoprtuy:-1") | st.sampled_from(KINDS), st.sampled_from(KINDS))
def test_what_is_parsed_is_what_was_built(name, kind):
    assert str(DetectorId.parse(name)) == name
    try:
        built = DetectorId(kind, name)
    except ValueError:
        # "crf:x" is no name of a rule, and the deny-lists have none.
        assert DetectorId.parse(name).kind != "rule" if kind == "rule" else kind == "deny"
    else:
        assert DetectorId.parse(str(built)) == built


@pytest.mark.parametrize(
    ("kind", "name"),
    [("forest", "x"), ("", "x"), ("part", ""), ("rule", "crf:x"), ("rule", "deny"), ("deny", "x")],
)
def test_what_cannot_be_told_apart_is_refused(kind, name):
    with pytest.raises(ValueError, match=r"DetectorKind|detector"):
        DetectorId(kind, name)


@pytest.mark.parametrize(
    ("family", "items", "text"),
    [
        ("crf", "token", "crf:a-1"),
        ("crf", "character", "charcrf:a-1"),
        ("margin", "token", "svm:a-1"),
        ("trees", "token", "trees:a-1"),
    ],
)
def test_taggers_are_named_by_their_family_and_items(family, items, text):
    assert str(DetectorId.of_tagger(family, items, "a-1")) == text
    assert items in DetectorId.items_of(family)


def test_every_kind_of_tagger_has_a_name_and_every_kind_a_rank():
    assert [k for k in DetectorKind if k.items] == [k for k in DetectorKind if k in TAGGERS]
    assert {k.items for k in DetectorKind if k.items} == set(KINDS_OF_TAGGERS)
    assert {k.family for k in DetectorKind if k.family} == {"crf", "margin", "trees"}
    for order in (ORDER, LIU_2015):
        assert sorted(("deny", "roster", "own", *order)) == sorted((*KINDS, PART))


def test_every_rule_is_called_by_its_name():
    assert all(DetectorId.parse(name) == DetectorId("rule", name) for name in RECOGNISERS)
