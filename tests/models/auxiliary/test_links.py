"""Links: recorded and learnt. What needs the parser is skipped where the system lacks it."""

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.auxiliary import link_grammar
from scrubline.models.auxiliary.link_grammar import PACKAGES, is_installed, open_parser
from scrubline.models.auxiliary.links import (
    parsed,
    score_learned,
    score_links,
    train_learned,
    train_links,
)
from scrubline.models.auxiliary.recorded_links import (
    MOST_TOKENS,
    digest_of,
    nearest_links,
    only_nearest,
    pack_links,
    rendered,
    sentences_of,
    unpack_links,
)
from scrubline.models.bundles.bundle import make_bundle
from scrubline.models.core.errors import BundleError, UsageError
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.recipes.stat_deid import stat_deid
from scrubline.models.text.tokenizer import tokenize_documents
from scrubline.models.training import train

from ...examples import examples
from .small import FEW, OURS, PERCEPTRON, links

needs_parser = pytest.mark.skipif(
    not is_installed(), reason=f"needs Link Grammar (Debian: {PACKAGES})"
)
TEXTS = [
    "The patient was seen by Dr. Smith on Monday.\nShe has no pain. Of of the the.",
    "The old nurse saw the doctor. The doctor was seen by the nurse.",
]


def column_of(*texts):
    return links().columns(texts, tokenize_documents([text or "" for text in texts]))


def test_tokens_of_a_recorded_sentence_have_their_links():
    assert column_of("the cat ran .") == [
        "\n\nDs cat\n\n",
        "Ds the\n\nSs ran\n\n",
        "Ss cat\n\n\n\n",
        "",
    ]
    assert column_of("He slept there.") == [
        "\n\nSs*m slept\nXp .\n",
        "Ss*m He\n\nMVp there\n\n",
        "MVp slept\n\n\n\n",
        "Xp He\n\n\n\n",
    ]


def test_a_sentence_that_is_not_recorded_has_no_links():
    assert set(column_of("The cat ran .", "", "the cat ran")) == {""}
    batch = column_of(None, "the cat ran .", "x")
    assert batch == [*column_of("the cat ran ."), ""]


def test_a_line_break_in_a_sentence_is_a_blank():
    (one,) = sentences_of(["a\nb\x0bc"], tokenize_documents(["a\nb\x0bc"], sentences=True))
    assert one[2] == "a b c"


def test_long_sentences_are_not_parsed():
    for text in ("word " * MOST_TOKENS, "x " * 8 + "y" * 1_100, "word " * 10 + "z" * 950):
        long = f"{text}word."
        assert [*sentences_of([long], tokenize_documents([long]))] == []


SENTENCES = st.integers(2, MOST_TOKENS).flatmap(
    lambda size: st.tuples(
        st.just(size),
        st.sets(
            st.tuples(st.integers(0, size - 2), st.integers(1, size - 1), st.sampled_from("ABC")),
            min_size=1,
            max_size=30,
        ).map(lambda links: tuple(sorted((a, b, n) for a, b, n in links if a < b))),
    )
)


@given(table=st.dictionaries(st.text(max_size=5).map(digest_of), SENTENCES, max_size=5))
@examples(100)
def test_links_are_unpacked_as_they_were_packed(table):
    kept = {digest: own for digest, own in table.items() if own[1]}
    assert unpack_links(pack_links(table)) == kept


@given(sentence=SENTENCES)
@examples(100)
def test_the_nearest_links_are_all_that_tokens_get(sentence):
    size, own = sentence
    words = [f"w{n}" for n in range(size)]
    assert rendered(only_nearest(own, size), words) == rendered(own, words)
    for token, (left, right) in enumerate(nearest_links(own, size)):
        distances = [token - own[place][0] for place in left]
        assert distances == sorted(distances) and len(left) <= 2 and len(right) <= 2
        assert all(own[place][1] == token for place in left)
        assert all(own[place][0] == token for place in right)


# -- never in a bundle

