"""Szeged: those of its word-level features that indicators can express.

Source: Szarvas et al. 2006, "An iterative method for the de-identification of structured medical
text", "Feature set"; a moving window of four.

Deviations: its 138 attributes are numbers for decision trees and are not listed one by one; here
frequencies and their ratios are bins, given as cluster tables by word ("frequency",
"capitalised_ratio", "initial_ratio"). Triggers, common suffixes of phrases and trusted phrases are
gazetteers made from training data. The classes of the preceding words, which the paper predicts on
line, come from the previous iteration as the tag column "previous". The paper does not print its
regular expressions for AGE, PHONE and ID, only their purpose.
"""

from __future__ import annotations

from ..features import (
    CharacterClass,
    Cluster,
    Feature,
    Gazetteer,
    Length,
    Section,
    Sentence,
    Tag,
    Word,
    at,
)

WINDOW = tuple(range(-4, 5))
FREQUENCIES = ("capitalised_ratio", "frequency", "initial_ratio")
DICTIONARIES = ("city", "country", "first_name", "hospital", "state")

ORTHOGRAPHIC: tuple[Feature, ...] = (
    *at(
        CharacterClass(
            (
                "INITCAPS",
                "ALLCAPS",
                "HASDIGIT",
                "NUMBER",
                "INNERCAP",
                "HASPUNCT",
                "AGE-LIKE",
                "PHONE-LIKE",
                "ID-LIKE",
            )
        ),
        *WINDOW,
    ),
    *at(Length(), *WINDOW),
)
FREQUENCY: tuple[Feature, ...] = tuple(
    f for name in FREQUENCIES for f in at(Cluster(name), *WINDOW)
)
PHRASAL: tuple[Feature, ...] = (
    *at(Tag("previous"), -4, -3, -2, -1),
    *at(Gazetteer("phrase_suffix"), *WINDOW),
)
DICTIONARY: tuple[Feature, ...] = tuple(f for d in DICTIONARIES for f in at(Gazetteer(d), *WINDOW))
CONTEXT: tuple[Feature, ...] = (
    *at(Sentence("index"), 0),
    *at(Sentence("rest"), 0),
    *at(Sentence("quoted"), 0),
    *at(Section(), 0),
    *at(Gazetteer("trigger_before"), -3, -2, -1),
    *at(Gazetteer("trigger_after"), 1, 2, 3),
)

FEATURES: tuple[Feature, ...] = (
    *at(Word(fold=True), 0),
    *ORTHOGRAPHIC,
    *FREQUENCY,
    *PHRASAL,
    *DICTIONARY,
    *CONTEXT,
)
