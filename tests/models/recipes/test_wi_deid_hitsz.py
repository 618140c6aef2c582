"""The recipes of WI-deId and HITSZ: their groups, subsets, lists and order of merging."""

from __future__ import annotations

import itertools
import json

import pytest
from scrubline.dictionaries import load
from scrubline.models.core.errors import UsageError
from scrubline.models.core.spans import Candidate
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.features import Digits, Feature, Gazetteer, Tag, Word, at
from scrubline.models.recipes import (
    RECIPES,
    Learner,
    Recipe,
    Sampling,
    TaggerRecipe,
    hide,
    hitsz,
    wi_deid,
    with_dictionaries,
    with_lists,
)
from scrubline.models.recognisers import RECOGNISERS
from scrubline.models.redaction.merging import LIU_2015, select
from scrubline.models.training.preparing import make_dictionaries

# -- hide


def test_sampling_is_an_option_of_hide() -> None:
    for sampling in (Sampling("random", keep=0.3), Sampling("window", window=2)):
        recipe = hide.hide(sampling=sampling)
        assert recipe.taggers[0].sampling == sampling
        assert recipe.taggers[0].features == RECIPES["hide"].taggers[0].features


# -- wi-deid


def test_wi_deid_has_all_subsets_of_its_groups() -> None:
    subsets = [g for n in (1, 2, 3) for g in itertools.combinations(wi_deid.GROUPS, n)]
    recipes = [wi_deid.wi_deid(groups) for groups in subsets]
    assert len({recipe.name for recipe in recipes}) == 7
    assert recipes[-1] == RECIPES["wi-deid"]
    sizes = {"lexical": 20, "orthographic": 15, "dictionary": 25}
    for recipe, groups in zip(recipes, subsets, strict=True):
        (tagger,) = recipe.taggers
        assert len(tagger.features) == sum(sizes[group] for group in groups)
        assert bool(recipe.extensions) == ("dictionary" in groups)
        assert recipe.auxiliary == (("pos",) if "lexical" in groups else ())
        assert Recipe.from_json(json.loads(json.dumps(recipe.as_json()))) == recipe
    # Every property is seen at the token and at the two on either side.
    offsets = [offset for feature in recipes[-1].taggers[0].features for _, offset in feature.parts]
    assert {offset: offsets.count(offset) for offset in offsets} == dict.fromkeys(range(-2, 3), 12)


def test_wi_deid_without_splitting() -> None:
    recipe = wi_deid.wi_deid(layer="word")
    assert (recipe.name, recipe.taggers[0].layer) == ("wi-deid-word", "word")
    assert recipe.taggers[0].features == RECIPES["wi-deid"].taggers[0].features


@pytest.mark.parametrize("groups", [[], ["words"], ["lexical", "Lex"]])
def test_unknown_groups_of_wi_deid_are_refused(groups: list[str]) -> None:
    with pytest.raises(UsageError, match="one or more of lexical, orthographic, dictionary"):
        wi_deid.wi_deid(groups)


def test_other_lists_for_another_language() -> None:
    spanish = with_lists(
        RECIPES["wi-deid"], {"city": ["cities_es"], "state": (), "date": ("months_es",) * 2}
    )
    lists = {extension.name: extension.lists for extension in spanish.extensions}
    assert lists == {
        "city": ("cities_es",),
        "country": ("countries_en",),
        "date": ("months_es",),
        "state": (),
        "street": (),
    }
    assert spanish.lists == ("cities_es", "countries_en", "months_es")
    assert spanish.dictionaries == RECIPES["wi-deid"].dictionaries
    assert with_lists(RECIPES["hide"], {}) == RECIPES["hide"]
    for recipe, message in (
        ("wi-deid", "no dictionary town; it makes: city, country, date"),
        ("hide", "makes no dictionary town; it makes: none"),
    ):
        with pytest.raises(UsageError, match=message):
            with_lists(RECIPES[recipe], {"town": ()})
    with pytest.raises(UsageError, match="lists must be"):
        with_lists(RECIPES["wi-deid"], {"city": ["a b"]})


def note(doc_id: str, text: str, **spans: str) -> AnnotatedDocument:
    found = tuple(
        Annotation(text.index(w), text.index(w) + len(w), label) for label, w in spans.items()
    )
    return AnnotatedDocument(doc_id, text, found)


