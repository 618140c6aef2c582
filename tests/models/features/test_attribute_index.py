"""Attributes found by the extension: those that the strings lead to, for every declaration."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import os
import random
import signal
import subprocess
import sys
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.features import (
    CharacterClass,
    Elsewhere,
    Feature,
    Frequency,
    Gazetteer,
    Section,
    Sentence,
    Tag,
    Word,
    at,
    known_words,
    together,
)
from scrubline.models.features.attribute_index import AttributeIndex
from scrubline.models.features.base import Column, Items, Property, one_each, several_each
from scrubline.models.features.featurizing import featurize
from scrubline.models.features.gazetteer import PhraseIndex, gazetteer_from_phrases
from scrubline.models.features.sentence import ASPECTS
from scrubline.models.native import extension
from scrubline.models.recipes import DECLARATIONS, Learner, TaggerRecipe, recipe_in
from scrubline.models.text.segmentations import SEGMENTATIONS
from scrubline.models.text.tokenizer import tokenize_documents

from ...examples import examples
from ...waiting import GUARD_SECONDS

NATIVE = extension()
pytestmark = [
    pytest.mark.skipif(NATIVE is None, reason="the native extension is not built here"),
    pytest.mark.usefixtures("piece"),
]

TEXTS = (
    "Family History: Dr. Ada Lovelace (MRN 12-345) of New York\nwas seen on 3/4/2012.",
    '"PO/5mg" for 45-year-old Ada\n\nMr. X | \\ [0]=y',
    None,
    "",
    "DOB: 3/4/61\nName: ADA LOVELACE\nnew york city, new york state; Brown sputum",
)
PHRASES = {
    "places": (["New York", "New York City", "York", "Ada"], None),
    "people": (["Ada", "Ada Lovelace", "ADA", "Brown"], [3, 40, 2, 900]),
    "nothing": ([], None),
}


def tagger(features: tuple[Feature, ...], layer: str, sequence: str = "line") -> TaggerRecipe:
    return TaggerRecipe(layer, sequence, features, "BIO", Learner("lbfgs"), max_sequence=30)


def compared(recipe: TaggerRecipe, texts, seed: int) -> int:
    """Checks the ids of all items for a model of some of the attributes; gives their number."""
    tokens = tokenize_documents(texts)
    names = sorted(recipe.needs("gazetteer"))
    lists = {name: list(PHRASES.values())[place % 3] for place, name in enumerate(names)}
    clusters = {name: {"Ada": "0101", "of": "0", "ada": "11"} for name in recipe.needs("cluster")}
    tags = {name: ["NN", ""] * len(tokens) for name in recipe.needs("tag")}
    tags = {name: column[: len(tokens)] for name, column in tags.items()}
    gazetteers = {
        name: gazetteer_from_phrases(phrases, recipe.layer, weights)
        for name, (phrases, weights) in lists.items()
    }
    strings = featurize(texts, tokens, recipe, gazetteers, tags, clusters=clusters)
    rng = random.Random(seed)
    known = [name for name in strings.attributes if rng.random() < 0.7]
    known += ["bias", "w[0]=", "no[0]=such|thing[1]=here", "w[0]=a|w[0]=b"]
    rng.shuffle(known)
    numbers = {name: number for number, name in enumerate(known)}
    phrases = PhraseIndex(lists, recipe.layer, NATIVE)
    index = AttributeIndex(recipe, known, NATIVE, phrases=phrases, clusters=clusters)
    found = index.featurize(texts, tokens, tags)
    # Its words are known from now on.
    again = index.featurize(texts, tokens, tags)
    assert (again.attribute_ids == found.attribute_ids).all()
    assert (again.item_offsets == found.item_offsets).all()
    if index.arrays is not None:
        kept = AttributeIndex.opened(recipe, index.arrays, NATIVE).featurize(texts, tokens, tags)
        assert (kept.attribute_ids == found.attribute_ids).all()
        assert (kept.item_offsets == found.item_offsets).all()
    for name in ("starts", "ends", "sequence_offsets", "document_offsets"):
        assert (getattr(found, name) == getattr(strings, name)).all()
    for item in range(len(strings.starts)):
        low, high = strings.item_offsets[item : item + 2]
        wanted = [strings.attributes[i] for i in strings.attribute_ids[low:high]]
        low, high = found.item_offsets[item : item + 2]
        ids = found.attribute_ids[low:high].tolist()
        assert sorted(ids) == sorted(numbers[name] for name in wanted if name in numbers)
    return len(found.attribute_ids)


@pytest.mark.parametrize("layer", list(SEGMENTATIONS))
@pytest.mark.parametrize("name", DECLARATIONS)
def test_every_declaration_compiles_and_finds_the_same(name, layer):
    for sequence in ("line", "document"):
        assert compared(tagger(DECLARATIONS[name], layer, sequence), TEXTS, 1) > 100


SENTENCES = (
    'He said "no (not now". She asked «why? Then) nothing]. {Done [all] (so)}!\n"" ok',
    None,
    "\n\n",
    'Plan:\n“Rest” (3/4. Allergies: none ) ( "\n([{}])) .' + " word" * 40 + "? (" + "[" * 70,
    "a",
)


@pytest.mark.parametrize("layer", list(SEGMENTATIONS))
def test_what_is_known_by_fine_token_is_the_same(layer):
    """Sentences, sections and tags: the extension goes by the token that an item begins in."""
    features = tuple(
        feature
        for each in (*(Sentence(aspect) for aspect in ASPECTS), Section(), Tag("pos"), Tag("ner"))
        for feature in at(each, -1, 0, 2)
    )
    pairs = (together((Tag("pos"), -1), (Sentence("quoted"), 0), (Section(), 1)),)
    for sequence in ("line", "sentence", "document"):
        assert compared(tagger(features + pairs, layer, sequence), SENTENCES, 3) > 100
        assert compared(tagger(at(Tag("pos"), 0), layer, sequence), SENTENCES, 4) > 5


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_default_of_each_language_finds_the_same(language):
    assert compared(recipe_in("default", language).taggers[0], TEXTS, 2) > 1000


@dataclasses.dataclass(frozen=True, slots=True)
class Backwards(Property):
    """A kind that the extension does not know: the word from its end, by word or with its tag."""

    KIND: ClassVar[str] = "backwards"

    tagged: bool = False

    @property
    def key(self) -> str:
        return f"back{self.tagged:d}"

    @property
    def many(self) -> bool:
        return self.tagged

    @property
    def needs(self) -> tuple[tuple[str, str], ...]:
        return (("tag", "pos"),)

    def column(self, items: Items) -> Column:
        if not self.tagged:
            return one_each((word[::-1] for word in items.words), by_word=True)
        texts = [items.words[word][::-1] for word in items.word_ids.tolist()]
        known = items.tags["pos"]
        tags = [known[at] if at >= 0 else "" for at in items.anchors.tolist()]
        rows = zip(texts, tags, strict=True)
        return several_each(((text, f"{text}.{tag}") for text, tag in rows), by_word=False)


CLASSES = CharacterClass(("ALPHA", "INITCAPS", "HASDIGIT"))
EVERY_WAY = (
    *at(Word(), -2, 0, 3),
    *at(CLASSES, -1, 0),
    *at(Elsewhere(), 0, 1),
    *at(Gazetteer("places", "bioes"), 0),
    *at(Frequency("people"), -1, 0),
    together((Word(fold=True), -1), (CLASSES, 0), (Word(), 1)),
    together((Elsewhere(), -1), (Frequency("people"), 0)),
    together((Frequency("people"), 0), (Word(), 0)),
)
IN_PYTHON = (
    *at(Word(), 0, 1),
    *at(Backwards(), -1, 0),
    *at(Backwards(tagged=True), 0),
    together((Backwards(), 1), (Elsewhere(), 0)),
    together((Backwards(tagged=True), -1), (Word(), 0)),
)
WORDS = st.sampled_from(
    ["Ada", "ada", "New", "York", "City", "Name", ":", "3/4", "é", "🙂"]
    + ["\n", "\r\n", "|", "\\", "=", "\x00", "\ud800", " "]
)


@examples(100)
@given(
    texts=st.lists(st.one_of(st.none(), st.lists(WORDS, max_size=12).map(" ".join)), max_size=4),
    layer=st.sampled_from(list(SEGMENTATIONS)),
    seed=st.integers(0, 5),
)
def test_any_text_finds_the_same(texts, layer, seed):
    compared(tagger(EVERY_WAY, layer), texts, seed)
    compared(tagger(IN_PYTHON, layer), texts, seed)


@pytest.mark.parametrize("layer", list(SEGMENTATIONS))
def test_columns_made_in_python_are_kept_and_cut_like_all_others(layer):
    recipe = tagger(IN_PYTHON, layer)
    phrases = PhraseIndex({}, layer, NATIVE)
    index = AttributeIndex(recipe, ["w[0]=Ada"], NATIVE, phrases=phrases, clusters={})
    assert (index.arrays is not None) is (layer != "character")
    assert compared(recipe, TEXTS, 3) > 100


def test_words_that_never_come_again_do_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr(known_words, "_MOST_WORDS", 50)
    recipe = tagger((*at(Word(), -1, 0), *at(Word(fold=True), 0)), "fine")
    known = ["w[0]=Ada", "w[-1]=Ada", "lower[0]=ada", "w[0]=aaa", "w[-1]=aab"]
    phrases = PhraseIndex({}, "fine", NATIVE)
    index = AttributeIndex(recipe, known, NATIVE, phrases=phrases, clusters={})
    for round_ in range(20):
        words = [f"a{chr(97 + round_)}{chr(97 + n)}" for n in range(26)]
        text = " Ada ".join(words * 3)
        tokens = tokenize_documents([text])
        strings = featurize([text], tokens, recipe, {})
        found = index.featurize([text], tokens, {})
        wanted = sorted(
            known.index(strings.attributes[i])
            for i in strings.attribute_ids
            if strings.attributes[i] in known
        )
        assert sorted(found.attribute_ids.tolist()) == wanted
        batch = index._places_in([text], tokens)
        _, folded, _ = index._words.of(batch, np.empty(len(batch.starts), I64))
        assert folded <= 50 + 27


@pytest.mark.parametrize(
    "weights", [[(1 << 53) - 1, 3, 5], [1 << 31, 1 << 32, 7], [(1 << 31) - 1, 5, 0]]
)
def test_weights_of_any_size_are_those_of_the_trie(weights):
    phrases = ["ada", "ada lovelace", "ADA"]
    recipe = tagger(at(Frequency("people", most=60), 0), "fine")
    trie = gazetteer_from_phrases(phrases, "fine", weights)
    text = "ada, ada lovelace"
    tokens = tokenize_documents([text])
    strings = featurize([text], tokens, recipe, {"people": trie})
    index = AttributeIndex(
        recipe,
        strings.attributes,
        NATIVE,
        phrases=PhraseIndex({"people": (phrases, weights)}, "fine", NATIVE),
        clusters={},
    )
    found = index.featurize([text], tokens, {})
    assert found.attribute_ids.tolist() == strings.attribute_ids.tolist()


SHORT_OF_MEMORY = """
import resource, sys
from scrubline.models.features import Word, at
from scrubline.models.features.featurizing import featurize
from scrubline.models.features.gazetteer import PhraseIndex
from scrubline.models.features.attribute_index import AttributeIndex
from scrubline.models.native import extension
from scrubline.models.recipes import Learner, TaggerRecipe
from scrubline.models.text.tokenizer import tokenize_documents

