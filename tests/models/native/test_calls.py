"""The extension's calls with arguments that do not fit: an error each time, and never a crash.

The arguments are those of real calls, with one of them changed at random.
"""

import array
import ctypes
import gc
import os
import platform
import random

import numpy as np
import pytest
from scrubline.models.auxiliary import cluster_tables
from scrubline.models.bundles.bundle import open_bundle
from scrubline.models.core.documents import Context, Document
from scrubline.models.crf.decoding import model_arrays
from scrubline.models.features import native_columns as compiling
from scrubline.models.features.attribute_index import AttributeIndex
from scrubline.models.features.gazetteer import PhraseIndex
from scrubline.models.native import extension
from scrubline.models.recognisers import casing as capitals
from scrubline.models.recognisers import matching, patterns, recognise_all
from scrubline.models.text import tokenizer as tokenizing

from ...growth import assert_within

NATIVE = extension()
pytestmark = pytest.mark.skipif(NATIVE is None, reason="the native extension is not built here")

TEXTS = [
    "Paciente: Luis Moyano García\nNacido el 3/5 o el 12/03/1961 en Vitoria-Gasteiz, NºCol 28",
    None,
    "",
    "Dra. Ana Ruiz. Tel. 91 345 67 89; a@b.es\r\n\r\nNombre: ANA\n" * 3,
]
ERRORS = (ValueError, TypeError, BufferError, OverflowError, MemoryError, IndexError)
CALLS = (
    *("open_characters", "tokenize", "open_merger", "merge", "arrange", "open_words", "intern"),
    *("open_places", "fill_places", "open_phrases", "match_phrases", "open_index", "featurize"),
    *("open_model", "decode", "open_prefilter", "scan", "join_windows"),
    *("open_vocabulary", "cut_words", "slices"),
    *("weigh", "sum_states", "open_trees", "label_trees", "grow_tree"),
)


class Recorder:
    """The extension, which remembers the arguments of the first call of each kind."""

    def __init__(self):
        self.calls = {}

    def __getattr__(self, name):
        call = getattr(NATIVE, name)

        def recorded(*args):
            self.calls.setdefault(name, []).append(args)
            return call(*args)

        return recorded


@pytest.fixture(scope="module", params=["meddocan-default", "meddocan-hide"])
def calls(request):
    recorder = Recorder()
    bundle = open_bundle(request.param)
    (recipe,) = bundle.recipe.taggers
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tokenizing, "extension", lambda: recorder)
        for cached in (tokenizing.characters_of, compiling.merger_of):
            patched.setattr(cached, "__wrapped__", cached.__wrapped__)
            cached.cache_clear()
        lists = {
            name: (one.phrases[:500], None if one.weights is None else one.weights[:500])
            for name, one in bundle.dictionaries.items()
            if name in recipe.needs("gazetteer")
        }
        phrases = PhraseIndex(lists, recipe.layer, recorder)
        model = bundle.models["token"]
        index = AttributeIndex(
            recipe,
            model.attributes,
            recorder,
            phrases=phrases,
            clusters=cluster_tables(bundle.auxiliary),
        )
        tokens = tokenizing.tokenize_documents(TEXTS, sentences=False)
        features = index.featurize(TEXTS, tokens, {})
        _, base, arrays = model_arrays(model)
        opened = recorder.open_model(*arrays)
        count = len(features.starts)
        recorder.decode(
            opened,
            base,
            features.attribute_ids,
            features.item_offsets,
            features.sequence_offsets,
            np.zeros(count, np.uint16),
            np.ones(count),
            np.ones(count),
            base,
            16.0,
        )
        index.weigh(opened)
        summed = index.featurize(TEXTS, tokens, {})
        recorder.decode(
            opened,
            base,
            summed.states,
            None,
            summed.sequence_offsets,
            np.zeros(count, np.uint16),
            np.ones(count),
            np.ones(count),
            base,
            16.0,
        )
        call_trees(recorder)
        # The rules' own calls.
        for module in (capitals, matching):
            patched.setattr(module, "extension", lambda: recorder)
        forget_rules()
        for text in filter(None, TEXTS):
            recognise_all(Document(text), Context(), ("date", "titled_name", "phone"))
    forget_rules()
    for cached in (tokenizing.characters_of, compiling.merger_of):
        cached.cache_clear()
    return recorder.calls