NOTES = [
    note("a", "Lives in Port Xyrn, Oakland.", CITY="Port Xyrn"),
    note("b", "JaffreyMarital of Zembla since6/03/04", COUNTRY="Zembla", DATE="6/03/04"),
    note("c", "Born in Quuxville on 9/09/99", TERRITORIO="Quuxville", FECHAS="9/09/99"),
]


def test_lists_have_tokens_of_the_training_spans_and_of_no_other_document() -> None:
    recipe = RECIPES["wi-deid"]
    lists = {name: load(name) for name in recipe.lists}
    made = make_dictionaries(recipe, NOTES[:2], lists)
    words = {name: set(dictionary.phrases) for name, dictionary in made.items()}
    assert {"port", "xyrn", "los", "angeles"} <= words["city"]
    assert "los angeles" not in words["city"] and "oakton" not in words["city"]
    assert {"zembla", "france"} <= words["country"]
    assert words["date"] == {"6", "03", "04", "/"}
    assert words["street"] == set()
    assert not any("quuxville" in found or "99" in found for found in words.values())
    other = make_dictionaries(
        recipe, NOTES[2:], lists, {"TERRITORIO": "LOCATION-OTHER", "FECHAS": "DATE"}
    )
    # A label for all places says nothing of cities.
    assert "quuxville" not in other["city"].phrases
    assert other["date"].phrases == ("/", "09", "9", "99")
    assert "xyrn" not in other["city"].phrases


def test_the_lists_of_the_paper_alone() -> None:
    lists = wi_deid.PAPER_LISTS_IN
    assert lists["en"] == wi_deid.LISTS_IN["en"]
    assert lists["es"]["date"] == lists["es"]["street"] == ()
    assert lists["es"]["city"] == wi_deid.LISTS_IN["es"]["city"] == ("cities_es",)


# -- hide, with blanks


def test_blanks_as_tokens_of_hide() -> None:
    recipe = hide.hide(["regex"], layer="with-blanks")
    assert (recipe.name, recipe.taggers[0].layer) == ("hide-r-with-blanks", "with-blanks")
    assert recipe.taggers[0].features == hide.hide(["regex"]).taggers[0].features


# -- hitsz


def test_hitsz_as_it_is() -> None:
    recipe = RECIPES["hitsz"]
    token, character = recipe.taggers
    assert (token.layer, token.scheme) == ("word", "BIO")
    assert (character.layer, character.scheme, character.sequence) == ("character", "BIOES", "line")
    assert recipe.auxiliary == ("brown", "ner", "pos", "word2vec")
    assert recipe.rules == ("liu_2015",) and set(recipe.rules) <= RECOGNISERS.keys()
    assert (recipe.vote, recipe.order) == ("any", "rules-first")
    assert set(token.features) == {
        *(set(hitsz.TOKEN_FEATURES) - set(hitsz.DICTIONARY)),
        *(feature for name in hitsz.LISTS for feature in at(Gazetteer(name, "bioes"), 0)),
        *at(Digits(5), 0),
    }
    assert recipe.counts == (hitsz.HEADINGS,) and recipe.made == {"headings"}
    submitted = RECIPES["hitsz-no-dictionary"]
    assert submitted.lists == () and submitted.dictionaries == ("headings",)
    assert [t.features for t in submitted.taggers] == [
        tuple(f for f in tagger.features if f not in (*hitsz.ZIP, *_lists(tagger)))
        for tagger in recipe.taggers
    ]


def _lists(tagger: TaggerRecipe) -> list[Feature]:
    return [f for f in tagger.features if isinstance(f.parts[0][0], Gazetteer)]


def test_headings_are_learnt_from_the_training_documents() -> None:
    recipe = hitsz.hitsz(taggers=["token"], without=["dictionary"])
    notes = [note(str(n), f"Alergias: no\n\nPLAN\nx{n}: y\n") for n in range(5)]
    (headings,) = make_dictionaries(recipe, notes, {}).values()
    assert headings.phrases == ("alergias", "plan")
    (none,) = make_dictionaries(recipe, notes[:4], {}).values()
    assert none.phrases == ()
    assert hitsz.hitsz(without=["section"]).counts == ()
    assert Recipe.from_json(json.loads(json.dumps(recipe.as_json()))) == recipe