recipe = TaggerRecipe(
    "fine", "line", (*at(Word(), -1, 0), *at(Word(fold=True), 0)), "BIO", Learner("lbfgs")
)
text = "Dr Ada Lovelace met Bo Ek and Cy Oh in New York"
tokens = tokenize_documents([text])
known = sorted(featurize([text], tokens, recipe, {}).attributes)
phrases = PhraseIndex({}, "fine", extension())
index = AttributeIndex(recipe, known, extension(), phrases=phrases, clusters={})
wanted = index.featurize([text], tokens, {}).attribute_ids.tolist()
letters = "abcdefghij"
large = " ".join(a + b + c + d + e for a in letters for b in letters for c in letters
                 for d in letters for e in letters)
batch = [large, text], tokenize_documents([large, text], sentences=False)
unlimited = resource.getrlimit(resource.RLIMIT_AS)
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
short = 0
for more in range(0, 60_000_000, 1_500_000):
    resource.setrlimit(resource.RLIMIT_AS, (size + more, unlimited[1]))
    try:
        index.featurize(*batch, {})
    except MemoryError:
        short += 1
    finally:
        resource.setrlimit(resource.RLIMIT_AS, unlimited)
    assert index.featurize([text], tokens, {}).attribute_ids.tolist() == wanted
