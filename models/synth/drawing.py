"""Choices that follow from a key alone: the same key, the same choices, on every machine.

Not `random`: what its methods give for a seed has changed between versions of Python, and here the
bytes of a corpus hang on it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

_SEPARATOR = "\x1f"


class Draw:
    """A stream of choices keyed by words and numbers: BLAKE2b of the key and a counter."""

    def __init__(self, *key: str | int) -> None:
        self._key = _SEPARATOR.join(map(str, key))
        self._block = b""
        self._count = 0

    def __repr__(self) -> str:
        return f"Draw({self._count} blocks)"

    def child(self, *key: str | int) -> Draw:
        """A stream of its own, whatever was drawn here before."""
        return Draw(self._key, *key)

    def _word(self) -> int:
        """64 bits."""
        if not self._block:
            text = f"{self._key}{_SEPARATOR}{self._count}"
            self._block = hashlib.blake2b(text.encode("utf-8", "surrogatepass")).digest()
            self._count += 1
        word, self._block = self._block[:8], self._block[8:]
        return int.from_bytes(word, "big")

    def below(self, limit: int) -> int:
        """A whole number in [0, limit); the bias of the remainder is under 2^-40."""
        if limit < 1:
            raise ValueError(f"no number below {limit}")
        return self._word() % limit

    def between(self, first: int, last: int) -> int:
        """A whole number in [first, last]."""
        return first + self.below(last - first + 1)

    def chance(self, share: float) -> bool:
        """True in `share` of all cases."""
        return self._word() < share * 2.0**64

    def pick(self, items: Sequence[T]) -> T:
        """One of the items, each as often."""
        return items[self.below(len(items))]

    def weighted(self, items: Sequence[T], upto: Sequence[int]) -> T:
        """One of the items by weight.

        Args:
            items: one or more.
            upto: running sums of their weights, whole numbers.
        """
        target = self.below(upto[-1])
        low, high = 0, len(upto) - 1
        while low < high:
            middle = (low + high) // 2
            if upto[middle] > target:
                high = middle
            else:
                low = middle + 1
        return items[low]

    def one_of(self, **weights: int) -> str:
        """One of the names by weight."""
        target = self.below(sum(weights.values()))
        for name, weight in weights.items():
            target -= weight
            if target < 0:
                return name
        raise AssertionError("weights add up")

    def digits(self, count: int) -> str:
        """So many digits."""
        return "".join(str(self.below(10)) for _ in range(count))

    def shaped(self, shape: str) -> str:
        r"""A text of a shape: `#` a digit, `9` one that is not 0, `A` and `a` letters.

        Capitals that are easily mistaken for digits (I, O) do not occur. `\` takes the sign behind
        it as it is.
        """
        parts: list[str] = []
        signs = iter(shape)
        for sign in signs:
            if sign == "#":
                parts.append(str(self.below(10)))
            elif sign == "9":
                parts.append(str(1 + self.below(9)))
            elif sign == "A":
                parts.append(self.pick("ABCDEFGHJKLMNPQRSTUVWXYZ"))
            elif sign == "a":
                parts.append(self.pick("abcdefghjkmnpqrstuvwxyz"))
            elif sign == "\\":
                parts.append(next(signs, ""))
            else:
                parts.append(sign)
        return "".join(parts)
