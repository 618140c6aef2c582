"""CoNLL-U: words, their places in the text, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.auxiliary.conllu import parse_conllu
from scrubline.models.corpora import CorpusError

from .small import UD


def row(number, form, upos="X", xpos="_", misc="_"):
    return f"{number}\t{form}\t_\t{upos}\t{xpos}\t_\t_\t_\t_\t{misc}\n"


def words(sentence):
    return [sentence.text[s:e] for s, e in zip(sentence.starts, sentence.ends, strict=True)]


def test_words_have_their_places_and_tags():
    first, second, third = parse_conllu(UD.encode())
    assert first.text == "The old nurse didn't sleep."
    assert words(first) == ["The", "old", "nurse", "did", "n't", "sleep", "."]
    assert first.xpos == ("DT", "JJ", "NN", "VBD", "RB", "VB", ".")
    assert second.upos == ("PRON", "VERB", "NUM", "NOUN", "PUNCT")
    assert words(third) == ["The", "young", "doctor", "slept"]  # the file ends without a blank line


@pytest.mark.parametrize(
    ("content", "text", "expected"),
    [
        (row(1, "a") + row(2, "b", misc="SpaceAfter=No") + row(3, "."), "a b.", ["a", "b", "."]),
        (row(1, "a", misc="X=1|SpaceAfter=No") + row(2, "b"), "ab", ["a", "b"]),
        # Words that are not the letters of their token share it by length.
        (row("1-2", "du") + row(1, "de") + row(2, "le"), "du", ["d", "u"]),
        (row("1-2", "wanna") + row(1, "want") + row(2, "to"), "wanna", ["wan", "na"]),
        (row("1-2", "gonna", misc="SpaceAfter=No") + row(1, "gon") + row(2, "na") + row(3, "!"),
         "gonna!", ["gon", "na", "!"]),
        (row("1", "a") + row("1.1", "gone") + row("2", "b"), "a b", ["a", "b"]),
        (row("1", "2 000") + row("2", "m"), "2 000 m", ["2 000", "m"]),
        ("# text = a   b \r\n" + row(1, "a") + row(2, "b"), "a   b", ["a", "b"]),
    ],
)  # fmt: skip
def test_texts_are_rebuilt(content, text, expected):
    (sentence,) = parse_conllu(content.encode())
    assert (sentence.text, words(sentence)) == (text, expected)


def test_an_underscore_is_no_tag_and_line_ends_may_be_crlf():
    (sentence,) = parse_conllu(("\ufeff" + row(1, "a", "_", "_")).replace("\n", "\r\n").encode())
    assert (sentence.upos, sentence.xpos) == (("",), ("",))


@pytest.mark.parametrize(
    ("content", "fault", "line"),
    [
        (row(1, "a") + "2\tb\n", "BadColumns", 2),
        (row("x", "secret"), "BadColumns", 1),
        (row(1, ""), "BadColumns", 1),
        ("# text = secret\n" + row(1, "other"), "SpanTextsDiffer", 1),
        ("\n\n# text = a secret\n" + row(1, "a"), "SpanTextsDiffer", 3),
        ("# text = ab\n" + row(1, "abc"), "SpanTextsDiffer", 1),
        (b"a\n\xff", "BadUtf8", 2),
    ],
)
def test_what_is_not_conllu_is_refused_without_its_words(content, fault, line):
    data = content if isinstance(content, bytes) else content.encode()
    with pytest.raises(CorpusError) as caught:
        parse_conllu(data)
    assert (caught.value.fault, caught.value.line) == (fault, line)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"# text = nothing\n\n"])
def test_nothing_is_no_sentence(content):
    assert parse_conllu(content) == []


TOKEN = st.text(st.sampled_from("abé🙂'"), min_size=1, max_size=5)


@given(tokens=st.lists(st.tuples(TOKEN, st.booleans(), st.lists(TOKEN, min_size=2, max_size=3))))
def test_words_lie_in_order_in_the_text(tokens):
    lines, number = [], 0
    for form, whole, inner in tokens:
        if whole:
            number += 1
            lines.append(row(number, form))
        else:
            lines.append(row(f"{number + 1}-{number + len(inner)}", form))
            for word in inner:
                number += 1
                lines.append(row(number, word))
    for sentence in parse_conllu("".join(lines).encode()):
        bounds = [b for pair in zip(sentence.starts, sentence.ends, strict=True) for b in pair]
        assert bounds == sorted(bounds)
        assert bounds[0] == 0 and bounds[-1] == len(sentence.text)
        assert len(sentence.upos) == len(sentence.starts) == number
