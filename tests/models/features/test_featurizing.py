"""Rendering: names, order, offsets, conjunctions, sequences, resources."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.dictionaries.trie import TokenTrie
from scrubline.models.core.errors import UsageError
from scrubline.models.features import (
    CharacterClass,
    CharacterNgrams,
    Cluster,
    Feature,
    Gazetteer,
    Line,
    Prefix,
    Shape,
    Tag,
    Word,
    at,
    ngrams,
    together,
)
from scrubline.models.features.escaping import escape
from scrubline.models.features.featurizing import featurize
from scrubline.models.recipes import Learner, TaggerRecipe
from scrubline.models.text.tokenizer import tokenize_documents

from ...examples import examples


def recipe_of(*features: Feature, **options: object) -> TaggerRecipe:
    settings_ = {"layer": "fine", "sequence": "line"} | options
    return TaggerRecipe(
        features=features,
        scheme="BIO",
        learner=Learner("lbfgs"),
        **settings_,
    )


def rows_of(found: object) -> list[list[str]]:
    names, ids, offsets = found.attributes, found.attribute_ids, found.item_offsets
    return [[names[i] for i in ids[s:e]] for s, e in zip(offsets, offsets[1:], strict=False)]


def rows(text: str, *features: Feature, **options: object) -> list[list[str]]:
    return rows_of(
        featurize([text], tokenize_documents([text]), recipe_of(*features, **options), {})
    )


def test_attributes_come_in_declared_order() -> None:
    features = (
        *at(Word(), -1),
        *at(CharacterClass(("ALPHA", "INITCAPS")), 0),
        together((Word(fold=True), -1), (Shape(), 0)),
        *at(Line("index"), 0),
        *at(Word(), 0),
        *at(Prefix(3), 0, 1),
    )
    assert rows("Dr. Ada", *features) == [
        [
            "w[-1]=\\B",
            "is[0]=ALPHA",
            "is[0]=INITCAPS",
            "lower[-1]=\\B|shape[0]=Aa",
            "line.index[0]=0",
            "w[0]=Dr",
        ],
        ["w[-1]=Dr", "lower[-1]=dr|shape[0]=.", "line.index[0]=1", "w[0]=.", "pre3[1]=Ada"],
        [
            "w[-1]=.",
            "is[0]=ALPHA",
            "is[0]=INITCAPS",
            "lower[-1]=.|shape[0]=Aaa",
            "line.index[0]=2",
            "w[0]=Ada",
            "pre3[0]=Ada",
            "pre3[1]=\\E",
        ],
    ]


def test_each_side_of_a_sequence_has_its_marker() -> None:
    found = rows("a b\nc", *at(Word(), -2, 2), *at(CharacterClass(("ALPHA", "NUMBER")), -1, 1))
    assert found == [
        ["w[-2]=\\B", "w[2]=\\E", "is[-1]=\\B", "is[1]=ALPHA"],
        ["w[-2]=\\B", "w[2]=\\E", "is[-1]=ALPHA", "is[1]=\\E"],
        ["w[-2]=\\B", "w[2]=\\E", "is[-1]=\\B", "is[1]=\\E"],
    ]


def test_markers_are_no_words() -> None:
    assert rows("\\B", *at(Word(), -1)) == [["w[-1]=\\B"], ["w[-1]=\\\\"]]


def test_a_conjunction_needs_a_value_of_each_part() -> None:
    both = together((Prefix(2), 0), (CharacterClass(("ALPHA", "INITCAPS", "NUMBER")), 1))
    assert rows("ab Cd 12 e", both) == [
        ["pre2[0]=ab|is[1]=ALPHA", "pre2[0]=ab|is[1]=INITCAPS"],
        ["pre2[0]=Cd|is[1]=NUMBER"],
        ["pre2[0]=12|is[1]=ALPHA"],
        [],
    ]


def test_ngrams_lie_within_the_window() -> None:
    templates = [feature.template for feature in ngrams(Word(), 3, -1, 1)]
    assert templates == [
        "w[-1]",
        "w[0]",
        "w[1]",
        "w[-1]|w[0]",
        "w[0]|w[1]",
        "w[-1]|w[0]|w[1]",
    ]
    assert len(ngrams(Word(), 3, -5, 5)) == 11 + 10 + 9
    assert rows("a b", *ngrams(Word(), 2, 0, 1)) == [
        ["w[0]=a", "w[1]=b", "w[0]=a|w[1]=b"],
        ["w[0]=b", "w[1]=\\E", "w[0]=b|w[1]=\\E"],
    ]


PARTS = st.tuples(
    st.sampled_from(
        [Word(), Word(fold=True), Prefix(2), Shape(), Line("field"), CharacterClass(("ALPHA",))]
    ),
    st.integers(-2, 2),
)
FEATURES = st.lists(st.lists(PARTS, min_size=1, max_size=3, unique=True), min_size=1, max_size=6)


@examples(60)
@given(
    declared=FEATURES,
    texts=st.lists(st.text("aB1|\\ :\n\ud800", max_size=25), max_size=3),
    max_sequence=st.integers(1, 9),
)
def test_agrees_with_the_obvious_implementation(
    declared: list[list[tuple]], texts: list[str], max_sequence: int
) -> None:
    features = list({frozenset(parts): Feature(tuple(parts)) for parts in declared}.values())
    tokens = tokenize_documents(texts)
    found = featurize(texts, tokens, recipe_of(*features, max_sequence=max_sequence), {})
    properties = {part for feature in features for part, _ in feature.parts}
    single = {
        part: rows_of(
            featurize(texts, tokens, recipe_of(*at(part, 0), max_sequence=max_sequence), {})
        )
        for part in properties
    }
    expected = []
    bounds = found.sequence_offsets.tolist()
    for first, end in zip(bounds, bounds[1:], strict=False):
        for item in range(first, end):
            row = []
            for feature in features:
                strings = []
                for part, offset in feature.parts:
                    place = item + offset
                    marker = "\\B" if place < first else "\\E" if place >= end else None
                    value = (
                        [marker]
                        if marker
                        else [name.partition("=")[2] for name in single[part][place]]
                    )
                    strings.extend(f"{part.key}[{offset}]={v}" for v in value)
                if len(strings) == len(feature.parts):
                    row.append("|".join(strings))
            expected.append(row)
    assert rows_of(found) == expected


@given(
    st.lists(
        st.text(st.characters() | st.sampled_from("\\|\x000pu\ud800"), max_size=8), unique=True
    )
)
def test_escape_is_injective_and_holds_nothing_odd(values: list[str]) -> None:
    escaped = [escape(value) for value in values]
    assert len(set(escaped)) == len(values)
    for one in escaped:
        one.encode()
        assert "|" not in one
        assert "\x00" not in one


def test_items_and_sequences_of_each_layer() -> None:
    text = "on 3/4\r\n\r\n\tx."
    expected = {
        ("fine", "line"): (["on", "3", "/", "4", "x", "."], [0, 4, 6]),
        ("coarse", "line"): (["on", "3/4", "x", "."], [0, 2, 4]),
        ("character", "line"): ([*"on 3/4", *"\tx."], [0, 6, 9]),
        ("character", "document"): ([*"on 3/4", *"\tx."], [0, 9]),
        ("coarse", "document"): (["on", "3/4", "x", "."], [0, 4]),
    }
    for (layer, sequence), (items, offsets) in expected.items():
        recipe = recipe_of(*at(Word(), 0), layer=layer, sequence=sequence)
        found = featurize([text], tokenize_documents([text]), recipe, {})
        pairs = zip(found.starts, found.ends, strict=True)
        assert [text[s:e] for s, e in pairs] == items
        assert found.sequence_offsets.tolist() == offsets
        assert found.document_offsets.tolist() == [0, len(offsets) - 1]


def test_sentences_begin_sequences_on_every_layer() -> None:
    text = "He is well. She is ill."
    for layer, first in (("fine", 4), ("coarse", 4), ("character", 12)):
        recipe = recipe_of(*at(Word(), 0), layer=layer, sequence="sentence")
        found = featurize([text], tokenize_documents([text]), recipe, {})
        assert found.sequence_offsets.tolist()[:2] == [0, first]


def test_long_sequences_are_cut() -> None:
    recipe = recipe_of(*at(Word(), -1), sequence="document", max_sequence=2)
    found = featurize(["a b c", "d"], tokenize_documents(["a b c", "d"]), recipe, {})
    assert found.sequence_offsets.tolist() == [0, 2, 3, 4]
    assert found.document_offsets.tolist() == [0, 2, 3]
    assert rows_of(found) == [["w[-1]=\\B"], ["w[-1]=a"], ["w[-1]=\\B"], ["w[-1]=\\B"]]


@pytest.mark.parametrize("layer", ["fine", "coarse", "character"])
def test_failed_documents_have_no_items(layer: str) -> None:
    whole = tokenize_documents(["ab", "lost words", "c"])
    recipe = recipe_of(*at(Word(), 0), *at(Gazetteer("g"), 0), *at(Tag("t"), 0), layer=layer)
    trie = TokenTrie([("lost", "words"), ("c",)])
    found = featurize(["ab", None, "c"], whole, recipe, {"g": trie}, {"t": ["1", "2", "3", "4"]})
    assert found.document_offsets.tolist() == [0, 1, 1, 2]
    assert not any("lost" in name or "2" in name for name in found.attributes)
    last = "S-4" if layer == "character" else "4"
    assert rows_of(found)[-1] == ["w[0]=c", "in.g[0]=1", f"tag.t[0]={last}"]


@pytest.mark.parametrize(
    ("feature", "resources", "message"),
    [
        (at(Gazetteer("cities"), 0), {}, "needs the gazetteer 'cities'.*`gazetteers`"),
        (at(Cluster("brown"), 0), {}, "needs the cluster 'brown'.*`clusters`"),
        (at(Tag("pos"), 0), {}, "needs the tag 'pos'.*`tags`"),
        (at(Tag("pos"), 0), {"tags": {"pos": ["x"]}}, "'pos' has 1 entries.* 2 fine tokens"),
    ],
)
def test_missing_resources_are_named(
    feature: tuple[Feature, ...], resources: dict[str, object], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        featurize(["a b"], tokenize_documents(["a b"]), recipe_of(*feature), {}, **resources)


def test_texts_and_tokens_must_agree() -> None:
    with pytest.raises(ValueError, match="2 texts, tokens of 1 documents"):
        featurize(["a", "b"], tokenize_documents(["a"]), recipe_of(*at(Word(), 0)), {})


@pytest.mark.parametrize(
    "parts",
    [
        (),
        ((Word(), 0), (Word(), 0)),
        ((Word(), 33),),
        ((Word(), -33),),
        ((Word(), 0.5),),
        tuple((Word(), offset) for offset in range(9)),
        ((CharacterNgrams(1), 0), (CharacterNgrams(2), 0)),
    ],
)
def test_bad_features_are_refused(parts: tuple) -> None:
    with pytest.raises(UsageError, match="feature"):
        Feature(parts)


def test_wide_conjunctions_do_not_overflow() -> None:
    # 3,000 words in eight parts would need 92 bits if combinations were numbered sparsely.
    text = " ".join(f"w{chr(97 + i % 26)}{'x' * (i % 97)}{chr(97 + i % 23)}" for i in range(3_000))
    feature = Feature(tuple((Word(), offset) for offset in range(8)))
    found = rows(text, feature, sequence="document")
    words = [*text.split(), *["\\E"] * 8]
    for item in (0, 1_234, 2_999):
        parts = [f"w[{offset}]={words[item + offset]}" for offset in range(8)]
        assert found[item] == ["|".join(parts)]


def test_columns_are_what_features_promises() -> None:
    found = featurize(["a b"], tokenize_documents(["a b"]), recipe_of(*at(Word(), 0)), {})
    assert found.attribute_ids.dtype == found.starts.dtype == np.int64
    assert found.item_offsets.dtype == found.sequence_offsets.dtype == np.int64
