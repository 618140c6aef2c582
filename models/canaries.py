"""Canaries: invented documents planted in the input, to see in the output what became of them.

A file of canaries is JSON Lines, a canary a line:

    {"id": "canary-1", "gone": ["Quentin", "Zzyzx Road"], "stays": ["metformin 500 mg"]}

`id` is that of the planted document, as the input has it; `gone` are texts that must not be in the
output, `stays` texts that must; `required` (true if it is left out) says whether the document must
be there at all.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence

from .errors import DocumentError, UsageError
from .keys import canonical_id

_KEYS = {"id", "gone", "stays", "required"}


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Canary:
    """What is expected of a planted document.

    Attributes:
        number: its line in the file, from 1; messages name it by that.
        id: canonical id of the document.
        gone: texts that must not be in the output, code point for code point.
        stays: texts that must be.
        required: whether the document must be in the output.
    """

    number: int
    id: str
    gone: tuple[str, ...]
    stays: tuple[str, ...]
    required: bool = True

    def faults(self, texts: Sequence[str], cells: Sequence[str]) -> Iterator[str]:
        """Yields what is wrong with the document that came out, without any of its text.

        Args:
            texts: its scrubbed texts.
            cells: its other columns.
        """
        for number, text in enumerate(self.gone, 1):
            if any(text in one for one in (*texts, *cells)):
                yield f"not clean, text {number} of gone is there"
        for number, text in enumerate(self.stays, 1):
            if not any(text in one for one in texts):
                yield f"destroyed, text {number} of stays is not there"


def read_canaries(content: bytes) -> tuple[Canary, ...]:
    """The canaries of a file, in order.

    Raises:
        UsageError: if it is not of the form above, naming the line.
    """
    try:
        lines = content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise UsageError("the file of canaries is not UTF-8") from None
    canaries = tuple(_read(n, line) for n, line in enumerate(lines, 1) if line.strip())
    if not canaries:
        raise UsageError("the file of canaries holds none")
    first: dict[str, int] = {}
    for one in canaries:
        if first.setdefault(one.id, one.number) != one.number:
            raise UsageError(f"canaries: lines {first[one.id]} and {one.number} have the same id")
    return canaries


def _read(number: int, line: str) -> Canary:
    def wrong(what: str) -> UsageError:
        return UsageError(
            f"canaries, line {number}: {what}; expected "
            '{"id": ..., "gone": [texts], "stays": [texts], "required": true}'
        )

    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise wrong("it is no JSON") from None
    if not isinstance(value, dict):
        raise wrong("it is no object")
    if not value.keys() <= _KEYS:
        raise wrong("it has a key that is not known")
    try:
        canonical = canonical_id(value.get("id"))
    except DocumentError:
        canonical = None
    if canonical is None:
        raise wrong("it has no id")
    found = []
    for name in ("gone", "stays"):
        texts = value.get(name, [])
        if not isinstance(texts, list) or not all(isinstance(t, str) and t for t in texts):
            raise wrong(f"{name} is no list of texts")
        found.append(tuple(texts))
    if not any(found):
        raise wrong("it says neither what must be gone nor what stays")
    required = value.get("required", True)
    if not isinstance(required, bool):
        raise wrong("required is neither true nor false")
    return Canary(number, canonical, found[0], found[1], required)
