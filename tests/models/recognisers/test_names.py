"""How names are read, apart from the rules that ask for it."""

from __future__ import annotations

import pytest
from scrubline.models.recognisers import name_words
from scrubline.models.recognisers.casing import words
from scrubline.models.recognisers.names import read_name
from scrubline.models.recognisers.word_forms import plain


def read(text: str, **how: bool) -> str | None:
    stretch = read_name(words(text), 0, **how)  # type: ignore[arg-type]
    return text[stretch.start : stretch.end] if stretch else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Pettigrew", "Pettigrew"),
        ("Agnes Pettigrew was", "Agnes Pettigrew"),
        ("Agnes M. Pettigrew", "Agnes M. Pettigrew"),
        ("J.R.R. Pettigrew", "J.R.R. Pettigrew"),
        ("Agnes D. was", "Agnes D."),
        ("Agnes de la Cruz, MD", "Agnes de la Cruz"),
        ("Agnes van and", "Agnes"),
        ("Agnes  Pettigrew", "Agnes"),
        ("Agnes Pettigrew, MD", "Agnes Pettigrew"),
        ("Agnes Pettigrew, Jr., MD", "Agnes Pettigrew, Jr."),
        ("Agnes Pettigrew III was", "Agnes Pettigrew III"),
        ("Agnes Pettigrew MRN 7", "Agnes Pettigrew"),
        ("AGNES PETTIGREW SEEN", "AGNES PETTIGREW"),
        ("Agnes Pettigrew. He", "Agnes Pettigrew"),
        ("Agnes Pettigrew's", "Agnes Pettigrew"),
        ("One Two Three Four Five Six", None),
        ("the", None),
        ("MD Pettigrew", None),
        ("7 Pettigrew", None),
    ],
)
def test_names_are_read_to_their_end(text: str, expected: str | None) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "how", "expected"),
    [
        ("Pettigrew, Agnes M", {"comma": True}, "Pettigrew, Agnes M"),
        ("Pettigrew,Agnes", {"comma": True}, "Pettigrew,Agnes"),
        ("Pettigrew, Agnes", {}, "Pettigrew"),
        ("Pettigrew, MD", {"comma": True}, "Pettigrew"),
        ("Pettigrew, M.D.", {"comma": True}, "Pettigrew"),
        ("Pettigrew, and", {"comma": True}, "Pettigrew"),
        ("PETTIGREW, PA HOUA", {"comma": True}, "PETTIGREW, PA HOUA"),
        ("PETTIGREW, PA NOTIFIED", {"comma": True}, "PETTIGREW"),
        ("Agnes\nPettigrew", {"wrap": True}, "Agnes\nPettigrew"),
        ("Agnes\nPettigrew", {}, "Agnes"),
        ("Agnes\n\nPettigrew", {"wrap": True}, "Agnes"),
        ("agnes pettigrew", {"lower": True}, "agnes pettigrew"),
        ("a. pettigrew", {"lower": True}, "a. pettigrew"),
        ("agnes pettigrew", {}, None),
        ("agnes went", {"lower": True}, "agnes"),
        ("Rose Hall", {"loose": True}, "Rose Hall"),
    ],
)
def test_what_a_name_may_have_depends_on_the_place(
    text: str, how: dict[str, bool], expected: str | None
) -> None:
    assert read(text, **how) == expected


@pytest.mark.parametrize(
    ("word", "given", "surname", "common"),
    [
        ("Mary", True, True, False),
        ("mary-ann", True, True, False),
        ("José", True, True, False),
        ("O'Brien", False, True, False),
        ("O’BRIEN", False, True, False),
        ("Brown", False, True, True),
        ("Will", True, True, True),
        ("Aspirin", False, False, True),
        ("Hospital", False, False, True),
        ("qzx", False, False, False),
    ],
)
def test_words_are_looked_up(word: str, given: bool, surname: bool, common: bool) -> None:
    assert name_words.is_surname(word) == surname
    assert name_words.is_common(word) == common
    if given:
        assert name_words.is_given(word)


def test_words_of_any_case_and_accent_are_one() -> None:
    assert len({plain(w) for w in ("NÚÑEZ", "Núñez", "nu\u0301n\u0303ez", "nunez")}) == 1
    assert plain("O’Brien‐Łuk") == "o'brien-luk"
