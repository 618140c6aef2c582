"""IP addresses, versions 4 and 6, with port, zone and prefix length; MAC addresses beside them.

A MAC address names one network card as an IP address names one host, and the label set has no
better place: HIPAA lists both a device identifier and an IP address (45 CFR 164.514(b)(2)(i)(M),
(O)). It is a DEVICE.

Sources of the forms: RFC 4291 §2.2 (full, `::`, dotted tail) and §2.3 (prefix), RFC 4007 §11.2
(zone), IEEE 802-2014 §8.1 (MAC).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .patterns import before, disjoint, is_digit, is_word, pattern, previous_word, view

NAME = "ip_address"
LABELS = ("IPADDR", "DEVICE")
# 7 of 7 right: demo/train 6/6, asq_phi 1/1.
# `python -m benchmarks.rules --scores`.
# Under 0.9 for want of cases, not for mistakes: the development data hold few such things.
SCORE = 0.8889

_VERSION_4 = pattern(r"\d{1,3}(?:\.\d{1,3}){3}")
_VERSION_6 = pattern(
    r"[0-9a-f]{0,4}:[0-9a-f:]{1,34}(?::[0-9a-f]{0,4})?(?:\d{0,3}(?:\.\d{1,3}){3})?"
)
_TWO_COLONS = pattern(r":[0-9a-f]{0,4}:")
_ZONE = pattern(r"%[a-z0-9]{1,15}")
_PREFIX = pattern(r"/\d{1,3}")
_PORT = pattern(r":\d{2,5}")
_BRACKETED_PORT = pattern(r"\]:\d{2,5}")
_MAC = pattern(
    r"[0-9a-f]{2}(?:(?::[0-9a-f]{2}){5}|(?:-[0-9a-f]{2}){5})|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}"
)
_VERSION_WORDS = frozenset(
    ("v", "ver", "version", "rev", "revision", "release", "section", "chapter", "firmware")
)
_IP_WORDS = frozenset(("ip", "ipv4", "ipv6", "address", "host", "server", "addr", "from", "at"))


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one IPADDR per address that is in range, one DEVICE per MAC address.

    Left to right and without overlap. Zone and prefix length are of the address, a port is too: it
    says nothing alone, but it would stand there as a number without its host.
    """
    text = document.text
    seen: bytes = view(text)
    found = []
    for match in _VERSION_4.finditer(seen):
        start, end = match.span()
        if _is_version_4(text, seen, start, end):
            found.append((start, _end_behind(text, seen, end, 32), "IPADDR"))
    if any(_TWO_COLONS.finditer(seen)):
        for match in _VERSION_6.finditer(seen):
            start, end = match.span()
            if not is_word(text, start - 1) and not is_word(text, end):
                # The colon of a sentence is no part: "host 2001:db8::1: down".
                while end > start and seen[end - 1] == 0x3A and seen[end - 2] != 0x3A:
                    end -= 1
                if _is_version_6(seen[start:end].decode("latin-1"), seen, start):
                    found.append((start, _end_behind(text, seen, end, 128), "IPADDR"))
    for match in _MAC.finditer(seen):
        start, end = match.span()
        if _is_mac(text, seen, start, end):
            found.append((start, end, "DEVICE"))
    yield from disjoint(Candidate(start, end, label, NAME, SCORE) for start, end, label in found)


def _end_behind(text: str, seen: bytes, end: int, bits: int) -> int:
    zone = _ZONE.match(seen, end, len(seen)) if bits == 128 else None
    if zone and not is_word(text, zone.end()):
        end = zone.end()
    port = (_PORT if bits == 32 else _BRACKETED_PORT).match(seen, end, len(seen))
    if port and not is_word(text, port.end()):
        return port.end()
    prefix = _PREFIX.match(seen, end, len(seen))
    if prefix and not is_word(text, prefix.end()) and int(seen[end + 1 : prefix.end()]) <= bits:
        return prefix.end()
    return end


def _is_version_6(found: str, seen: bytes, start: int) -> bool:
    try:
        ipaddress.IPv6Address(found)
    except ValueError:
        return False
    # `a::b` and `1::2` are ratios and separators more often than addresses; three groups with a
    # long one are not, and behind a word for it or with a zone the short ones count too.
    groups = [group for group in found.split(":") if group]
    if "." in found or (len(groups) > 2 and max(map(len, groups)) > 2):
        return True
    if len(groups) == 8:
        return any(character.isalpha() for character in found)
    if found.lower().startswith(("fe80::", "2001:")):
        return True
    return found not in ("::",) and previous_word(before(seen, start, 20)) in _IP_WORDS - {
        "from",
        "at",
    }


def _is_version_4(text: str, seen: bytes, start: int, end: int) -> bool:
    if is_word(text, start - 1) or is_word(text, end):
        return False
    if (
        start
        and text[start - 1] in ".-"
        or (end < len(text) and text[end] in ".-" and is_digit(text, end + 1))
    ):
        return False
    found = seen[start:end].decode("latin-1")
    octets = found.split(".")
    if any(int(octet) > 255 or (len(octet) > 1 and octet[0] == "0") for octet in octets):
        return False
    word = previous_word(before(seen, start, 20))
    if word in _VERSION_WORDS:
        return False
    # 1.2.3.4 without a word for it is a section number or a version.
    return len(found) > 7 or word in _IP_WORDS


def _is_mac(text: str, seen: bytes, start: int, end: int) -> bool:
    if is_word(text, start - 1) or is_word(text, end):
        return False
    if any(0 <= place < len(text) and text[place] in ":-." for place in (start - 1, end)) and (
        is_word(text, start - 2) or is_word(text, end + 1)
    ):
        return False
    found = seen[start:end]
    word = previous_word(before(seen, start, 24))
    # Six pairs of digits are a date with a time as well ("12-10-15-08-30-00").
    return any(byte > 0x39 for byte in found if byte != 0x3A) or word in ("mac", "ethernet", "wifi")