def call_trees(recorder):
    """Grows a tree on codes that tell something, and labels with three of it."""
    chance = np.random.default_rng(1)
    classes = chance.integers(0, 5, 400).astype(np.uint8)
    told = np.where(chance.random((6, 400)) < 0.4, classes, chance.integers(0, 5, (6, 400)))
    columns, values = recorder.grow_tree(
        told.astype(np.uint8),
        classes,
        np.ones(400),
        5,
        5.0,
        0.4,
        -1.0,
        np.zeros(400, np.uint8),
    )
    cells = np.arange(0, 25, 2)
    trees = recorder.open_trees(
        cells,
        (np.arange(24) % 4).astype(np.uint16),
        (np.arange(24) % 7 + 1).astype(np.uint8),
        np.tile(np.frombuffer(columns, np.uint16), 3),
        np.tile(np.frombuffer(values, np.uint8), 3),
        np.array([3, 2, 1], np.int32),
        5,
        4,
        2,
    )
    recorder.label_trees(
        trees,
        np.arange(5, dtype=np.int32),
        chance.integers(-1, 12, 300).astype(np.int32),
        np.arange(0, 301, 3),
        np.array([0, 0, 40, 100]),
        np.zeros(100, np.uint16),
        np.zeros(100, np.int32),
    )


def forget_rules():
    """What the rules have opened, and the last document."""
    capitals._VOCABULARY.clear()
    matching._scanner.cache_clear()
    for latest in (capitals.words, patterns.view):
        latest.clear()