print(short)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
@pytest.mark.skipif("sanitized" in str(NATIVE), reason="sanitizers need all addresses")
@pytest.mark.slow
def test_memory_that_is_short_leaves_no_word_with_a_row_of_another():
    """Or a name would stay, silently, in all notes to come."""
    child = subprocess.run(
        [sys.executable, "-c", SHORT_OF_MEMORY],
        capture_output=True,
        text=True,
        timeout=GUARD_SECONDS,
    )
    assert child.returncode == 0, child.stderr
    assert int(child.stdout) > 0


def test_the_child_of_a_fork_does_not_wait_for_a_lock_that_nobody_holds():
    recipe = tagger(at(Word(), 0), "fine")
    index = AttributeIndex(
        recipe, ["w[0]=Ada"], NATIVE, phrases=PhraseIndex({}, "fine", NATIVE), clusters={}
    )
    tokens = tokenize_documents(["Ada"])
    with index._words._lock:
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            found = index.featurize(["Ada"], tokens, {}).attribute_ids.tolist()
            os._exit(0 if found == [0] else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_many_threads_see_the_same(monkeypatch):
    monkeypatch.setattr(known_words, "_MOST_WORDS", 40)
    recipe = tagger((*at(Word(), -1, 0), *at(Word(fold=True), 0)), "fine")
    texts = [" ".join(f"w{chr(97 + i)}{chr(97 + j)}" for j in range(26)) for i in range(26)]
    batches = [(text, tokenize_documents([text])) for text in texts]
    known = sorted({a for t, k in batches for a in featurize([t], k, recipe, {}).attributes})
    index = AttributeIndex(
        recipe, known, NATIVE, phrases=PhraseIndex({}, "fine", NATIVE), clusters={}
    )
    wanted = [
        [known.index(s.attributes[i]) for i in s.attribute_ids]
        for s in (featurize([text], tokens, recipe, {}) for text, tokens in batches)
    ]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda b: index.featurize([b[0]], b[1], {}), batches * 4)
        assert [f.attribute_ids.tolist() for f in found] == wanted * 4


