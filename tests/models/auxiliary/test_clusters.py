"""Clusters: words that have the same neighbours have one code, and the same one twice."""

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.auxiliary.base import LONGEST_CODE
from scrubline.models.auxiliary.brown import _Bigrams, _Window, brown_codes, train_brown
from scrubline.models.auxiliary.word2vec import train_word2vec
from scrubline.models.auxiliary.words import count_words, score_clusters
from scrubline.models.core.errors import UsageError

from ...examples import examples
from ...waiting import GUARD_SECONDS
from .small import NOTES, OURS, brown

# -- words


def test_words_are_numbered_by_how_often_they_occur():
    words = count_words(["b a. A b\n\nB c", "", "a"])
    assert words.vocabulary == ("a", "b", ".", "c")
    assert words.counts.tolist() == [3, 3, 1, 1]
    assert words.surfaces == {"b": 1, "a": 0, ".": 2, "A": 0, "B": 1, "c": 3}
    assert words.running.tolist() == [1, 0, 2, 0, 1, 1, 3, 0]
    assert words.texts == 3
    bounds = words.sentences.tolist()
    assert bounds[0] == 0 and bounds[-1] == 8 and bounds == sorted(set(bounds))
    assert 7 in bounds  # a text begins a sentence


@pytest.mark.parametrize(
    ("options", "vocabulary", "running"),
    [
        ({"fold": False}, ("a", "b", "A", "B"), [0, 2, 0, 1, 3, 1]),
        ({"most": 1}, ("a",), [0, 0, 0, -1, -1, -1]),
        ({"least_count": 4}, (), [-1] * 6),
    ],
)
def test_rare_words_have_no_number(options, vocabulary, running):
    words = count_words(["a A a b B b"], **options)
    assert (words.vocabulary, words.running.tolist()) == (vocabulary, running)


@pytest.mark.parametrize("texts", [[], [""], ["\n \n"]])
def test_no_words(texts):
    words = count_words(texts)
    assert words.vocabulary == () and words.sentences.tolist() == [0]


# -- Brown


def information(pairs, sizes, groups):
    """Mutual information of neighbours times N, without the part that merging does not change."""
    table = np.array([[pairs[np.ix_(a, b)].sum() for b in groups] for a in groups], float)
    size = np.array([sizes[group].sum() for group in groups], float)
    with np.errstate(divide="ignore", invalid="ignore"):
        cells = table * np.log(table / np.outer(size, size))
    return np.nansum(np.where(table > 0, cells, 0.0))


def pairs_of(words):
    size = len(words.vocabulary)
    pairs = np.zeros((size, size), np.int64)
    for begin, end in itertools.pairwise(words.sentences.tolist()):
        for left, right in itertools.pairwise(words.running[begin:end].tolist()):
            if left >= 0 and right >= 0:
                pairs[left, right] += 1
    return pairs


@given(
    text=st.lists(st.sampled_from("abcdefg"), min_size=6, max_size=60).map(" ".join),
    merges=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=4),
)
@examples(60)
def test_costs_are_what_merging_takes_off_the_information(text, merges):
    words = count_words([text])
    size = len(words.vocabulary)
    pairs, counts = pairs_of(words), words.counts
    state = _Window(size, _Bigrams(words))
    for word in range(size):
        state.add(word, int(counts[word]))
    for one, other in merges:
        slots = [slot for slot, _ in state.clusters()]
        if len(slots) > 2 and one % len(slots) != other % len(slots):
            state.merge(slots[one % len(slots)], slots[other % len(slots)])
    clusters = state.clusters()
    whole = information(pairs, counts, [members for _, members in clusters])
    costs = state.costs()
    for (slot, members), (other, others) in itertools.combinations(clusters, 2):
        rest = [m for s, m in clusters if s not in (slot, other)]
        less = information(pairs, counts, [*rest, members + others])
        assert costs[slot, other] == pytest.approx(whole - less, abs=1e-3)


def test_words_in_the_same_places_are_in_one_cluster():
    codes = brown().clusters
    assert codes["man"] == codes["woman"] and codes["fish"] == codes["bread"]
    assert codes["ate"] == codes["saw"] and codes["the"] == codes["The"] == codes["a"]


def test_codes_are_the_leaves_of_one_binary_tree():
    texts = [" ".join("abcdefghij"[(i * j) % 10] for i in range(1, 30)) for j in range(1, 40)]
    words = count_words(texts)
    codes = brown_codes(words, 6)
    leaves = set(codes)
    assert len(leaves) == 6
    # Of a full tree: no leaf is above another, and 2^-depth adds up to 1.
    assert not any(a != b and b.startswith(a) for a in leaves for b in leaves)
    assert sum(2.0 ** -len(leaf) for leaf in leaves) == 1.0