def changed(value, rng: random.Random):
    """Something like the value, that may not fit."""
    if isinstance(value, tuple):
        if value and rng.random() < 0.9:
            at = rng.randrange(len(value))
            return (*value[:at], changed(value[at], rng), *value[at + 1 :])
        return rng.choice([(), value[:-1], value * 2])
    if isinstance(value, np.ndarray | bytes):
        array = np.frombuffer(value, np.uint8) if isinstance(value, bytes) else value.ravel()
        way = rng.randrange(6)
        if way == 0 or not len(array):
            return array[: rng.randrange(len(array) + 1)].copy()
        if way == 1:
            return np.concatenate((array, array[-rng.randrange(1, 9) :]))
        if way == 2:
            return rng.choice([b"", b"\0", np.zeros(3, np.uint8), None, "text", 7, object()])
        array = array.copy()
        for _ in range(rng.choice((1, 1, 3, 50))):
            at = rng.randrange(len(array))
            if array.dtype.kind == "f":
                array[at] = rng.choice((np.nan, np.inf, -5000.0, 1e30, 0.3))
            elif array.dtype.kind == "b":
                array[at] = not array[at]
            else:
                limits = np.iinfo(array.dtype)
                near = [limits.min, limits.max, limits.max // 2, 0, 1, int(array[at]) + 1]
                array[at] = max(limits.min, min(limits.max, rng.choice(near)))
        return array
    if isinstance(value, bool | int):
        return rng.choice([-(2**63), -(2**31), -2, -1, 0, 1, 2, 2**31 - 1, 2**31, 2**63 - 1, 2**70])
    return rng.choice([None, object(), 3, b"", ()])


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.slow
def test_arguments_that_do_not_fit_are_refused_or_do_no_harm(calls, name):
    rng = random.Random(name)
    call = getattr(NATIVE, name)
    refused = 0
    if name not in calls:
        pytest.skip("this recipe has no use for it")
    for args in calls[name][:2]:
        # What is large costs its size each time.
        size = sum(getattr(one, "nbytes", 0) for one in args)
        for _ in range(20 if size > 200_000 else 120):
            at = rng.randrange(len(args))
            again = [one.copy() if isinstance(one, np.ndarray) else one for one in args]
            again[at] = changed(args[at], rng)
            if name == "open_phrases" and again[at] is not args[at] and _is_huge(again[at]):
                continue  # so many rows are made, which takes a quarter of a minute
            try:
                call(*again)
            except ERRORS:
                refused += 1
    assert refused > 3


def _is_huge(value):
    return type(value) is int and 2**31 - 1 <= value < 2**40


def test_every_call_of_the_extension_is_tried():
    found = {name for name in dir(NATIVE) if callable(getattr(NATIVE, name)) and name[0] != "_"}
    assert found == set(CALLS)


def copies(args):
    """The arguments of a call, arrays anew: some are written."""
    return [one.copy() if isinstance(one, np.ndarray) else one for one in args]


def said_of_words(calls, words, places):
    """What `intern` and `fill_places` answer and write."""
    interned = copies(calls["intern"][0][1:])
    filled = copies(calls["fill_places"][0][1:])
    filled[17][...] = -1
    found = NATIVE.intern(words, *interned), NATIVE.fill_places(places, *filled)
    return found, interned[-1].tobytes(), filled[17].tobytes()


@pytest.mark.slow
def test_what_is_opened_holds_what_it_points_into(calls):
    characters = NATIVE.open_characters(*calls["open_characters"][0])
    merger = NATIVE.open_merger(characters, *calls["open_merger"][0][1:])
    words = [NATIVE.open_words(characters, merger, *calls["open_words"][0][2:]) for _ in range(2)]
    places = NATIVE.open_places(characters, *calls["open_places"][0][1:])
    # Not every recipe merges.
    merged = [args[1:] for args in calls.get("merge", [])]
    before = [NATIVE.merge(merger, *args) for args in merged]
    said = said_of_words(calls, words[0], places)
    del characters
    gc.collect()
    assert [NATIVE.merge(merger, *args) for args in merged] == before
    del merger
    gc.collect()
    assert said_of_words(calls, words[1], places) == said


def require_refused(call, args, place, value):
    """That a call refuses its arguments with another one in a place."""
    with pytest.raises(ValueError, match="not fit|category|order"):
        call(*args[:place], value, *args[place + 1 :])


@pytest.mark.parametrize("number", [-1, 0, 128, 255, 1 << 16])
def test_categories_are_characters_of_ascii(calls, number):
    args = calls["open_merger"][0]
    for place in (2, 3):
        codes, offsets, numbers = args[place]
        changed = numbers.copy()
        changed[-1] = number
        require_refused(NATIVE.open_merger, args, place, (codes, offsets, changed))
    require_refused(NATIVE.open_merger, args, 4, b"\xff" * 10)
    require_refused(NATIVE.open_merger, args, 4, b"\0" * 9 + b"\x80")


def test_a_program_is_no_deeper_than_a_stack(calls):
    characters, *args = calls["open_merger"][0]

    def opened(steps):
        """A merger with one program, which splits at each step; the first way leads to its end."""
        program = np.full((steps, 4), 3, np.int32)
        program[:, 1] = program[:, 2] = np.arange(1, steps + 1)
        program[-1] = 0
        entry, whole = np.zeros(1, np.int32), np.full((1, 2), 2**64 - 1, np.uint64)
        joins = program, whole, entry, whole, np.zeros((1, 2), np.uint64)
        return NATIVE.open_merger(characters, *args[:4], joins, args[5])

    codes = np.array([65, 32, 66], np.uint32)
    spans = np.array([0, 2]), np.array([1, 3])
    _, starts, ends = NATIVE.merge(
        opened(4096), codes, np.array([0, 3]), b"\1", np.array([0, 2]), *spans, b"\1\0"
    )
    assert (starts, ends) == tuple(one.tobytes() for one in spans)
    for steps in (4097, 2_000_000):
        with pytest.raises(ValueError, match="not fit"):
            opened(steps)


def test_anchors_that_go_down_are_refused(calls):
    args = calls["fill_places"][0]
    anchors = args[12].copy()
    anchors[[3, 4]] = anchors[[4, 3]]
    assert anchors[3] > anchors[4]
    require_refused(NATIVE.fill_places, args, 12, anchors)


@pytest.mark.parametrize("tags", [[0] * 150, [1, 0], [0, 2, 1], [0, 1, 1]])
def test_the_tags_of_a_row_ascend(tags):
    weights = np.full(len(tags), 4095, np.float32)
    # Each in a row of its own.
    args = np.arange(len(tags) + 1), np.array(tags, np.uint16), weights, np.zeros((3, 3)), -1
    NATIVE.open_model(*args)
    require_refused(NATIVE.open_model, args, 0, np.array([0, len(tags)]))


def resident():
    """Bytes that the process has in memory, and still needs."""
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="it is asked what is in memory")
@pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="the sanitizer keeps what is freed")
def test_words_that_are_forgotten_leave_no_memory(calls):
    characters = NATIVE.open_characters(*calls["open_characters"][0])
    length = np.array([[1, -1, -1, -1, 0, 0]], np.int32)
    nothing, one = np.zeros(0, np.int32), np.zeros(1, np.int32)
    words = NATIVE.open_words(
        characters, None, (), (), nothing, length, np.append(one, one), nothing, nothing
    )

    def intern(count, size):
        """Words of so many code points, all different."""
        codes = np.full((count, size), 97, np.uint32)
        codes[:, 0] += np.arange(count, dtype=np.uint32)
        codes = codes.ravel()
        starts = np.arange(count) * size
        bounds = np.array([0, len(codes)]), np.array([0, count])
        ids = np.empty(count, np.int64)
        NATIVE.intern(words, codes, *bounds, starts, starts + size, 10, 10_000, ids)
        return ids

    before = resident()
    assert intern(200_000, 100)[-1] == 199_999
    assert resident() - before > 60_000_000
    assert intern(3, 2).tolist() == [0, 1, 2]
    assert resident() - before < 30_000_000