def test_what_has_no_room_in_a_key_is_refused_by_name():
    feature = together(*((Word(), offset) for offset in range(-3, 5)))
    recipe = tagger((feature,), "fine")
    many = ["|".join(f"w[{offset}]=v{number}" for offset in range(-3, 5)) for number in range(300)]
    phrases = PhraseIndex({}, "fine", NATIVE)
    with pytest.raises(UsageError, match=r"w\[-3\].*cannot be compiled.*72 bits"):
        AttributeIndex(recipe, many, NATIVE, phrases=phrases, clusters={})


def test_texts_and_tokens_must_agree():
    phrases = PhraseIndex({}, "fine", NATIVE)
    index = AttributeIndex(tagger(at(Word(), 0), "fine"), [], NATIVE, phrases=phrases, clusters={})
    with pytest.raises(ValueError, match="2 texts, tokens of 1"):
        index.featurize(["a", "b"], tokenize_documents(["a"]), {})


# -- the extension itself -------------------------------------------------------------------------

I32, I64 = np.int32, np.int64
INDEX = {
    "parts": np.array([[0, 0, 0, 2], [1, 0, -1, 2], [2, 0, 1, 2]], I32),
    "lookups": np.array([[0, 1, 0, 2], [0, 2, 0, 1], [2, 1, 0, 2]], I64),
    "singles": np.array([5, -1], I32),
    "keys": np.array([0b0101], np.uint64),
    "rows": np.array([7], I32),
    "before_words": np.array([-1], I32),
    "after_words": np.array([-1], I32),
    "before_items": np.array([1], I32),
    "after_items": np.array([-1], I32),
    "before_many": np.array([-1], I32),
    "after_many": np.array([0], I32),
}
SHARED = np.array([0, 1, 2], I64)
BATCH = {
    "words": np.array([[0], [1]], I32),
    "stride": 1,
    "items": np.array([[1], [-1]], I32),
    "word_ids": np.array([0, 1], I64),
    "sequence_offsets": np.array([0, 2], I64),
    "many": ((np.array([0, 1], I32), np.array([0, 1, 2], I64), -1),),
    "item_offsets": np.zeros(3, I64),
}


def test_an_index_by_hand():
    index = NATIVE.open_index(*INDEX.values())
    batch = {**BATCH, "item_offsets": np.zeros(3, I64)}
    found = np.frombuffer(NATIVE.featurize(index, *batch.values()), I32)
    # Item 0: its word is 0 -> 5. Item 1: its word 1 is none alone, with item 0's 1 it is 7; behind
    # it the many are 0 -> 5.
    assert found.tolist() == [5, 7, 5]
    assert batch["item_offsets"].tolist() == [0, 1, 3]


