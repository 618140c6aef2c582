"""Words that claim the number behind them for what they name: "MRN is", "account no.".

A rule for numbers that have no name of their own (telephone, year, ZIP) leaves such a number to the
rule for that name. A new kind of number adds its words to `dictionaries/rules/number_words_en.txt`.
"""

from __future__ import annotations

import re

from .patterns import any_of

_NUMBER_OF = re.compile(
    rf"(?:\b(?:{any_of('number_words_en')}|med(?:ical)?\.? ?rec(?:ord)?s?|ident\w*|auth\w*"
    r"|soc\.? ?sec)"
    r"(?:[ :#.=(-]|number|num|no\b|id\b|is\b|was\b|of\b){0,6}|#)$"
)


def names_a_number(left: str) -> bool:
    """Whether what `patterns.before` gave ends with words for a number of something else."""
    return _NUMBER_OF.search(left) is not None