def test_what_is_empty_needs_no_address():
    bytes_of, ints, wide = (array.array(kind) for kind in "Biq")
    zero = array.array("q", [0])
    NATIVE.open_phrases(ints, zero, ints, wide, 0, 0)
    NATIVE.open_prefilter(bytes_of, zero, wide, bytes_of, wide)
    NATIVE.open_model(zero, array.array("H"), array.array("f"), array.array("d", [0.0]), -1)


def words_that_met(count: int) -> list[str]:
    """Words of seven letters that the hash of former versions, no secret, put together."""
    chance = np.random.default_rng(7)
    found: list[str] = []
    factor = np.uint64(0xD6E8FEB86659FD93)
    while len(found) < count:
        letters = chance.integers(97, 123, (2_000_000, 7), np.uint64)
        hashes = np.full(len(letters), 0x9E3779B97F4A7C15 ^ 7, np.uint64)
        for column in letters.T:
            hashes = (hashes ^ column) * factor
        hashes = (hashes ^ (hashes >> np.uint64(32))) * factor >> np.uint64(32)
        near = letters[(hashes & np.uint64(0x7FFF)) < 64].astype(np.uint8)
        found += [row.tobytes().decode() for row in near]
    return found[:count]


def test_words_that_were_made_to_meet_cost_what_others_do():
    classes = np.array([chr(code).isalnum() for code in range(128)], np.uint8)

    def cut(words: list[str]) -> None:
        codes = np.frombuffer(" ".join(words).encode("utf-32-le"), np.uint32)
        NATIVE.cut_words(NATIVE.open_vocabulary(40), 1 << 20, classes, codes)

    made = words_that_met(15_000)
    others = ["".join(chr(97 + (7 * n // 26**k) % 26) for k in range(7)) for n in range(15_000)]
    assert_within(8, cut, lambda: others, lambda: made, "words whose hashes meet")
