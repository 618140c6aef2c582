import datetime
import decimal
import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import DocumentError, UsageError
from scrubline.models.core.keys import PREFIX, Keys, canonical_id, hkdf, new_key
from scrubline.models.storage.key_files import load_keys

KEYS = Keys(bytes(range(32)))


def test_hkdf_agrees_with_rfc_5869_test_case_3():
    # Test case 3: no salt, no info; the RFC's input key material and output.
    material = bytes([0x0B] * 22)
    expected = (
        "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
    )
    assert hkdf(material, "", 42).hex() == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (123, "123"),
        ("123", "123"),
        (" 123", "123"),
        ("123\r\n", "123"),
        (123.0, "123"),
        (decimal.Decimal("123.00"), "123"),
        ("0123", "0123"),
        (-5, "-5"),
        ("aB-7", "aB-7"),
        ("e\u0301", "\u00e9"),
        (datetime.date(2020, 1, 2), "2020-01-02"),
        (2**70, str(2**70)),
        (None, None),
        ("", None),
        (" \t", None),
        (math.nan, None),
    ],
)
def test_canonical_form(value, expected):
    assert canonical_id(value) == expected


@pytest.mark.parametrize(
    "value", [True, 1.5, math.inf, b"123", [1], {"a": 1}, decimal.Decimal("0.1")]
)
def test_what_cannot_be_an_id_is_refused(value):
    with pytest.raises(DocumentError, match="BadId"):
        canonical_id(value)


@given(st.text())
def test_canonical_form_is_stable(text):
    once = canonical_id(text)
    assert once is None or canonical_id(once) == once


def test_purposes_and_ordinals_do_not_collide():
    made = {
        KEYS.doc_key("1"),
        KEYS.doc_key("1", 1),
        KEYS.patient_key("1"),
        KEYS.column_hash("1"),
        KEYS.doc_key("\x1f1"),
        Keys(bytes(32)).doc_key("1"),
    }
    assert len(made) == 6
    assert all(len(one) == 32 for one in made)


def test_a_key_made_by_us_opens(tmp_path):
    (tmp_path / "key").write_text(new_key() + "\n")
    keys = load_keys("file", lambda url: (tmp_path / "key").read_bytes())
    assert len(keys.check) == 8


@pytest.mark.parametrize(
    "content", [b"", b"hello", PREFIX.encode() + b"AAAA", b"\xff\x00", PREFIX.encode() + b"!!"]
)
def test_what_is_no_key_is_refused_without_being_shown(content):
    with pytest.raises(UsageError, match="scrubline key new") as caught:
        load_keys("file", lambda url: content)
    assert content.decode("latin1") not in str(caught.value) or not content


def test_a_missing_key_explains_how_to_make_one(monkeypatch):
    monkeypatch.delenv("SOME_KEY", raising=False)
    with pytest.raises(UsageError, match="SOME_KEY.*scrubline key new"):
        load_keys("env:SOME_KEY", lambda url: b"")

    def missing(url):
        raise FileNotFoundError(url)

    with pytest.raises(UsageError, match="scrubline key new"):
        load_keys("/patients/miller.key", missing)


def test_keys_do_not_travel_and_do_not_show():
    with pytest.raises(TypeError):
        pickle.dumps(KEYS)
    assert repr(KEYS) == f"Keys(check={KEYS.check})"
