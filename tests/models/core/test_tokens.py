import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.text.tokenizer import tokenize_documents


@given(st.lists(st.text(alphabet="aZ9 .-/\n\r\0🙂é", max_size=20), max_size=5))
def test_each_document_has_its_own_rows(texts):
    tokens = tokenize_documents(texts)
    covered = []
    for index, text in enumerate(texts):
        rows = tokens.of_document(index)
        found = tokens.texts(index, text)
        assert len(found) == rows.stop - rows.start
        assert "".join(found) == "".join("".join(found).split())
        covered += range(rows.start, rows.stop)
    assert covered == list(range(len(tokens)))


@pytest.mark.parametrize("offsets", [[0], [0, 1], [1, 3], [0, 2, 1, 3]])
def test_row_pointers_are_checked(offsets):
    tokens = tokenize_documents(["one two three"])
    with pytest.raises(ValueError, match="Tokens: row pointers must rise from 0 to 3"):
        dataclasses.replace(tokens, document_offsets=np.array(offsets, np.int64))


@pytest.mark.parametrize("name", ["starts", "ends", "starts_coarse", "starts_line"])
def test_columns_must_be_of_one_length(name):
    tokens = tokenize_documents(["one two three"])
    with pytest.raises(ValueError, match="Tokens: columns differ in length"):
        dataclasses.replace(tokens, **{name: getattr(tokens, name)[:-1]})


@pytest.mark.parametrize("name", ["starts", "sections"])
def test_columns_of_sentences_must_be_of_that_length_too(name):
    tokens = tokenize_documents(["one two three"])
    short = {name: getattr(tokens.sentences, name)[:-1]}
    with pytest.raises(ValueError, match="Tokens: columns differ in length"):
        dataclasses.replace(tokens, sentences=dataclasses.replace(tokens.sentences, **short))


def test_tokens_are_not_shown():
    assert "Smith" not in repr(tokenize_documents(["Mr. Smith"]))
