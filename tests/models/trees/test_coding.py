"""How features become columns of bytes: the declaration, and what is learned of it."""

from __future__ import annotations

import json
import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import BundleError, UsageError
from scrubline.models.core.feature_rows import Features
from scrubline.models.crf.codec import decode_ids
from scrubline.models.features import Count, Feature, Gazetteer, Length, Tag, Word, at, together
from scrubline.models.features.featurizing import featurize
from scrubline.models.text.tokenizer import tokenize_documents
from scrubline.models.trees.coding import (
    code_matrix,
    history_columns,
    information_gains,
    learn_coding,
    phrase_edges,
)
from scrubline.models.trees.declaration import (
    RANK,
    CodedFeatures,
    Coding,
    TreesDeclaration,
    declaration_from_json,
    declaration_to_json,
)
from scrubline.models.trees.decoding import indexed
from scrubline.models.trees.model import CodingTable

from .making import ints, offsets

FOLDED = Word(fold=True)
TAGS = ("O", "B-X", "I-X", "B-Y")


def declared(*groups: tuple[tuple[Feature, ...], Coding], history: int = 0) -> TreesDeclaration:
    return TreesDeclaration(tuple(CodedFeatures(*group) for group in groups), history)


def seen_by(declaration: TreesDeclaration, *lines: str) -> Features:
    """The features of documents of one line each, which is one sequence."""
    recipe = types.SimpleNamespace(
        kind="token",
        layer="fine",
        sequence="line",
        max_sequence=100,
        features=declaration.features,
    )
    return featurize(lines, tokenize_documents(lines), recipe, {})


def learned(declaration: TreesDeclaration, lines: str, classes: str) -> CodingTable:
    """Lines stand between bars; classes are indexes of `TAGS`, one a token."""
    features = seen_by(declaration, *lines.split("|"))
    numbers = ints([int(number) for number in classes if number != " "])
    assert len(numbers) == len(features.starts)
    return learn_coding(features, numbers, TAGS, declaration)


def cells_of(table: CodingTable) -> dict[str, list[tuple[int, int]]]:
    bounds = table.cells.tolist()
    rows = list(zip(table.cell_columns.tolist(), table.cell_codes.tolist(), strict=True))
    return {
        name: rows[bounds[place] : bounds[place + 1]] for place, name in enumerate(table.attributes)
    }


def test_ranks_are_in_order_of_size():
    table = learned(declared((at(Length(12), -1), RANK)), "abc a b abcdefghijklm a", "00000")
    # Of 1, 3 and "12+", and of what lies before the sequence.
    assert cells_of(table) == {
        "len12[-1]=\\B": [(0, 1)],
        "len12[-1]=1": [(0, 2)],
        "len12[-1]=3": [(0, 3)],
        "len12[-1]=12+": [(0, 4)],
    }
    assert table.columns == 1


def test_ranks_of_what_is_no_number_follow_the_characters():
    table = learned(declared((at(FOLDED, 0), RANK)), "b 10 a 9 é", "00000")
    found = {name[9:]: cell for name, cell in cells_of(table).items()}
    assert found == {"9": [(0, 1)], "10": [(0, 2)], "a": [(0, 3)], "b": [(0, 4)], "é": [(0, 5)]}


def test_more_values_than_codes_share_them():
    words = [str(number) for number in range(1000)]
    table = learned(declared((at(FOLDED, 0), RANK)), " ".join(words), "0" * 1000)
    codes = [cells_of(table)[f"lower[0]={word}"][0][1] for word in words]
    assert codes == sorted(codes)
    assert (codes[0], codes[-1]) == (1, 254)
    assert np.bincount(codes)[1:].min() >= 3


