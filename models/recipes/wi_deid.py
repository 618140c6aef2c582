"""WI-deId: the features of its token CRF.

Source: He et al. 2015, "CRFs based de-identification of medical records", §2.2 and Table 2; all
features of the tokens within two of the current one (§2.2, last paragraph), labels BIO (§2.3).

Deviations: yes/no properties are indicators of the yes; the first and last four characters of a
shorter token are the token. Part of speech comes from outside, in the column "pos" (the paper used
GENIA). The dictionaries hold tokens, not phrases, as in the paper, when they are built so; "date"
is built from training data.
"""

from __future__ import annotations

from ..features import (
    CharacterClass,
    Feature,
    Gazetteer,
    Length,
    Prefix,
    Shape,
    Suffix,
    Tag,
    Word,
    at,
)

WINDOW = (-2, -1, 0, 1, 2)
DICTIONARIES = ("city", "country", "date", "state", "street")

LEXICAL: tuple[Feature, ...] = (
    *at(Word(fold=True), *WINDOW),
    *at(Prefix(4, whole=True), *WINDOW),
    *at(Suffix(4, whole=True), *WINDOW),
    *at(Tag("pos"), *WINDOW),
)

ORTHOGRAPHIC: tuple[Feature, ...] = (
    *at(Shape(), *WINDOW),
    *at(Length(), *WINDOW),
    *at(
        CharacterClass(
            (
                "HASLETTER",
                "HASCAP",
                "INITCAPS",
                "ALLCAPS",
                "HASDIGIT",
                "NUMBER",
                "HASPUNCT",
                "LETTERS-DIGITS",
                "DIGITS-PUNCT",
            )
        ),
        *WINDOW,
    ),
)

DICTIONARY: tuple[Feature, ...] = tuple(
    feature for name in DICTIONARIES for feature in at(Gazetteer(name), *WINDOW)
)

FEATURES: tuple[Feature, ...] = LEXICAL + ORTHOGRAPHIC + DICTIONARY
