"""MeSH: what is read of its tables, and what tokens get."""

import dataclasses
import itertools
import os
import string
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.dictionaries.trie import TokenTrie
from scrubline.models.auxiliary import origin_of
from scrubline.models.auxiliary.mesh import parse_rows, score_trees, train_mesh
from scrubline.models.auxiliary.phrase_trees import (
    MOST_TOKENS,
    PhraseTable,
    joined_numbers,
    pack_trees,
    unpack_trees,
)
from scrubline.models.core.errors import UsageError
from scrubline.models.text.tokenizer import tokenize_documents

from ...examples import examples
from .small import ENTRY_TERMS, HEADINGS, mesh

SAID = origin_of([""])


def found(*texts):
    return mesh().columns(texts, tokenize_documents([text or "" for text in texts]))


def test_phrases_have_the_numbers_of_all_their_headings():
    deep = "D01.001.002.003.004.005.006.007.008.009.010"
    assert mesh().table.numbers == {
        "heart attack": "C14.280.067;C23.550",
        "mi , acute": "C14.280.067;C23.550",
        "heart": "A07.541;C14.280.067;C23.550",
        "dye no . 5": deep,
    }


def test_the_longest_phrase_wins_in_any_case_and_across_lines():
    both, all_ = "C14.280.067;C23.550", "A07.541;C14.280.067;C23.550"
    assert found("A Heart\nATTACK of heart") == ["", both, both, "", all_]
    assert found("heart", "attack") == [all_, ""]
    assert found("MI, acute") == [both] * 3
    assert found("heart attac") == [all_, ""]


def test_a_document_that_failed_has_no_numbers():
    assert mesh().columns([None, "heart"], tokenize_documents(["heart attack", "heart"])) == [
        *("", ""),
        "A07.541;C14.280.067;C23.550",
    ]
    assert found() == found("", " \n") == []


@given(text=st.text(st.sampled_from("hearttck MI,acuteDyeNo.5\n\0\ud800é\u0130"), max_size=60))
@examples(60)
def test_any_text_has_an_entry_a_token(text):
    assert len(found(text)) == len(tokenize_documents([text]))


WORDS = st.sampled_from("abc")


@given(
    phrases=st.lists(st.lists(WORDS, min_size=1, max_size=4), min_size=1, max_size=8),
    words=st.lists(WORDS, max_size=20),
)
@examples(200)
def test_phrases_are_found_as_a_trie_finds_them(phrases, words):
    table = PhraseTable({" ".join(phrase): f"A{n:02}" for n, phrase in enumerate(phrases)})
    expected = [""] * len(words)
    for begin, end in TokenTrie(map(tuple, phrases)).match(words):
        expected[begin:end] = [table.numbers[" ".join(words[begin:end])]] * (end - begin)
    assert table.places(words) == expected


NUMBERS = st.builds(
    lambda letter, top, more: ".".join([f"{letter}{top:02}", *(f"{n:03}" for n in more)]),
    st.sampled_from(string.ascii_uppercase),
    st.integers(0, 99),
    st.lists(st.integers(0, 999), max_size=14),
)


@given(
    table=st.dictionaries(
        st.lists(WORDS, min_size=1, max_size=MOST_TOKENS).map(" ".join),
        st.lists(NUMBERS, min_size=1, max_size=4).map(joined_numbers),
        min_size=1,
        max_size=9,
    )
)
@examples(100)
def test_a_table_is_unpacked_as_it_was_packed(table):
    data = pack_trees(table)
    assert unpack_trees(data) == table
    assert pack_trees(dict(reversed(table.items()))) == data


def test_the_order_of_rows_does_not_matter():
    rows = [*parse_rows(HEADINGS.encode()), *parse_rows(ENTRY_TERMS.encode())]
    for order in itertools.islice(itertools.permutations(rows), 0, 5_000, 999):
        assert train_mesh(order, origin=SAID, year=2022).hash == mesh().hash


def test_another_process_gives_the_same_bytes():
    script = (
        "import sys\n"
        "from scrubline.models.auxiliary import origin_of\n"
        "from scrubline.models.auxiliary.mesh import parse_rows, train_mesh\n"
        "rows = parse_rows(sys.stdin.buffer.read())\n"
        "print(train_mesh(rows, origin=origin_of(['']), year=2022).hash)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script],
        input=(ENTRY_TERMS + HEADINGS).encode(),
        capture_output=True,
        check=True,
        env=os.environ | {"PYTHONHASHSEED": "7"},
    )
    assert ran.stdout.decode().strip() == mesh().hash


def test_the_licence_names_source_edition_and_change():
    assert mesh().licence == "terms of the National Library of Medicine for MeSH 2022, changed"
    text = mesh().files["LICENCE.md"].decode()
    for wanted in ("National Library of Medicine", "(MeSH) 2022", "Changed:", "not endorse"):
        assert wanted in text
    own = dataclasses.replace(SAID, licence="by contract", credit="Ours.")
    model = train_mesh(parse_rows(HEADINGS.encode()), origin=own, year=2023)
    assert model.licence == "by contract"
    assert "(MeSH) 2023" in model.files["LICENCE.md"].decode()
    assert "Ours." in model.files["LICENCE.md"].decode()


def test_tables_of_windows_and_of_phrases_with_numbers():
    rows = parse_rows(b"\xef\xbb\xbfHeart\tA07.541\r\n\r\nHand\tA01;A02\r\n")
    model = train_mesh(rows, origin=SAID, year=2022)
    assert model.table.numbers == {"heart": "A07.541", "hand": "A01;A02"}


@pytest.mark.parametrize(
    "line", ["secret", "secret\t", "secret\tx", "a\tD000001\tX", "a\tb\tC14", "a\tC14;x"]
)
def test_a_row_of_another_form_is_refused(line):
    rows = parse_rows(f"{HEADINGS}{line}\n".encode())
    with pytest.raises(UsageError, match="line 5 of a table") as caught:
        train_mesh(rows, origin=SAID, year=2022)
    assert "secret" not in str(caught.value)


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(UsageError, match="line 2 is not UTF-8"):
        parse_rows(b"a\tA01\n\xff\tA01\n")


@pytest.mark.parametrize("year", [0, 22, 20_022])
def test_the_edition_must_be_said(year):
    with pytest.raises(UsageError, match="--set year=2022"):
        train_mesh(parse_rows(HEADINGS.encode()), origin=SAID, year=year)


def test_tables_without_numbers_are_refused():
    with pytest.raises(UsageError, match="no phrase"):
        train_mesh(parse_rows(ENTRY_TERMS.encode()), origin=SAID, year=2022)


def test_scores_count_tokens_and_categories():
    assert score_trees(mesh(), ["A heart attack", "dye no. 5"]) == {
        "tokens": 7,
        "have a tree number": round(6 / 7, 4),
        "categories": {"D": 4, "C": 2},
    }
    assert score_trees(mesh(), [])["have a tree number"] is None
