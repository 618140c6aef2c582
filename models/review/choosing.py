"""Which texts are read next: the worst first where they are to be mended, others to learn from.

A rank is for people. Nothing that is stated of risk may use it: see `risk.drawing`.
"""

from __future__ import annotations

import dataclasses
import hashlib
import hmac
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from ..risk.scoring import STEPS_AN_OCTAVE

RANDOM_FIRST = 25
"""So many notes are chosen at random before any by their scores: at first that finds more."""

RANDOM_SHARE = 0.2
"""Of each batch after these, against misses of which the model is sure."""

MOST_OF_TEMPLATE = 3
"""Notes of one template in a batch."""

HEAD_CHARACTERS = 40
"""The head of a line, as "Admission date:", has so many at most."""

MOST_BARS = 7

TWICE_ONE_IN = 10
"""One of so many texts is read by two people."""


@dataclasses.dataclass(frozen=True, slots=True)
class QueuedText:
    """A text that can be read.

    Attributes:
        doc_key, field: which.
        note_type: None if nothing tells it.
        risk: rank of its document, greater is worse; None where the run has none.
        disagreement: spans that rules alone or trained taggers alone have found.
        spans: that were removed.
        tokens: of the text.
    """

    doc_key: str
    field: str
    note_type: str | None = None
    risk: int | None = None
    disagreement: int = 0
    spans: int = 0
    tokens: int = 0


def worst_first(texts: Iterable[QueuedText]) -> list[QueuedText]:
    """Texts by risk; those without one after those with one, by disagreement of detectors."""

    def badness(text: QueuedText) -> tuple[bool, int, int, str, str]:
        lacks = text.risk is None
        return lacks, -(text.risk or 0), -text.disagreement, text.doc_key, text.field

    return sorted(texts, key=badness)


def bars_of(rank: int, texts: int) -> int:
    """How many bars, 1 to 7, are shown of a rank from 1: ranks, not probabilities."""
    return MOST_BARS - (rank - 1) * MOST_BARS // max(1, texts)


def is_read_twice(key: bytes, text: tuple[str, str]) -> bool:
    """Whether two people read a text; chosen by key, one of `TWICE_ONE_IN`."""
    return int.from_bytes(_hash(key, "twice", *text)[:8], "big") % TWICE_ONE_IN == 0


@dataclasses.dataclass(frozen=True, slots=True)
class TeachingText:
    """A text from which something may be learned.

    Attributes:
        doc_key, field: which.
        uncertainty: greater where more may be learned from each token, see `uncertainty_of`.
        template: hash of the heads of its lines.
        note_type: None if nothing tells it.
    """

    doc_key: str
    field: str
    uncertainty: float
    template: str = ""
    note_type: str | None = None


def uncertainty_of(text: QueuedText) -> float:
    """How uncertain the tokens of a text are on average, as far as a table of documents tells.

    With a risk, what the model expects to be left, by token. Without one, below all others, how
    many spans rules alone or taggers alone have found, by token.
    """
    tokens = max(1, text.tokens)
    if text.risk is None:
        return min(1.0, text.disagreement / tokens) - 1.0
    risk: float = 2.0 ** (text.risk / STEPS_AN_OCTAVE)
    return risk / tokens


def template_of(text: str) -> str:
    """Hash of the heads of a text's lines, of which forms have the same; "" if it has none."""
    heads = [
        head.strip().casefold()
        for head, colon, _ in (line.partition(":") for line in text.splitlines())
        if colon and 0 < len(head.strip()) <= HEAD_CHARACTERS
    ]
    return hashlib.sha256("\n".join(heads).encode("utf-8", "replace")).hexdigest() if heads else ""


def next_to_learn(
    texts: Sequence[TeachingText], key: bytes, count: int, already_read: int = 0
) -> list[TeachingText]:
    """The next batch: at random while few were read, then mostly by uncertainty per token.

    Args:
        texts: that nobody has read, in any order.
        key: of the random choice.
        count: texts wanted.
        already_read: texts that were read before.
    """
    at_random = _by_type(texts, key)
    first = max(0, min(count, RANDOM_FIRST - already_read))
    chosen = at_random[:first]
    left = count - first
    share = round(left * RANDOM_SHARE)
    taken = set(chosen)
    of_template: Counter[str] = Counter()
    by_score = sorted(texts, key=lambda one: (-one.uncertainty, one.doc_key, one.field))
    for text in by_score:
        if len(chosen) >= count - share:
            break
        if text in taken or (text.template and of_template[text.template] >= MOST_OF_TEMPLATE):
            continue
        of_template[text.template] += 1
        chosen.append(text)
        taken.add(text)
    chosen += [text for text in at_random if text not in taken][: count - len(chosen)]
    return chosen


def _by_type(texts: Sequence[TeachingText], key: bytes) -> list[TeachingText]:
    """All texts in a random order in which each beginning has types as the whole has them."""
    ordered = sorted(texts, key=lambda one: _hash(key, "teach", one.doc_key, one.field))
    of_type: defaultdict[str, list[TeachingText]] = defaultdict(list)
    for text in ordered:
        of_type[text.note_type or ""].append(text)
    placed = [
        ((number + 0.5) / len(some), at, text)
        for at, (_, some) in enumerate(sorted(of_type.items()))
        for number, text in enumerate(some)
    ]
    return [text for _, _, text in sorted(placed, key=lambda one: one[:2])]


def _hash(key: bytes, *parts: str) -> bytes:
    return hmac.digest(key, "\x1f".join(parts).encode(), "sha256")
