"""The links of sentences that were parsed beforehand, and how they are packed.

A sentence is known by the SHA-256 of its text; of the text itself nothing is kept. Inside an xz
stream, in ASCII, one line a sentence, sorted: the digest in hexadecimal, a tab, the number of its
fine tokens, and behind a tab its links, joined by blanks, each as "left:right:name". Left and right
are places of tokens in the sentence, and the links are those of two words of which one has the
other among the nearest of its side.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence

from ..core.errors import BundleError
from ..core.packing import compressed, decompressed
from ..core.tokens import Tokens
from ..features.base import clip
from ..features.link import NEAREST

MOST_TOKENS = 40
"""Longer sentences are not parsed: the time that it takes grows with the cube of the length."""

MOST_CHARACTERS = 1_000
"""Likewise, for tokens of hostile length."""

LINK_NAME = re.compile(r"[!-~]{1,32}")

_LINE = re.compile(r"(?P<digest>[0-9a-f]{64})\t(?P<size>[0-9]{1,2})\t(?P<links>[!-~]+(?: [!-~]+)*)")
_LINK = re.compile(r"([0-9]{1,2}):([0-9]{1,2}):([!-~]{1,32})")
_WHAT = "packed table of links"
_MOST_BYTES = 1 << 26

SentenceLinks = tuple[tuple[int, int, str], ...]
"""Links of a sentence: places of the two words, left before right, and the name; sorted."""


def sentences_of(
    texts: Sequence[str | None], tokens: Tokens
) -> Iterator[tuple[int, int, str, Sequence[int], Sequence[int]]]:
    """Yields the sentences of a batch that may be parsed, in order.

    A sentence is given as its first row and the row behind its last one in `tokens`, its text, and
    where its tokens start and end in that. Line breaks and other control characters of the text are
    blanks.
    """
    bounds = tokens.document_offsets.tolist()
    starts, ends = tokens.starts.tolist(), tokens.ends.tolist()
    heads = tokens.starts_sentence.tolist()
    for text, (low, high) in zip(texts, itertools.pairwise(bounds), strict=True):
        if text is None or low == high:
            continue
        rows = [low, *(row for row in range(low + 1, high) if heads[row]), high]
        for first, behind in itertools.pairwise(rows):
            begin, end = starts[first], ends[behind - 1]
            if behind - first > MOST_TOKENS or end - begin > MOST_CHARACTERS:
                continue
            yield (
                first,
                behind,
                text[begin:end].translate(_BLANKS),
                [start - begin for start in starts[first:behind]],
                [stop - begin for stop in ends[first:behind]],
            )


_BLANKS = dict.fromkeys((*range(32), *range(127, 160), 0x2028, 0x2029), " ")


def digest_of(sentence: str) -> str:
    """The SHA-256 of a sentence's text, in hexadecimal."""
    return hashlib.sha256(sentence.encode("utf-8", "surrogatepass")).hexdigest()


def nearest_links(links: SentenceLinks, size: int) -> list[tuple[list[int], list[int]]]:
    """For each token the places in `links` of the nearest ones to its left and to its right.

    Args:
        links: of a sentence.
        size: its tokens.
    """
    found: list[tuple[list[int], list[int]]] = [([], []) for _ in range(size)]
    for place, (left, right, _) in enumerate(links):
        found[right][0].append(place)
        found[left][1].append(place)
    for before, behind in found:
        before.sort(key=lambda place: (-links[place][0], links[place][2]))
        behind.sort(key=lambda place: (links[place][1], links[place][2]))
        del before[NEAREST:], behind[NEAREST:]
    return found


def only_nearest(links: SentenceLinks, size: int) -> SentenceLinks:
    """The links that are among the nearest of one of their words."""
    kept = {place for sides in nearest_links(links, size) for own in sides for place in own}
    return tuple(links[place] for place in sorted(kept))


def rendered(links: SentenceLinks, words: Sequence[str]) -> list[str]:
    """The entry of each token in a column, as `features.Link` takes it; "" without links."""
    entries = []
    for sides in nearest_links(links, len(words)):
        shown = []
        for end, own in enumerate(sides):
            # The word of a link to the left is its left one.
            for left, right, name in (links[place] for place in own):
                shown.append(f"{name} {clip(words[right if end else left])}")
            shown += [""] * (NEAREST - len(own))
        entries.append("\n".join(shown) + "\n" if any(shown) else "")
    return entries


def pack_links(sentences: Mapping[str, tuple[int, SentenceLinks]]) -> bytes:
    """The packed form; the same table and version of liblzma give the same bytes.

    Args:
        sentences: digest -> tokens and links; those without links are left out.
    """
    lines = []
    for digest, (size, links) in sorted(sentences.items()):
        if links:
            own = " ".join(f"{left}:{right}:{name}" for left, right, name in links)
            lines.append(f"{digest}\t{size}\t{own}\n")
    return compressed("".join(lines).encode())


def unpack_links(data: bytes) -> dict[str, tuple[int, SentenceLinks]]:
    """The table that `pack_links` packed, fully checked.

    Raises:
        BundleError: if it is damaged, or larger than any such table may be.
    """
    try:
        lines = decompressed(data, _WHAT, _MOST_BYTES).decode("ascii").split("\n")
    except UnicodeDecodeError:
        raise BundleError(f"the {_WHAT} is not ASCII") from None
    if lines.pop():
        raise BundleError(f"the {_WHAT} must end with a line break")
    table: dict[str, tuple[int, SentenceLinks]] = {}
    before = ""
    for place, line in enumerate(lines, 1):
        match = _LINE.fullmatch(line)
        links = _links(match) if match else None
        if match is None or links is None or match["digest"] <= before:
            raise BundleError(
                f"{_WHAT}, line {place}: expected a digest in rising order, the number of tokens,"
                " and links between them"
            )
        before = match["digest"]
        table[before] = int(match["size"]), links
    return table


def _links(line: re.Match[str]) -> SentenceLinks | None:
    size = int(line["size"])
    matches = [_LINK.fullmatch(link) for link in line["links"].split(" ")]
    links = tuple((int(m[1]), int(m[2]), m[3]) for m in matches if m)
    if len(links) < len(matches) or size > MOST_TOKENS:
        return None
    rising = all(one < other for one, other in itertools.pairwise(links))
    return links if rising and all(left < right < size for left, right, _ in links) else None