def test_flags_are_the_most_frequent_values():
    asked = declared((at(FOLDED, 0, -1), Coding("flag", frequency=2, most=3)))
    table = learned(asked, "b b b a a c a d", "00000000")
    # Behind a, b there are 3 and 3; at -1 the last word is seen by none. Of equal ones the first.
    assert cells_of(table) == {
        "lower[-1]=a": [(0, 1)],
        "lower[-1]=b": [(1, 1)],
        "lower[0]=a": [(2, 1)],
    }
    assert table.columns == 3


def test_frequency_by_document():
    for by_document, expected in ((False, {"a", "b"}), (True, {"b"})):
        asked = declared((at(FOLDED, 0), Coding("flag", frequency=2, by_document=by_document)))
        table = learned(asked, "a a b|b c", "000 00")
        assert {name[9:] for name in table.attributes} == expected


def test_triggers_announce_the_class_that_they_stand_by():
    asked = declared((at(FOLDED, -1, 1), Coding("class", frequency=2, where="tagged")))
    table = learned(asked, "dr a|dr b|dr c|to d|to e|no f|no g|of h", "01 01 03 03 03 00 00 01")
    # dr announces B-X twice and B-Y once; to B-Y; no nothing; of is too rare. What lies behind the
    # last word is a value too: it announces both three times, so the lower.
    assert cells_of(table) == {
        "lower[-1]=dr": [(0, 2)],
        "lower[-1]=to": [(0, 4)],
        "lower[1]=\\E": [(1, 2)],
    }
    assert table.columns == 2


def test_the_best_triggers_are_those_that_tell_most():
    asked = declared((at(FOLDED, -1), Coding("class", most=1)))
    lines = "|".join(["dr a"] * 4 + ["to b"] * 4 + ["to c"] * 4)
    table = learned(asked, lines, "01 01 01 01 01 01 01 00 00 00 00 00")
    # To announces a name three times of eight, dr always.
    assert cells_of(table) == {"lower[-1]=dr": [(0, 2)]}


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("any", {"dr", "ann", "lee", "x", "y"}),
        ("tagged", {"dr", "ann", "lee"}),
        ("first", {"dr", "lee"}),
        ("last", {"ann", "lee"}),
    ],
)
def test_where_candidates_are_counted(where, expected):
    # A phrase of two and one of one: dr [ann lee] [y] x y; each word seen by the one behind it.
    asked = declared((at(FOLDED, -1), Coding("class", where=where)))
    table = learned(asked, "dr ann lee bo x y z", "0 1 2 3 0 0 0")
    found = {name.split("=")[1] for name in table.attributes}
    assert found == expected - ({"x", "y"} if where == "any" else set())


def test_suffixes_are_learned_at_their_own_place():
    coding = Coding("class", frequency=2, share=60, where="last", of="value")
    asked = declared((at(FOLDED, -1, 0, 2), coding))
    lines = "san juan hospital|el hospital|del hospital si|la casa|la casa|la casa"
    # Hospital ends a phrase twice of three times, casa once of three times: too seldom.
    table = learned(asked, lines, "122 03 000 01 00 00".replace("03", "33"))
    assert cells_of(table) == {
        "lower[-1]=hospital": [(0, 3)],
        "lower[0]=hospital": [(1, 3)],
        "lower[2]=hospital": [(2, 3)],
    }


def test_conjunctions_are_triggers_too():
    pair = together((FOLDED, -2), (FOLDED, -1))
    table = learned(declared(((pair,), Coding("class", frequency=2))), "mr de a|mr de b", "001 001")
    assert cells_of(table) == {"lower[-2]=mr|lower[-1]=de": [(0, 2)]}


def test_a_feature_may_be_coded_twice():
    asked = declared(
        (at(FOLDED, 0), Coding("flag", frequency=2)),
        (at(Length(9), 0), RANK),
        (at(FOLDED, 0), Coding("class", frequency=2)),
    )
    assert len(asked.features) == 2
    table = learned(asked, "ann bo|ann x", "10 10")
    assert cells_of(table)["lower[0]=ann"] == [(0, 1), (2, 2)]
    assert table.columns == 3


