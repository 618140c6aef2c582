"""Where each of the JSON texts that follow one another in a file ends.

Only brackets and quotes are looked at; what is between two texts goes with the later one. Whatever
the bytes are, together the texts are all of them, white space between texts apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_SIGNS = re.compile(rb'["\[\]{}]')
_QUOTE_OR_ESCAPE = re.compile(rb'["\\]')
_SPACES = b" \t\r\n"


class JsonTexts:
    """Cuts blocks of bytes into texts; no text over a limit is held."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._pieces: list[bytes] = []
        self._held = 0
        self._is_over = False
        self._depth = 0
        self._in_string = False
        self._is_escaped = False
        """Whether the block ended behind a backslash within a string."""

    def cut(self, blocks: Iterable[bytes]) -> Iterator[bytes | None]:
        """Yields the texts, without white space around them; None for one over the limit."""
        for block in blocks:
            low = 0
            for high in self._ends(block):
                self._hold(block[low:high])
                yield from self._rest()
                low = high
            self._hold(block[low:])
        yield from self._rest()

    def _ends(self, block: bytes) -> Iterator[int]:
        """Yields the offset behind each text that ends in a block."""
        at = 0
        while at < len(block):
            if self._is_escaped:
                self._is_escaped, at = False, at + 1
                continue
            match = (_QUOTE_OR_ESCAPE if self._in_string else _SIGNS).search(block, at)
            if match is None:
                return
            at = match.end()
            sign = match.group()
            if sign == b"\\":
                self._is_escaped = True
            elif sign == b'"':
                self._in_string = not self._in_string
            elif sign in b"[{":
                self._depth += 1
            else:
                self._depth = max(0, self._depth - 1)
                if self._depth == 0:
                    yield at

    def _hold(self, piece: bytes) -> None:
        if not self._held:
            piece = piece.lstrip(_SPACES)
        self._held += len(piece)
        if self._held > self._most_bytes:
            self._pieces, self._is_over = [], True
        elif piece:
            self._pieces.append(piece)

    def _rest(self) -> Iterator[bytes | None]:
        text = b"".join(self._pieces).rstrip(_SPACES)
        if self._is_over:
            yield None
        elif text:
            yield text
        self._pieces, self._held, self._is_over = [], 0, False
