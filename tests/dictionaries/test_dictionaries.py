from __future__ import annotations

import gzip
import hashlib
import importlib.resources
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline import dictionaries
from scrubline.dictionaries import DICTIONARIES, DictionaryError, load, parse

FOLDER = Path(str(importlib.resources.files(dictionaries)))


@pytest.mark.parametrize("name", DICTIONARIES)
def test_every_list_is_sorted_unique_nfc_and_has_a_source(name: str) -> None:
    path = FOLDER / DICTIONARIES[name]
    content = path.read_bytes()
    lines = content.decode("utf-8").split("\n")
    assert lines.pop() == "", "a list ends with a line feed"
    assert lines == sorted(set(lines))
    for line in lines:
        assert line and line == " ".join(line.split()) == unicodedata.normalize("NFC", line)
    loaded = load(name)
    assert loaded.phrases == tuple(lines)
    assert loaded.sha256 == hashlib.sha256(content).hexdigest()
    sources = (path.parent / "SOURCES.md").read_text(encoding="utf-8")
    kind = name.rpartition("_")[0]
    assert f"`{name}.txt`" in sources or f"`{kind}_*.txt`" in sources


def test_the_table_lists_every_file() -> None:
    files = {str(path.relative_to(FOLDER).as_posix()) for path in FOLDER.glob("*/*.txt")}
    assert files == set(DICTIONARIES.values())
    assert sum((FOLDER / file).stat().st_size for file in files) < 400_000


def test_the_lists_hold_what_their_names_say() -> None:
    assert {"Mary", "James"} <= set(load("first_names_en").phrases)
    assert {"Smith", "Nguyen", "Garcia"} <= set(load("surnames_en").phrases)
    assert {"María", "José"} & set(load("first_names_es").phrases)
    assert len(load("us_states")) >= 51
    assert "enero" in load("months_es").phrases


def test_lists_of_a_site_are_cleaned(tmp_path: Path) -> None:
    content = "\ufeffZoë\r\n  beta \n\nalpha\nbeta\ncafe\u0301".encode()
    (tmp_path / "list.txt").write_bytes(content)
    loaded = load(str(tmp_path / "list.txt"))
    assert loaded.phrases == ("Zoë", "alpha", "beta", "café")
    assert loaded.sha256 == hashlib.sha256(content).hexdigest()
    (tmp_path / "list.gz").write_bytes(gzip.compress(content))
    assert load((tmp_path / "list.gz").as_uri()).phrases == loaded.phrases
    assert "alpha" not in repr(loaded)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no phrases"),
        (b"\n \r\n", "no phrases"),
        (b"good\n\xff\xfesecret", "line 2: not UTF-8"),
        (b"good\nsecret\ttable", "line 2: a control character"),
        (b"good\n\nsecret\x00", "line 3: a control character"),
        ("good\nsecret\u2028line".encode(), "line 2: a control character"),
        (b"good\n" + b"secret" * 100, "line 2: 600 characters, expected at most 200"),
        (b"\xed\xa0\x80", "line 1: not UTF-8"),
    ],
)
def test_errors_name_the_line_and_not_its_content(content: bytes, message: str) -> None:
    with pytest.raises(DictionaryError, match=message) as raised:
        parse("site", content)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("first_nmaes", "unknown dictionary 'first_nmaes'; known: .*first_names_en"),
        ("", "unknown dictionary ''"),
        ("/no/such/a.txt", r"dictionary /no/such/a.txt: cannot be read \(FileNotFoundError\)"),
        ("nosuch://bucket/x.txt", "dictionary nosuch://bucket/x.txt: cannot be read"),
        ("nosuch://user:secret@bucket/x.txt?key=secret", "nosuch://bucket/x.txt: cannot"),
    ],
)  # fmt: skip
def test_what_cannot_be_opened(name: str, message: str) -> None:
    with pytest.raises(DictionaryError, match=message) as raised:
        load(name)
    assert "secret" not in str(raised.value)


@given(content=st.binary(max_size=300))
def test_any_bytes_give_a_dictionary_or_a_dictionary_error(content: bytes) -> None:
    try:
        loaded = parse("any", content)
    except DictionaryError:
        return
    assert loaded.phrases == tuple(sorted(set(loaded.phrases)))
    assert all(phrase == phrase.strip() and phrase for phrase in loaded.phrases)
