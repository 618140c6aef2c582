"""Keyed choices: HMAC-SHA256 of length-prefixed fields.

Nothing is stored and nothing hangs on an order: who has the key draws the same again, and who has
not cannot tell a choice from chance (HMAC as a pseudorandom function: Bellare 2006).
"""

from __future__ import annotations

import hmac

_LENGTH_BYTES = 8

DRAWN_BITS = 64
"""Bits of a drawn number. The bias of its remainder by a pool of 4,096 is under 2^-52."""


def framed(*fields: str) -> bytes:
    """The fields, each behind its length in bytes: no two different lists of fields are alike."""
    raws = [field.encode("utf-8", "surrogatepass") for field in fields]
    return b"".join([len(raw).to_bytes(_LENGTH_BYTES, "big") + raw for raw in raws])


class Draws:
    """The choices within one scope: equal fields, equal choices. Shows nothing of its key.

    Args:
        key: the subkey of surrogates, 32 bytes.
        scope: what tells this scope from all others.
    """

    __slots__ = ("_head", "_key")

    def __init__(self, key: bytes, *scope: str) -> None:
        self._key = key
        # How many fields the scope has is a field: ("a", "b") with "c" is not ("a",) with "b", "c".
        self._head = framed(str(len(scope)), *scope)

    def __repr__(self) -> str:
        return "Draws()"

    def number(self, *fields: str) -> int:
        """A whole number of `DRAWN_BITS` bits."""
        digest = hmac.digest(self._key, self._head + framed(*fields), "sha256")
        return int.from_bytes(digest[: DRAWN_BITS // 8], "big")

    def below(self, limit: int, *fields: str) -> int:
        """A whole number in [0, limit)."""
        return self.number(*fields) % limit

    def stream(self, count: int, *fields: str) -> list[int]:
        """`count` whole numbers of 32 bits."""
        message = self._head + framed(*fields)
        out: list[int] = []
        block = 0
        while len(out) < count:
            number = block.to_bytes(_LENGTH_BYTES, "big")
            digest = hmac.digest(self._key, message + number, "sha256")
            out += [int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4)]
            block += 1
        return out[:count]
