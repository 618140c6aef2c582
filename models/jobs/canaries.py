"""Canaries: invented documents planted in the input, to see in the output what became of them.

A file of canaries is JSON Lines, a canary a line:

    {"id": "canary-1", "gone": ["Quentin", "Zzyzx Road"], "stays": ["metformin 500 mg"]}

`id` is the id of the planted document in the input. `gone` lists texts that must not be in the
output, `stays` texts that must. `required` (default true) says whether the document itself must be
in the output.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence

from ..core.errors import DocumentError, UsageError
from ..core.keys import canonical_id

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
            if any(text in value for value in (*texts, *cells)):
                yield f"not clean, text {number} of gone is still there"
        for number, text in enumerate(self.stays, 1):
            if not any(text in scrubbed for scrubbed in texts):
                yield f"destroyed, text {number} of stays is missing"


def read_canaries(content: bytes) -> tuple[Canary, ...]:
    """The canaries of a file, in order.

    Raises:
        UsageError: if it is not valid, naming the line.
    """
    try:
        lines = content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise UsageError("the file of canaries is not UTF-8") from None
    canaries = tuple(_read(n, line) for n, line in enumerate(lines, 1) if line.strip())
    if not canaries:
        raise UsageError("the file of canaries is empty")
    first: dict[str, int] = {}
    for canary in canaries:
        if first.setdefault(canary.id, canary.number) != canary.number:
            raise UsageError(
                f"canaries: lines {first[canary.id]} and {canary.number} have the same id"
            )
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
        raise wrong("it is not JSON") from None
    if not isinstance(value, dict):
        raise wrong("it is not a JSON object")
    if not value.keys() <= _KEYS:
        raise wrong("it has an unknown key")
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
            raise wrong(f"{name} must be a list of texts that are not empty")
        found.append(tuple(texts))
    if not any(found):
        raise wrong("gone and stays are both empty")
    required = value.get("required", True)
    if not isinstance(required, bool):
        raise wrong("required must be true or false")
    return Canary(number, canonical, found[0], found[1], required)