def test_what_is_learned_does_not_depend_on_the_order_of_documents():
    asked = declared(
        (at(FOLDED, 0, 1), Coding("flag", frequency=1, most=5)),
        (at(FOLDED, -1), Coding("class", most=2)),
        (at(FOLDED, 0), RANK),
    )
    lines, classes = ["dr a b", "to c", "x y z dr"], ["010", "01", "0000"]
    one = learned(asked, "|".join(lines), "".join(classes))
    other = learned(asked, "|".join(lines[::-1]), "".join(classes[::-1]))
    assert cells_of(one) == cells_of(other)


def test_too_many_columns_are_refused():
    asked = declared((at(FOLDED, 0), Coding("flag", most=10_000)))
    letters = "abcdefghijklmnopq"
    words = " ".join(a + b + c for a in letters for b in letters for c in letters)
    with pytest.raises(UsageError, match="more than 4096 columns"):
        learned(asked, words, "0" * 17**3)


def test_gains_by_hand():
    # 8 items, 4 + 4: 1 bit. 4 have it, of the classes 3 + 1: .811278 bits, as the others: .188722
    # are told. What all or none have tells nothing; what parts the classes tells all.
    gains = information_gains(ints([[3, 1], [4, 4], [0, 0], [4, 0]]), ints([4, 4]))
    assert gains == pytest.approx([0.188722, 0.0, 0.0, 1.0], abs=1e-6)


def matrix_of(rows: Features, table: CodingTable) -> np.ndarray:
    known = {name: place for place, name in enumerate(table.attributes)}
    ids = np.array([known.get(name, -1) for name in rows.attributes], np.int32)
    return code_matrix(indexed(rows, ids), table)


def test_codes_of_items():
    asked = declared((at(FOLDED, -1, 1), Coding("class", frequency=2, where="tagged")))
    table = learned(asked, "dr a|dr b|dr c|to d|to e", "01 01 03 03 03")
    found = matrix_of(seen_by(asked, "dr dr none", "", "to"), table)
    assert found.tolist() == [[0, 0], [2, 0], [2, 4], [0, 4]]


def test_of_several_codes_in_a_column_the_highest_counts(monkeypatch):
    table = CodingTable(("a", "b", "c"), ints([1, 1, 2]), ints([1, 1, 0, 1]), ints([9, 7, 1, 3]), 2)
    places = np.arange(4)
    rows = Features(
        ("c", "b", "a", "x"),
        ints([2, 1, 1, 2, 0, 3, 1, 1]),
        offsets([3, 0, 3, 2]),
        places,
        places + 1,
        ints([0, 4]),
        ints([0, 1]),
    )
    expected = [[0, 9], [0, 0], [1, 9], [0, 7]]
    assert matrix_of(rows, table).tolist() == expected
    # In pieces.
    monkeypatch.setattr("scrubline.models.trees.coding._AT_ONCE", 1)
    assert matrix_of(rows, table).tolist() == expected


def test_history_of_gold_classes():
    columns = history_columns(ints([3, 0, 1, 2, 2]), ints([0, 3, 3, 5]), 2)
    assert columns.tolist() == [[0, 0], [4, 0], [1, 4], [0, 0], [3, 0]]
    assert history_columns(ints([]), ints([0]), 4).shape == (0, 4)
    assert history_columns(ints([1]), ints([0, 1]), 0).shape == (1, 0)


