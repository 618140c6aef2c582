"""Keys: one master key, subkeys by purpose, and the keyed hashes that stand for ids.

Subkeys are derived by HKDF-SHA256 (RFC 5869), so that no two purposes can be linked. Where a master
key is kept, and how it is opened: `storage.key_files`.
"""

from __future__ import annotations

import base64
import datetime
import decimal
import hashlib
import hmac
import secrets
import unicodedata

from .errors import DocumentError, UsageError

PREFIX = "scrubline-key-v1:"
_MASTER_BYTES = 32


def new_key() -> str:
    """A fresh master key as the one line of text that a key file holds (256 random bits)."""
    return PREFIX + base64.b64encode(secrets.token_bytes(_MASTER_BYTES)).decode()


def hkdf(master: bytes, purpose: str, length: int = 32) -> bytes:
    """Derives `length` bytes (at most 8160) for one purpose: HKDF-SHA256 with an all-zero salt.

    Source: RFC 5869, §2.2 and §2.3.
    """
    extracted = hmac.digest(bytes(32), master, "sha256")
    block, out = b"", b""
    for counter in range(1, -(-length // 32) + 1):
        block = hmac.digest(extracted, block + purpose.encode() + bytes([counter]), "sha256")
        out += block
    return out[:length]


def key_bytes(text: str) -> bytes:
    """The master key in the content of a key file; the reverse of `new_key`.

    Raises:
        ValueError: if the text is not one line as `new_key` gives it.
    """
    text = text.strip()
    if not text.startswith(PREFIX):
        raise ValueError("not a master key")
    return base64.b64decode(text[len(PREFIX) :], validate=True)


class Keys:
    """The subkeys of one master key. Secret: shows nothing of itself and cannot be pickled.

    Attributes:
        check: key check value, 8 hex digits that distinguish two keys and reveal neither; part of
            the fingerprint.
        roster: 96 bytes for `roster` alone: 64 seal its rows, 32 hash its staff.
        surrogates: 32 bytes for `surrogates` alone.
        dates: 32 bytes for the offsets of `dates` alone; its purpose is `dates.PURPOSE`.
        records: 32 bytes for the evidence of `records` alone.
        draws: 32 bytes for what `risk` draws to be read.
    """

    def __init__(self, master: bytes) -> None:
        if len(master) != _MASTER_BYTES:
            raise UsageError(f"a master key has {_MASTER_BYTES} bytes, this one has {len(master)}")
        self._document = hkdf(master, "doc_key")
        self._patient = hkdf(master, "patient_key")
        self._column = hkdf(master, "hash column")
        self._seal = hkdf(master, "seal")
        self.roster = hkdf(master, "roster", 96)
        self.surrogates = hkdf(master, "surrogates")
        self.dates = hkdf(master, "date offset")
        self.records = hkdf(master, "record links")
        self.draws = hkdf(master, "draw")
        self.check = hkdf(master, "key check value", 4).hex()

    def __repr__(self) -> str:
        return f"Keys(check={self.check})"

    def __reduce__(self) -> str:
        raise TypeError("keys cannot be pickled: open them where they are used")

    def doc_key(self, canonical: str, ordinal: int = 0) -> str:
        """32 hex digits for a document row.

        Args:
            canonical: `canonical_id` of the id.
            ordinal: 0 for the first row with this id in input order, 1 for the second, and so on.
        """
        return _digest(self._document, f"{ordinal}\x1f{canonical}")

    def patient_key(self, canonical: str) -> str:
        """32 hex digits for a patient, equal in every run under the same master key."""
        return _digest(self._patient, canonical)

    def column_hash(self, canonical: str) -> str:
        """32 hex digits for a value of a column with role `hash`, the same in any column."""
        return _digest(self._column, canonical)

    def mark(self, name: str, content: bytes) -> str:
        """64 hex digits that only holders of the key can make for some content under a name."""
        head = name.encode()
        framed = len(head).to_bytes(8, "big") + head + content
        return hmac.digest(self._seal, framed, "sha256").hex()

    def agrees(self, mark: str, name: str, content: bytes) -> bool:
        """Whether `mark` gave this; compared in constant time."""
        return hmac.compare_digest(mark.encode(), self.mark(name, content).encode())


def _digest(key: bytes, text: str) -> str:
    return hmac.digest(key, text.encode("utf-8", "surrogatepass"), "sha256")[:16].hex()


def canonical_id(value: object) -> str | None:
    """The one text form under which an id is hashed, whatever type or export it came by.

    `123`, `123.0`, `"123"` and `" 123 "` are one id: exports differ in type and padding, and a
    nullable integer column becomes floats in some tools. `"0123"` is another: leading zeros
    distinguish ids in many systems, and taking two patients for one would be the worse error.
    Letters keep their case; Unicode is brought to NFC.

    Returns:
        The canonical form, or None for null and for blank text (there is no id).

    Raises:
        DocumentError: "BadId" for values that cannot be ids: booleans, fractions, bytes, nested
            values.
    """
    if value is None:
        return None
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value).strip() or None
    if isinstance(value, bool):
        raise DocumentError("BadId")
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float | decimal.Decimal):
        if value != value:
            return None  # NaN is how data frames write null
        try:
            if value == int(value):
                return str(int(value))
        except (OverflowError, ValueError):
            pass
        raise DocumentError("BadId")
    if isinstance(value, datetime.datetime | datetime.date):
        return value.isoformat()
    raise DocumentError("BadId")


def fingerprint(*parts: str | bytes) -> str:
    """SHA-256 in hex of length-prefixed parts: no two different lists of parts share one."""
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode() if isinstance(part, str) else part
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return digest.hexdigest()
