"""HITSZ: the features of its token CRF (BIO) and its character CRF (BIOES; a sequence is a line).

Source: Liu et al. 2015, "Automatic de-identification of electronic medical records using
token-level and character-level conditional random fields", §3.2.2 and §3.2.3.

Deviations: the paper does not say at which offsets sentence, orthographic, shape, section, general
NER, word representation and dictionary features are seen: here at the current item. Sections are
those of our tokenizer, not the paper's 29 headings. Brown paths are seen whole and by prefixes of
4, 6 and 10 (a usual choice; the paper names none), word2vec by a table of cluster ids. "Arabic
number" is NUMBER; "etc." is nothing.
"""

from __future__ import annotations

from ..features import (
    Character,
    CharacterClass,
    Cluster,
    Feature,
    Gazetteer,
    Prefix,
    Section,
    Sentence,
    Shape,
    Suffix,
    Tag,
    Word,
    at,
    ngrams,
    together,
)

POS, NER = Tag("pos"), Tag("ner")
DICTIONARIES = ("city", "country", "state", "zip")

BAG_OF_WORDS: tuple[Feature, ...] = ngrams(Word(), 3, -2, 2)
PART_OF_SPEECH: tuple[Feature, ...] = ngrams(POS, 3, -2, 2)
WORD_AND_POS: tuple[Feature, ...] = tuple(
    together((Word(), 0), *((POS, offset) for offset in offsets))
    for offsets in ((-1,), (0,), (1,), (-1, 0), (0, 1), (-1, 1), (-1, 0, 1))
)
SENTENCE: tuple[Feature, ...] = tuple(
    feature for aspect in ("length", "end", "bracket") for feature in at(Sentence(aspect), 0)
)
AFFIXES: tuple[Feature, ...] = tuple(
    feature for n in range(1, 6) for feature in (*at(Prefix(n), 0), *at(Suffix(n), 0))
)
ORTHOGRAPHIC: tuple[Feature, ...] = at(
    CharacterClass(
        ("ALLCAPS", "HASDIGIT", "INNERCAP", "INNERPUNCT", "INNERDIGIT", "ROMAN", "NUMBER")
    ),
    0,
)
SHAPES: tuple[Feature, ...] = (
    *at(Shape(upper="A", lower="a", digit="#", other="-"), 0),
    *at(Shape(collapsed=True, upper="A", lower="a", digit="#", other="-"), 0),
)
SECTION: tuple[Feature, ...] = at(Section(), 0)
GENERAL_NER: tuple[Feature, ...] = at(NER, 0)
WORD_REPRESENTATION: tuple[Feature, ...] = (
    *(f for prefix in (0, 4, 6, 10) for f in at(Cluster("brown", prefix), 0)),
    *at(Cluster("word2vec"), 0),
)
DICTIONARY: tuple[Feature, ...] = tuple(
    feature for name in DICTIONARIES for feature in at(Gazetteer(name, "bioes"), 0)
)

TOKEN_FEATURES: tuple[Feature, ...] = (
    BAG_OF_WORDS
    + PART_OF_SPEECH
    + WORD_AND_POS
    + SENTENCE
    + AFFIXES
    + ORTHOGRAPHIC
    + SHAPES
    + SECTION
    + GENERAL_NER
    + WORD_REPRESENTATION
    + DICTIONARY
)

BAG_OF_CHARACTERS: tuple[Feature, ...] = ngrams(Character(blank=True), 3, -5, 5)
CHARACTER_POS: tuple[Feature, ...] = at(POS, *range(-5, 6))

CHARACTER_FEATURES: tuple[Feature, ...] = (
    BAG_OF_CHARACTERS
    + CHARACTER_POS
    + SENTENCE
    + SECTION
    + GENERAL_NER
    + WORD_REPRESENTATION
    + DICTIONARY
)
