from __future__ import annotations

import ast
import gzip
import hashlib
import importlib.resources
import unicodedata
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline import dictionaries
from scrubline.dictionaries import DICTIONARIES, DictionaryError, load, load_weighted, parse

FOLDER = Path(str(importlib.resources.files(dictionaries)))


@pytest.mark.parametrize("name", DICTIONARIES)
def test_every_list_is_sorted_unique_nfc_and_has_a_source(name: str) -> None:
    path = FOLDER / DICTIONARIES[name]
    content = path.read_bytes()
    rows = content.decode("utf-8").split("\n")
    assert rows.pop() == "", "a list ends with a line feed"
    lines = [row.partition("\t")[0] for row in rows]
    assert lines == sorted(set(lines))
    for line in lines:
        assert line and line == " ".join(line.split()) == unicodedata.normalize("NFC", line)
    loaded = load(name)
    assert loaded.phrases == tuple(lines)
    assert loaded.sha256 == hashlib.sha256(content).hexdigest()
    if path.suffix == ".tsv":
        weights = [row.partition("\t")[2] for row in rows]
        assert loaded.weights == tuple(map(int, weights)) and min(loaded.weights) >= 1
        assert load_weighted(name) == dict(zip(lines, loaded.weights, strict=True))
    else:
        assert lines == rows and loaded.weights is None
    sources = (path.parent / "SOURCES.md").read_text(encoding="utf-8")
    kinds = (name.rpartition("_")[0], name.partition("_")[0])
    assert f"`{path.name}`" in sources or any(f"`{kind}_*.txt`" in sources for kind in kinds)


def test_the_table_lists_every_file() -> None:
    files = {str(path.relative_to(FOLDER).as_posix()) for path in FOLDER.glob("*/*.t[xs][tv]")}
    assert files == set(DICTIONARIES.values())
    # They go to every worker: some 2.1 MB of the wheel.
    assert sum(len(zlib.compress((FOLDER / file).read_bytes())) for file in files) < 2_200_000


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
        (b"good\t1\nsecret", "line 2: expected a phrase, a tab and a whole number"),
        (b"\n good\t1\r\nsecret\t1\t2x", "line 3: expected a phrase, a tab and a whole number"),
        (b"good\t1\nsecret\t-1", "line 2: expected a phrase, a tab and a whole number"),
        (b"good\t1\nsecret\t1.5", "line 2: expected a phrase, a tab and a whole number"),
        ("good\t1\nsecret\t\u0661".encode(), "line 2: expected a phrase, a tab and a whole number"),
        (b"good\t1\nsecret\t" + b"9" * 17, "line 2: expected a phrase, a tab and a whole number"),
        (b"good\t1\nsecret\t" + b"9" * 16, "line 2: expected a phrase and a weight up to 9007199"),
        (b"good\t1\nsecret\there\t1", "line 2: a control character"),
    ],
)
def test_errors_name_the_line_and_not_its_content(content: bytes, message: str) -> None:
    with pytest.raises(DictionaryError, match=message) as raised:
        parse("site", content)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("first_nmaes", r"unknown dictionary 'first_nmaes' \(did you mean first_names_e[ns] or .*"),
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


def test_weighted_lists_of_a_site_are_cleaned(tmp_path: Path) -> None:
    content = "\ufeff\r\n b \t 2 \r\na\t0\ncafe\u0301\t3\nb\t5\n".encode()
    (tmp_path / "list.tsv.gz").write_bytes(gzip.compress(content))
    loaded = load(str(tmp_path / "list.tsv.gz"))
    assert loaded.phrases == ("a", "b", "caf\u00e9")
    assert loaded.weights == (0, 7, 3)
    weights = load_weighted(str(tmp_path / "list.tsv.gz"))
    assert weights == {"a": 0, "b": 7, "caf\u00e9": 3}
    with pytest.raises(TypeError):
        weights["a"] = 1  # type: ignore[index]
    assert "weights" not in repr(loaded) and "caf" not in repr(loaded)