@pytest.mark.parametrize("kind", ["token", "character"])
def test_each_group_can_be_left_out(kind: str) -> None:
    (whole,) = hitsz.hitsz(taggers=[kind]).taggers
    gone = []
    for name, pair in hitsz.GROUPS.items():
        recipe = hitsz.hitsz(taggers=[kind], without=[name])
        (tagger,) = recipe.taggers
        assert recipe.name == f"hitsz-{kind}-no-{name}"
        gone += [feature for feature in whole.features if feature not in tagger.features]
        if not pair[hitsz.KINDS.index(kind)]:
            assert tagger == whole
    assert sorted(f.template for f in gone) == sorted(f.template for f in whole.features)
    assert set(hitsz.ABLATED) < set(hitsz.GROUPS)


def test_no_part_of_speech_is_left_in_conjunctions() -> None:
    (tagger,) = hitsz.hitsz(taggers=["token"], without=["pos"]).taggers
    assert not any(part == Tag("pos") for feature in tagger.features for part, _ in feature.parts)
    (tagger,) = hitsz.hitsz(taggers=["token"], without=["bag"]).taggers
    assert any(part == Word() for feature in tagger.features for part, _ in feature.parts)


@pytest.mark.parametrize(
    ("options", "name", "kinds", "rules"),
    [
        ({}, "hitsz", ["token", "character"], 1),
        ({"taggers": ("token",)}, "hitsz-token", ["token"], 1),
        ({"taggers": ("character",), "rules": False}, "hitsz-character-no-rules", ["character"], 0),
        ({"taggers": ("character", "token"), "rules": False}, "hitsz-no-rules", None, 0),
        ({"vote": "both", "rules": False}, "hitsz-no-rules-both", None, 0),
        ({"layer": "fine"}, "hitsz-fine", None, 1),
    ],
)
def test_the_rows_of_table_4(options: dict, name: str, kinds: list[str] | None, rules: int) -> None:
    recipe = hitsz.hitsz(**options)
    assert (recipe.name, recipe.order) == (name, "rules-first")
    assert [tagger.kind for tagger in recipe.taggers] == (kinds or ["token", "character"])
    assert len(recipe.rules) == rules
    assert Recipe.from_json(json.loads(json.dumps(recipe.as_json()))) == recipe


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"without": ["zip"]}, "unknown feature groups zip; known: bag, pos"),
        ({"taggers": ["word"]}, "unknown taggers word; known: token, character"),
        ({"taggers": []}, "taggers must be one or two"),
        ({"taggers": ["token"], "vote": "both"}, "a vote needs two taggers"),
        ({"layer": "nothing"}, "layer must be one of"),
        ({"without": list(hitsz.GROUPS)}, "expected 1 to 2000 features"),
    ],
)
def test_what_hitsz_cannot_be(options: dict, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        hitsz.hitsz(**options)


def test_a_list_of_zip_codes_of_ones_own() -> None:
    recipe = with_dictionaries(RECIPES["hitsz"], [*hitsz.LISTS, "my_zip"])
    assert recipe == hitsz.hitsz(dictionaries=[*hitsz.LISTS, "my_zip"])
    assert hitsz.hitsz(dictionaries=()).lists == ()


def test_the_merge_of_section_3_4() -> None:
    def of(detector: str, start: int, end: int, label: str = "DATE") -> Candidate:
        return Candidate(start, end, label, detector, 0.5)

    rule, character, token = "liu_2015", "charcrf:x", "crf:x"
    apart = [of(token, 0, 4), of(character, 4, 8), of(rule, 9, 12)]
    assert select(apart, LIU_2015) == tuple(apart)
    # Longer or earlier counts for nothing against the order of the classifiers.
    assert select([of(token, 0, 30), of(character, 5, 9)], LIU_2015) == (of(character, 5, 9),)
    assert select([of(character, 0, 30), of(rule, 29, 40)], LIU_2015) == (of(rule, 29, 40),)
    assert select([of(token, 0, 30), of(rule, 3, 4)], LIU_2015) == (of(rule, 3, 4),)
    same = [of(token, 0, 4, "CITY"), of(character, 0, 4, "STATE"), of(rule, 0, 4, "ZIP")]
    assert select(same, LIU_2015) == (same[2],)
    # What overlaps only what was left out stands.
    chain = [of(token, 0, 6), of(character, 5, 12), of(rule, 11, 20)]
    assert select(chain, LIU_2015) == (chain[0], chain[2])


def test_word_representations_are_left_out_with_their_parts() -> None:
    recipe = RECIPES["hitsz"].without(RECIPES["hitsz"].auxiliary)
    assert recipe.auxiliary == ()
    assert [t.layer for t in recipe.taggers] == ["word", "character"]
    assert TaggerRecipe("word", "line", at(Word(), 0), "BIO", Learner("lbfgs")).kind == "token"
