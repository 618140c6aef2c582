"""The tables of characters say what the interpreter says."""

import unicodedata

from scrubline.models.text import characters

OF_STR = (
    (characters.IS_ALPHA, str.isalpha),
    (characters.IS_UPPER, str.isupper),
    (characters.IS_LOWER, str.islower),
    (characters.IS_DECIMAL, str.isdecimal),
    (characters.IS_SPACE, str.isspace),
    (characters.IS_ALNUM, str.isalnum),
)


def test_traits_are_those_of_str_for_every_character():
    table = characters.trait_table().tolist()
    for code in characters.assigned():
        character, traits = chr(code), table[code]
        assert [bool(traits & trait) for trait, _ in OF_STR] == [
            holds(character) for _, holds in OF_STR
        ], hex(code)
        is_title = character.istitle() and not character.isupper()
        assert bool(traits & characters.IS_TITLE) == is_title, hex(code)
        assert traits >> 8 == unicodedata.decimal(character, 0), hex(code)


def test_surrogates_and_private_characters_have_no_traits():
    table = characters.trait_table()
    assert not table[0xD800:0xE000].any() and not table[0xF0000:].any()