def test_lists_without_weights_are_no_weighted_ones() -> None:
    with pytest.raises(DictionaryError, match="dictionary months_en: has no weights; expected a"):
        load_weighted("months_en")


PHRASE = st.text(st.sampled_from("ab \u00e9\u0301\u2028\xa0\x07I"), max_size=4)


@given(rows=st.lists(st.tuples(PHRASE, st.sampled_from(["1", "02", "x", "", "\t3"])), max_size=5))
def test_the_fast_way_gives_what_the_slow_one_gives(rows: list[tuple[str, str]]) -> None:
    for content in (
        "".join(f"{phrase}\n" for phrase, _ in rows).encode(),
        "".join(f"{phrase}\t{weight}\n" for phrase, weight in rows).encode(),
        "".join(f"{phrase}\t{weight}\n" for phrase, weight in sorted(set(rows))).encode(),
    ):
        outcomes = []
        # A blank line in front is dropped, and only the slow way takes it.
        for form in (content, b"\n" + content):
            try:
                loaded = parse("site", form)
            except DictionaryError as error:
                outcomes.append(str(error).partition(": ")[2])
            else:
                outcomes.append((loaded.phrases, loaded.weights))
                assert parse("site", loaded.to_bytes()).phrases == loaded.phrases
                assert parse("site", loaded.to_bytes()).weights == loaded.weights
        assert outcomes[0] == outcomes[1]


def test_the_lists_that_rules_use_hold_what_they_must() -> None:
    words = set(load("common_words_en").phrases)
    assert {"the", "will", "mark", "patient", "colour", "color"} <= words
    assert not {"john", "mary", "robert"} & words
    assert all(word == word.lower() and word.isascii() for word in words)
    medical = set(load("medical_words_en").phrases)
    assert {"lasix", "metoprolol", "femur", "crohn's disease"} <= medical
    assert not {"foley", "hickman"} & medical and all(word == word.lower() for word in medical)
    assert {"Parkinson", "Foley", "Crohn", "Baker", "Bell", "Hodgkin", "Graves", "Down", "Homan",
            "Babinski", "Kussmaul"} <= set(load("eponyms_en").phrases)  # fmt: skip
    surnames = load_weighted("surname_counts_en")
    assert surnames["Smith"] == 10060 and surnames["Aalderink"] == 2 and len(surnames) == 88_799
    first_names = load_weighted("first_name_counts_en")
    assert first_names["Mary"] == 13_190 and first_names["James"] == 16_640
    assert {"Nguyen", "Okafor", "Patel", "Kowalski", "Kim"} <= set(load("surnames_world").phrases)
    assert {"Worcester", "St. Louis"} <= set(load("us_places").phrases)
    assert "Worcester, MA" in load("us_place_states").phrases
    assert {"registered nurse", "carpenter", "civil engineer"} <= set(
        load("professions_en").phrases
    )


MODELS = Path(__file__).parents[2] / "models"
MOST_WORDS = 16


@pytest.mark.parametrize("room", ["recognisers", "text", "views"])
def test_longer_lists_of_words_are_files(room: str) -> None:
    """Words inside a pattern stay there, where their order and what stands around them count."""
    too_long = []
    for path in (MODELS / room).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            words = 0
            if isinstance(node, ast.Call) and _name_of(node.func) in ("word_set", "split"):
                texts = [*node.args, getattr(node.func, "value", None)]
                words = sum(len(str(t.value).split()) for t in texts if isinstance(t, ast.Constant))
            elif isinstance(node, ast.Tuple | ast.List | ast.Set):
                words = sum(_is_word(element) for element in node.elts)
            if words > MOST_WORDS and path.name != "__init__.py":
                too_long.append((path.name, node.lineno, words))
    # Names of lists in the order of the sections' numbers; words that decide about speed alone.
    excepted = ("sections.py", "prefilter.py")
    assert [found for found in too_long if found[0] not in excepted] == []


def _name_of(function: ast.expr) -> str:
    return str(getattr(function, "attr", getattr(function, "id", "")))


def _is_word(element: ast.expr) -> bool:
    return isinstance(element, ast.Constant) and isinstance(element.value, str)
