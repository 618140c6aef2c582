"""Stat De-id: the features of its classifier of single words.

Source: Tafvizi et al. 2010, an open re-implementation of Stat De-id, §4.2 to §4.4.

Deviations: syntactic bigrams, the two nearest links to the left and to the right, come from an
external parser, in the tag columns "link_left" and "link_right", both links of a side in one tag.
MeSH categories come as the cluster table "mesh" of tree numbers ("C14.280.067"), one for each word:
the first character is one of about 15 top categories, and each further level adds four characters.
"""

from __future__ import annotations

from ..features import (
    CharacterClass,
    Cluster,
    Feature,
    Gazetteer,
    Length,
    Section,
    Tag,
    Word,
    at,
    together,
)

DICTIONARIES = ("locations", "names")

WORD: tuple[Feature, ...] = at(Word(), 0)
CAPITALISATION: tuple[Feature, ...] = at(CharacterClass(("INITCAPS",)), 0)
PUNCTUATION: tuple[Feature, ...] = at(CharacterClass(("HASPUNCT",)), 0)
NUMBERS: tuple[Feature, ...] = at(CharacterClass(("NUMBER",)), 0)
LENGTH: tuple[Feature, ...] = at(Length(most=64), 0)
LEXICAL_BIGRAMS: tuple[Feature, ...] = (
    together((Word(), -2), (Word(), -1)),
    together((Word(), 1), (Word(), 2)),
)
SYNTACTIC_BIGRAMS: tuple[Feature, ...] = (*at(Tag("link_left"), 0), *at(Tag("link_right"), 0))
PART_OF_SPEECH: tuple[Feature, ...] = at(Tag("pos"), 0)
SECTION: tuple[Feature, ...] = at(Section(), 0)
MESH: tuple[Feature, ...] = tuple(
    # Category "C", then "C14", "C14.280" and so on to the eleventh level.
    feature
    for prefix in (1, *range(3, 44, 4))
    for feature in at(Cluster("mesh", prefix), 0)
)
DICTIONARY: tuple[Feature, ...] = tuple(f for name in DICTIONARIES for f in at(Gazetteer(name), 0))

FEATURES: tuple[Feature, ...] = (
    WORD
    + CAPITALISATION
    + PUNCTUATION
    + NUMBERS
    + LENGTH
    + LEXICAL_BIGRAMS
    + SYNTACTIC_BIGRAMS
    + PART_OF_SPEECH
    + SECTION
    + MESH
    + DICTIONARY
)
