"""What a sample shows of one column: counts, lengths and forms, and no value."""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import hashlib
import re
from collections import Counter
from collections.abc import Iterable

from ...dictionaries import phrase_set
from ..core.errors import DocumentError
from ..core.keys import canonical_id
from ..recognisers.name_words import common_words, given_names, surnames
from ..recognisers.word_forms import plain

MOST_CHARACTERS = 2000
"""Of a value, so much is looked at."""

FREE_WORDS, FREE_CHARACTERS = 6, 80
"""A value of so many words, or so long, is free text."""


class Form(enum.Enum):
    """What a value looks like."""

    TRUTH = "true or false"
    NUMBER = "number"
    DATE = "date"
    CONTACT = "address of mail, web or telephone"
    CODE = "code"
    PERSON = "name of a person"
    NAME = "words with capitals"
    WORDS = "some words"
    FREE = "free text"
    NESTED = "nested"


_TRUTH = re.compile(r"(?i)true|false|yes|no|y|n|t|f")
_NUMBER = re.compile(r"[+-]?\d{1,18}(?:[.,]\d{1,18})?")
_DAY = r"(?:\d{4}[-/.]?\d{2}[-/.]?\d{2}|\d{1,2}[-/. ](?:\d{1,2}|[A-Za-z]{3,9})[-/. ]\d{2,4})"
_DATE = re.compile(_DAY + r"(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?")
_CONTACT = re.compile(r"(?i)\S+@\S+\.\S+|https?://\S+|www\.\S+|\+?[\d() ./-]{9,20}")
_CODE = re.compile(r"[\w.:/+-]{1,40}")
_NAME_WORD = r"[^\W\d_a-z][^\W\d_]*(?:['’-][^\W\d_]+)*\.?"
_NAME = re.compile(
    rf"(?:{_NAME_WORD} ){{1,4}}{_NAME_WORD}|"
    r"[^\W\d_][^\W\d_]*(?:[ '’-][^\W\d_]+)*, ?[^\W\d_. -]+.*"
)
"""Words with capital letters, or words and a comma, as in lists of people."""
_PERSON = re.compile(r"(?i)[^\W\d_].*,.*|(?:dr|mr|mrs|ms|miss|prof|sra?|dra|don|doña)\b.*")
"""A comma or a title, whatever else."""
_LANGUAGES = phrase_set("languages_en")


@dataclasses.dataclass(frozen=True, slots=True)
class ColumnFacts:
    """What a sample shows of a column.

    Attributes:
        kind: the type that the file gives, in words; without one, what the values are.
        values: sampled cells with a value.
        nulls: sampled cells without.
        distinct: different values.
        mean_length: of the texts among them in code points; None if there are none.
        forms: how many values have each form.
        unfit: values that cannot be an id, as fractions.
    """

    kind: str
    values: int
    nulls: int
    distinct: int
    mean_length: float | None
    forms: Counter[Form]
    unfit: int = 0

    @property
    def null_share(self) -> float:
        """Share of cells without a value; 0 if no cell was seen."""
        return self.nulls / max(1, self.nulls + self.values)

    @property
    def is_unique(self) -> bool:
        """Whether every cell has a value of its own, of those that were seen."""
        return self.values > 0 and not self.nulls and self.distinct == self.values

    def share(self, *forms: Form) -> float:
        """Share of the values that have one of these forms."""
        return sum(self.forms[form] for form in forms) / max(1, self.values)


class FactsCounter:
    """Counts the cells of a column."""

    def __init__(self, kind: str = "") -> None:
        """Begins with no cell.

        Args:
            kind: the type that the file gives, in words; "" for none.
        """
        self._kind = kind
        self._seen_kinds: Counter[str] = Counter()
        self._nulls = self._texts = self._characters = self._unfit = 0
        self._forms: Counter[Form] = Counter()
        self._hashes: set[bytes] = set()

    def add(self, values: Iterable[object]) -> None:
        """Counts some cells; None is one without a value, and so is an empty text."""
        for value in values:
            if value is None or value == "":
                self._nulls += 1
                continue
            self._seen_kinds[_kind_of(value)] += 1
            self._forms[form_of(value)] += 1
            self._unfit += not _can_be_an_id(value)
            if isinstance(value, str):
                self._texts += 1
                self._characters += len(value)
            self._hashes.add(hashlib.sha256(repr(value).encode("utf-8", "replace")).digest()[:8])

    def facts(self) -> ColumnFacts:
        """What was counted."""
        return ColumnFacts(
            self._kind or " or ".join(sorted(self._seen_kinds)) or "nothing",
            self._forms.total(),
            self._nulls,
            len(self._hashes),
            self._characters / self._texts if self._texts else None,
            self._forms.copy(),
            self._unfit,
        )


def form_of(value: object) -> Form:
    """The form of a value that is not None."""
    if isinstance(value, bool):
        return Form.TRUTH
    if isinstance(value, int | float | decimal.Decimal):
        return Form.NUMBER
    if isinstance(value, dt.date | dt.time):
        return Form.DATE
    if not isinstance(value, str):
        return Form.NESTED
    text = value[:MOST_CHARACTERS].strip()
    if len(value) > FREE_CHARACTERS or len(text.split()) >= FREE_WORDS:
        return Form.FREE
    form = next((form for form, pattern in _PATTERNS if pattern.fullmatch(text)), Form.WORDS)
    return Form.PERSON if form in _MAY_BE_PERSONS and _is_person(text) else form


_PATTERNS = (
    (Form.TRUTH, _TRUTH),
    (Form.DATE, _DATE),
    (Form.NUMBER, _NUMBER),
    (Form.CONTACT, _CONTACT),
    (Form.CODE, _CODE),
    (Form.NAME, _NAME),
)


_MAY_BE_PERSONS = (Form.CODE, Form.NAME, Form.WORDS)


def _is_person(text: str) -> bool:
    """Whether a short value is written as people are, or has the name of one that is no word."""
    if _PERSON.fullmatch(text):
        return True
    return any(_is_name(plain(word)) for word in re.findall(r"[^\W\d_]{3,}", text))


def _is_name(word: str) -> bool:
    """Whether a word is a name of people, and no word besides."""
    listed = word in given_names() or word in surnames()
    return listed and word not in common_words() and word not in _LANGUAGES


def _can_be_an_id(value: object) -> bool:
    try:
        return canonical_id(value) is not None
    except DocumentError:
        return False


def _kind_of(value: object) -> str:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float | decimal.Decimal):
        return "number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, dict):
        return "object"
    return "list" if isinstance(value, list | tuple) else "other"
