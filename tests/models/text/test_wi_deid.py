"""The layers "word" and "wi-deid": what their tokens are, pattern by pattern."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.text.segmentations import SEGMENTATIONS
from scrubline.models.text.tokenizer import tokenize_documents


def cut(layer: str, text: str) -> str:
    """The text's tokens, set off by bars."""
    found = SEGMENTATIONS[layer]([text], tokenize_documents([text]))
    bounds = zip(found.starts.tolist(), found.ends.tolist(), strict=True)
    return "|".join(text[start:end] for start, end in bounds)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        # The table: each example, then near misses.
        ("PEND01/26/2098", "PEND|01|/|26|/|2098"),
        ("01/26/2098Marital", "01|/|26|/|2098|Marital"),
        ("PEND01/26/98", "PEND01|/|26|/|98"),
        ("PEND01/26/20981", "PEND01|/|26|/|20981"),
        ("PEND101/26/2098", "PEND101|/|26|/|2098"),
        ("45-year-old", "45|-|year|-|old"),
        ("CABG6/95", "CABG|6|/|95"),
        ("Since6/03/04", "Since|6|/|03|/|04"),
        ("CABG6/955", "CABG6|/|955"),
        ("CABG16/95", "CABG16|/|95"),
        ("CABG6-95", "CABG6|-|95"),
        ("x76221", "x|76221"),
        ("x762211", "x762211"),
        ("x7622", "x7622"),
        ("X76221", "X76221"),
        ("X1-1335", "X|1|-|1335"),
        ("x1-1335", "x1|-|1335"),
        ("X1-13355", "X1|-|13355"),
        ("X11-1335", "X11|-|1335"),
        ("47798497-045-1949", "47798|497|-|045|-|1949"),
        ("497-045-1949", "497|-|045|-|1949"),
        ("7798497-045-1949", "7798497|-|045|-|1949"),
        ("47798497-045-19491", "47798497|-|045|-|19491"),
        ("ALMarital", "AL|Marital"),
        ("ALM", "ALM"),
        ("ALMa", "ALMa"),
        ("AlMarital", "AlMarital"),
        ("34712RadiologyExam", "34712|RadiologyExam"),
        ("64y", "64y"),
        ("64yo", "64|yo"),
        ("JaffreyMarital", "Jaffrey|Marital"),
        ("McDonald", "McDonald"),
        ("HbA1c", "HbA1c"),
        # Once a token, by the first pattern: the next one would part "RadiologyExam" too.
        ("34712RadiologyExam 01RadiologyExam", "34712|RadiologyExam|01|RadiologyExam"),
        ("JaffreyMaritalStatus", "Jaffrey|MaritalStatus"),
        ("ALMaritalStatus", "AL|MaritalStatus"),
        ("ALMarital01/26/2098", "ALMarital|01|/|26|/|2098"),
        # Punctuation.
        ("2106-02-12", "2106|-|02|-|12"),
        ("Sergio-Steven", "Sergio|-|Steven"),
        ('a"b,c:d;e#f*g-h=i/j', 'a|"|b|,|c|:|d|;|e|#|f|*|g|-|h|=|i|/|j'),
        ("a<b>[c]{d}", "a|<|b|>|[|c|]|{|d|}"),
        ("jdoe@x.org 3.5 O'Brien", "jdoe@x.org|3.5|O'Brien"),
        # Other scripts, and marks.
        ("MartínezÁlvarez", "Martínez|Álvarez"),
        ("Jose\u0301Marital", "Jose\u0301|Marital"),
        ("-\u0301x", "-\u0301|x"),
    ],
)
def test_wi_deid(text: str, tokens: str) -> None:
    assert cut("wi-deid", text) == tokens
    around = f"({text}) 🙂 "
    assert cut("wi-deid", around) == f"(|{tokens}|)|🙂"


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Mr. Valdez's 45-year-old.", "Mr|.|Valdez|'s|45-year-old|."),
        ("MARY'S s' 's 'so'", "MARY|'S|s|'|'s|'|so|'"),
        ("PO/5mg, 5% (784) 032-8966", "PO/5mg|,|5|%|(|784|)|032-8966"),
        ("Since6/03/04; ALMarital!", "Since6/03/04|;|ALMarital|!"),
        ("2001--2003 ... a_b a@b.c", "2001|-|-|2003|.|.|.|a_b|a@b.c"),
        ('"f(x)"a"b[1]', '"|f|(|x|)|"|a|"|b|[|1|]'),
        ("\u0301\u0301 a\u200d\nb", "\u0301\u0301|a\u200d|b"),
        ("", ""),
        (" \n\t", ""),
        ("\x00\ud800", "\x00|\ud800"),
    ],
)
def test_words(text: str, tokens: str) -> None:
    assert cut("word", text) == tokens


@given(st.text(st.sampled_from("abAB10/-.,'s \n"), max_size=30))
def test_wi_deid_only_parts_words(text: str) -> None:
    tokens = tokenize_documents([text])
    coarse, finer = SEGMENTATIONS["word"]([text], tokens), SEGMENTATIONS["wi-deid"]([text], tokens)
    assert set(coarse.starts.tolist()) <= set(finer.starts.tolist())
    assert set(coarse.ends.tolist()) <= set(finer.ends.tolist())


@given(st.text(st.sampled_from("abAB10/-.,'s "), max_size=20))
def test_a_word_is_cut_alike_wherever_it_stands(text: str) -> None:
    for layer in ("word", "wi-deid"):
        alone = cut(layer, text)
        assert cut(layer, f"\n{text}\n") == alone
        inside = cut(layer, f"He left. {text} Dr. X").split("|")[3:-3]
        assert inside == (alone.split("|") if alone else [])