RECIPE = stat_deid(groups=("word", "syntactic bigrams"), links="recorded")
GOLD = [AnnotatedDocument("d", "the cat ran .", (Annotation(4, 7, "PATIENT"),))]


def test_a_bundle_cannot_hold_recorded_links():
    assert RECIPE.auxiliary == ("links",)
    with pytest.raises(UsageError, match="links is as sensitive as the notes"):
        train(RECIPE, GOLD, dictionaries={}, auxiliary={"links": links()}, name="linked-1")
    with pytest.raises(BundleError, match="links is as sensitive as the notes"):
        make_bundle(
            "linked-1", recipe=RECIPE, models={}, auxiliary={"links": links()}, dictionaries={}
        )


# -- with the parser


@needs_parser
def test_links_join_the_tokens_of_words():
    first, second, third = list(parsed(TEXTS[:1]))
    words = [first.text[s:e] for s, e in zip(first.starts, first.ends, strict=True)]
    named = {(words[a], words[b], name[0]) for a, b, name in first.links}
    assert {("patient", "was", "S"), ("The", "patient", "D"), ("by", "Smith", "J")} <= named
    assert second.links and third.links is None


@needs_parser
@pytest.mark.parametrize("text", ["\ud800 sleeps.", "a\0b sleeps.", "(" * 30, "é🙂 ﬁ.", "ß" * 900])
def test_hostile_sentences_have_links_between_their_tokens_or_none(text):
    for sentence in parsed([text]):
        for left, right, _ in sentence.links or ():
            assert 0 <= left < right < len(sentence.starts)


@needs_parser
@given(text=st.text(st.sampled_from("The cat's sat. ()\"'-$5%,é\0\x1b\ud800🙂\n"), max_size=60))
@examples(30)
def test_any_text_has_an_entry_a_token(text):
    for sentence in parsed([text]):
        rendered(sentence.links or (), ["w"] * len(sentence.starts))


@needs_parser
def test_the_same_texts_give_the_same_bytes_in_another_process():
    script = (
        "import json,sys\n"
        "from scrubline.models.auxiliary import origin_of\n"
        "from scrubline.models.auxiliary.links import train_links\n"
        "texts = json.loads(sys.stdin.read())\n"
        "print(train_links(texts, origin=origin_of([''], licence='CC0')).hash)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script],
        input=json.dumps(TEXTS),
        capture_output=True,
        text=True,
        check=True,
    )
    model = train_links(TEXTS, origin=OURS)
    assert ran.stdout.strip() == model.hash
    assert model.card["corpus"] == {
        **{"texts": 2, "sentences": 5, "sentences with a parse": 4, "words": 36},
        "distinct sentences kept": 4,
    }
    assert "as sensitive as the notes" in model.files["card.md"].decode()
    assert b"patient" not in b"".join(model.files.values())
    assert open_parser().version in model.card["parser"]
    assert score_links(model, TEXTS)["tokens"] == 36


@needs_parser
def test_links_are_learnt_as_tags():
    texts = TEXTS * 10
    for name, word, tag in (("linkleft", 3, "P"), ("linkright", 1, "S")):
        model = train_learned(texts, origin=OURS, name=name, declaration=FEW, learner=PERCEPTRON)
        again = train_learned(texts, origin=OURS, name=name, declaration=FEW, learner=PERCEPTRON)
        assert model.hash == again.hash
        text = "The patient was seen by Dr. Smith on Monday."
        assert model.columns([text], tokenize_documents([text]))[word].startswith(tag)
        assert score_learned(model, TEXTS)["accuracy"] > 0.9


@needs_parser
def test_texts_without_a_parse_are_refused():
    with pytest.raises(UsageError, match="no sentence"):
        train_links(["of of the the"], origin=OURS)
    with pytest.raises(UsageError, match="no tokens"):
        train_learned(["of of the the"], origin=OURS, name="linkleft")


def test_a_system_without_the_parser_is_told_how_to_get_it(monkeypatch):
    monkeypatch.setattr(link_grammar, "_library", lambda: None)
    with pytest.raises(UsageError, match="apt-get install liblink-grammar5"):
        link_grammar.LinkParser()