@given(
    st.lists(
        st.lists(st.sampled_from(("O", "B-X", "I-X", "E-X", "S-Y", "I-Y", "B-Y")), max_size=8),
        max_size=5,
    )
)
def test_edges_are_those_of_the_phrases_that_the_codec_reads(sequences):
    names = ("O", "B-X", "I-X", "E-X", "S-Y", "I-Y", "B-Y")
    classes = ints([names.index(tag) for sequence in sequences for tag in sequence])
    bounds = offsets([len(sequence) for sequence in sequences])
    places = np.arange(len(classes))
    rows = Features(
        ("a",),
        ints([]),
        np.zeros(len(places) + 1, np.int64),
        places,
        places + 1,
        bounds,
        ints([0, len(sequences)]),
    )
    found = decode_ids(classes, names, rows)
    first, last = phrase_edges(names, classes, bounds)
    assert np.flatnonzero(first).tolist() == [row[4] for row in found]
    assert np.flatnonzero(last).tolist() == [row[5] for row in found]


WHOLE = declared(
    (at(Length(9), -1, 0), RANK),
    (at(Gazetteer("names"), 0), Coding("flag")),
    (at(Tag("pos"), 0), Coding("flag", frequency=3, most=7, by_document=True)),
    (
        (together((FOLDED, -1), (Count(), 0)), *at(FOLDED, 1)),
        Coding("class", frequency=5, most=1500, where="first", share=30),
    ),
    (at(FOLDED, 0, 1), Coding("class", of="value", where="last")),
    history=4,
)


def test_a_declaration_survives_json():
    written = json.dumps(declaration_to_json(WHOLE))
    assert declaration_from_json(json.loads(written)) == WHOLE
    assert hash(declaration_from_json(json.loads(written))) == hash(WHOLE)


def replaced(path, value):
    """The JSON of `WHOLE` with one value in it replaced, or taken out."""
    data = json.loads(json.dumps(declaration_to_json(WHOLE)))
    at_value = data
    for step in path[:-1]:
        at_value = at_value[step]
    if value is ...:
        del at_value[path[-1]]
    else:
        at_value[path[-1]] = value
    return data


CODING = ("groups", 3, "coding")


@pytest.mark.parametrize(
    "data",
    [
        *(None, [], {}, "x"),
        replaced(("history",), 65),
        replaced(("history",), True),
        replaced(("history",), ...),
        replaced(("more",), 1),
        replaced(("groups",), []),
        replaced(("groups",), {}),
        replaced(("groups", 0), 7),
        replaced(("groups", 0, "features"), []),
        replaced(("groups", 0, "features"), "x"),
        replaced(("groups", 0, "features", 0), []),
        replaced((*CODING, "kind"), "other"),
        replaced((*CODING, "kind"), ["rank"]),
        replaced((*CODING, "kind"), "flag"),
        replaced((*CODING, "where"), "nowhere"),
        replaced((*CODING, "of"), None),
        replaced((*CODING, "of"), "value"),
        replaced((*CODING, "share"), 101),
        replaced((*CODING, "share"), 0.5),
        replaced((*CODING, "frequency"), 0),
        replaced((*CODING, "most"), 0),
        replaced((*CODING, "most"), ...),
        replaced((*CODING, "by_document"), 1),
        replaced((*CODING, "extra"), 1),
        replaced(("groups", 0, "coding", "frequency"), 2),
    ],
)
def test_a_damaged_declaration_is_refused(data):
    with pytest.raises(BundleError):
        declaration_from_json(data)


def test_what_does_not_go_together_is_refused():
    pair = together((FOLDED, -1), (FOLDED, 0))
    for features, coding in (
        ((pair,), RANK),
        ((), RANK),
        (at(FOLDED, 0, 0), RANK),
        ((pair,), Coding("class", of="value")),
        (at(FOLDED, 1), Coding("class", of="value")),
        ((*at(FOLDED, 0), *at(Word(), 0)), Coding("class", of="value")),
    ):
        with pytest.raises(UsageError, match="coding"):
            CodedFeatures(features, coding)
    for wrong in ({"most": 5}, {"where": "first"}, {"of": "value"}, {"by_document": True}):
        with pytest.raises(UsageError, match="no parameter"):
            Coding("rank", **wrong)
    with pytest.raises(UsageError, match="need features"):
        TreesDeclaration(())