def test_fewer_words_than_clusters_are_each_their_own():
    codes = brown_codes(count_words(["a b c a b"]), 50)
    assert len(set(codes)) == 3
    assert brown_codes(count_words(["a a"]), 2) == [""]


def test_codes_are_cut_and_cover_all_forms():
    model = train_brown(["x y z X q r"] * 2, origin=OURS, clusters=3, vocabulary=4)
    assert set(model.clusters) == {"x", "X", "y", "q", "r"}
    assert all(set(c) <= {"0", "1"} and len(c) <= LONGEST_CODE for c in model.clusters.values())


def test_the_same_texts_give_the_same_bytes():
    assert train_brown(NOTES, origin=OURS, clusters=4).files == brown().files


def test_progress_ends_with_all_steps():
    told = []
    train_brown(NOTES, origin=OURS, clusters=4, progress=lambda step, of: told.append((step, of)))
    assert told[0][0] == 0 and told[-1][0] == told[-1][1] > 0


@pytest.mark.parametrize(
    "options",
    [{"clusters": 1}, {"clusters": 9, "vocabulary": 8}, {"least_count": 0}, {"clusters": 5_000}],
)
def test_numbers_out_of_range_are_refused(options):
    with pytest.raises(UsageError, match="brown: clusters must be 2 to"):
        train_brown(NOTES, origin=OURS, **options)


@pytest.mark.parametrize("texts", [[], [""], ["a a a"], ["a b c"]])
def test_too_few_words_are_refused(texts):
    with pytest.raises(UsageError, match="fewer than two words"):
        train_brown(texts, origin=OURS)


def test_hostile_texts_are_clustered():
    texts = ["\ud800 a\0b \ud800 a\0b 🙂 🙂\r\n" * 3, "z" * 100_000 + " | " * 5]
    model = train_brown(texts, origin=OURS, clusters=2)
    assert "🙂" in model.clusters and "\ud800" not in model.clusters


# -- word2vec

SMALL = {"clusters": 3, "dimensions": 8, "epochs": 2, "least_count": 1}

HASH = (
    "from scrubline.models.auxiliary import origin_of\n"
    "from scrubline.models.auxiliary.word2vec import train_word2vec\n"
    f"texts, small = {NOTES!r}, {SMALL!r}\n"
    "print(train_word2vec(texts, origin=origin_of([''], licence='CC0'), **small).hash)"
)


@pytest.mark.slow
def test_vectors_are_the_same_in_every_process():
    pytest.importorskip("gensim", reason="the extra `clusters` is not installed")
    # PYTHONHASHSEED of this process is another, or none.
    found = subprocess.run(
        [sys.executable, "-c", HASH],
        env={**os.environ, "PYTHONHASHSEED": "12345"},
        capture_output=True,
        text=True,
        check=True,
        timeout=GUARD_SECONDS,
    )
    assert found.stdout.strip() == train_word2vec(NOTES, origin=OURS, **SMALL).hash


def test_clusters_of_vectors_are_numbered_from_the_frequent_words():
    pytest.importorskip("gensim", reason="the extra `clusters` is not installed")
    told = []
    model = train_word2vec(
        NOTES, origin=OURS, progress=lambda step, of: told.append((step, of)), **SMALL
    )
    assert set(model.clusters.values()) == {"0", "1", "2"}
    assert model.clusters["the"] == model.clusters["The"]
    first = count_words(NOTES).vocabulary[0]
    assert model.clusters[first] == "0"
    assert told == [(1, 2), (2, 2)]


@pytest.mark.parametrize("options", [{"clusters": 1}, {"epochs": 0}, {"window": 10**6}])
def test_numbers_out_of_range_are_refused_for_vectors(options):
    with pytest.raises(UsageError, match="word2vec: numbers must be"):
        train_word2vec(NOTES, origin=OURS, **options)


@pytest.mark.parametrize("module", ["gensim", "sklearn", "threadpoolctl"])
def test_a_missing_library_is_named_with_what_to_install(module, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError, match=r"pip install 'scrubline\[clusters\]'"):
        train_word2vec(NOTES, origin=OURS)


# -- coverage


def test_coverage_counts_running_words():
    scores = score_clusters({"a": "1", "b": "0"}, ["a A b", "c a\n"])
    assert scores == {"tokens": 5, "have a code": 0.6, "have a code, case-folded": 0.8}
    assert score_clusters({}, [])["have a code"] is None
