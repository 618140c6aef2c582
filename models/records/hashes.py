"""Keys of evidence: 24 bits of the patient, 40 bits of a keyed hash of the word.

The hash is keyed by patient, so equal words of two patients have unlike keys: nothing can be
counted over patients, and without the master key no dictionary of names can be tried. Keys sort by
patient.
"""

from __future__ import annotations

import functools
import hashlib
import hmac

_PATIENT_HEX = 6
_WORD_BYTES = 5


class RecordHash:
    """Makes the keys of evidence. Secret.

    Args:
        key: 32 bytes, `Keys.records`.
    """

    __slots__ = ("_key", "_of_patient")

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._of_patient = functools.lru_cache(1024)(self._patient_key)

    def __repr__(self) -> str:
        return "RecordHash()"

    def __reduce__(self) -> str:
        raise TypeError("keys cannot be pickled: open them where they are used")

    def key(self, patient: str, form: str) -> int:
        """The key of a word.

        Args:
            patient: `patient_key` of the row, 32 hex digits.
            form: of the word, see `words`.
        """
        content = form.encode("utf-8", "surrogatepass")
        digest = hashlib.blake2b(content, key=self._of_patient(patient), digest_size=_WORD_BYTES)
        return int(patient[:_PATIENT_HEX], 16) << 8 * _WORD_BYTES | int.from_bytes(digest.digest())

    def _patient_key(self, patient: str) -> bytes:
        return hmac.digest(self._key, bytes.fromhex(patient), "sha256")