@pytest.mark.parametrize(
    "changes",
    [
        {"parts": np.array([[3, 0, 0, 2]] * 3, I32)},
        {"parts": np.array([[0, 1, 0, 2]] * 3, I32)},
        {"parts": np.array([[0, 0, 33, 2]] * 3, I32)},
        {"parts": np.array([[0, 0, 0, 0]] * 3, I32)},
        {"parts": np.array([[0, 0, 0, 32]] * 3, I32)},
        {"parts": b"123"},
        {"lookups": np.array([[3, 1, 0, 2]], I64)},
        {"lookups": np.array([[2**63 - 1, 1, 0, 1]], I64)},
        {"lookups": np.array([[0, 1, 2**63 - 1, 1]], I64)},
        {"lookups": np.array([[0, 2, 2**63 - 1, 1]], I64)},
        {"parts": np.array([[0, 0, -(2**31), 2]] * 3, I32)},
        {"lookups": np.array([[0, 9, 0, 2]], I64)},
        {"lookups": np.array([[0, 0, 0, 2]], I64)},
        {"lookups": np.array([[0, 1, 1, 2]], I64)},
        {"lookups": np.array([[0, 2, 1, 1]], I64)},
        {"lookups": np.array([[-1, 1, 0, 1]], I64)},
        {"rows": np.array([-7], I32)},
        {"rows": np.array([], I32)},
        {"before_words": np.array([], I32)},
    ],
)
def test_what_is_no_index_is_refused(changes):
    with pytest.raises(ValueError, match="open_index|parts"):
        NATIVE.open_index(*{**INDEX, **changes}.values())


@pytest.mark.parametrize(
    "changes",
    [
        {"words": np.array([[0]], I32)},
        {"items": np.array([[0]], I32)},
        {"word_ids": np.array([0, 2], I64)},
        {"word_ids": np.array([0, -1], I64)},
        {"sequence_offsets": np.array([0, 3], I64)},
        {"sequence_offsets": np.array([0, 1], I64)},
        {"many": ()},
        {"stride": 0},
        {"stride": 2},
        {"many": ((np.array([0, 1], I32), np.array([0, 1, 2], I64), 1),)},
        {"many": ((np.array([0, 1], I32), np.array([0, 1], I64), -1),)},
        {"many": ((np.array([0, 1], I32), np.array([0, 2], I64), 0),)},
        {"many": ((np.array([0, 1], I32), np.array([0, 3, 2], I64), -1),)},
        {"item_offsets": np.zeros(2, I64)},
        {"sequence_offsets": SHARED, "item_offsets": SHARED},
    ],
)
def test_what_is_no_batch_is_refused(changes):
    index = NATIVE.open_index(*INDEX.values())
    with pytest.raises(ValueError, match="featurize: the arrays"):
        NATIVE.featurize(index, *{**BATCH, **changes}.values())


def test_what_are_no_phrases_is_refused():
    good = [
        np.array([0, 1], I32),
        np.array([0, 2], I64),
        np.array([0], I32),
        np.array([0], I64),
        2,
        1,
    ]
    phrases = NATIVE.open_phrases(*good)
    bad = [
        (0, np.array([0, 2], I32)),
        (0, np.array([0, -1], I32)),
        (1, np.array([0, 0, 2], I64)),
        (1, np.array([0, 1], I64)),
        (2, np.array([1], I32)),
        (3, np.array([], I64)),
        (3, np.array([-1], I64)),
        (3, np.array([(1 << 53) + 1], I64)),
        (4, -1),
        (5, -1),
    ]
    for place, value in bad:
        with pytest.raises(ValueError, match="open_phrases"):
            NATIVE.open_phrases(*[value if i == place else one for i, one in enumerate(good)])
    empty_phrase = [np.zeros(0, I32), np.array([0, 0], I64), *good[2:]]
    with pytest.raises(ValueError, match="open_phrases"):
        NATIVE.open_phrases(*empty_phrase)
    for words, bounds in (([2], [0, 1]), ([-2], [0, 1]), ([0], [0, 2]), ([0], [])):
        with pytest.raises(ValueError, match="match_phrases"):
            NATIVE.match_phrases(phrases, np.array(words, I32), np.array(bounds, I64))
