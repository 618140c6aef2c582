import json

import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.jobs.canaries import Canary, read_canaries


def lines(*values):
    return "\n".join(v if isinstance(v, str) else json.dumps(v) for v in values).encode()


def test_canaries_are_read_in_order_and_numbered_by_line():
    found = read_canaries(
        lines({"id": 7, "gone": ["a", "b"]}, "", {"id": " x ", "stays": ["c"], "required": False})
    )
    assert [(c.number, c.id, c.gone, c.stays, c.required) for c in found] == [
        (1, "7", ("a", "b"), (), True),
        (3, "x", (), ("c",), False),
    ]
    assert "Canary(" not in repr(found[1])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"\xff", "not UTF-8"),
        (b'{"id": 1', "line 1: it is not JSON"),
        (lines({"id": 1, "gone": ["x"]}, "[]"), "line 2: it is not a JSON object"),
        (lines({"id": 1, "gone": ["x"], "Quentin": 1}), "line 1: it has an unknown key"),
        (lines({"gone": ["x"]}), "no id"),
        (lines({"id": None, "gone": ["x"]}), "no id"),
        (lines({"id": 1.5, "gone": ["x"]}), "no id"),
        (lines({"id": 1, "gone": "Quentin"}), "gone must be a list of texts"),
        (lines({"id": 1, "gone": [""]}), "gone must be a list of texts"),
        (lines({"id": 1, "stays": [3]}), "stays must be a list of texts"),
        (lines({"id": 1}), "gone and stays are both empty"),
        (lines({"id": 1, "gone": ["x"], "required": 1}), "required must be true or false"),
        (lines({"id": 1, "gone": ["x"]}, {"id": "1", "gone": ["y"]}), "lines 1 and 2 have the"),
    ],
)
def test_what_is_no_file_of_canaries_is_refused(content, message):
    with pytest.raises(UsageError, match=message) as told:
        read_canaries(content)
    assert "Quentin" not in str(told.value)


@pytest.mark.parametrize(
    ("texts", "cells", "faults"),
    [
        (["[PATIENT] takes metformin"], [], []),
        (["Quentin takes metformin"], [], ["not clean, text 1 of gone is still there"]),
        (
            ["[PATIENT] takes metformin"],
            ['"Quentin"'],
            ["not clean, text 1 of gone is still there"],
        ),
        (["[PATIENT] takes [DRUG]"], [], ["destroyed, text 1 of stays is missing"]),
        (["[PATIENT]"], ["metformin"], ["destroyed, text 1 of stays is missing"]),
        (["", "metformin"], [], []),
        ([], [], ["destroyed, text 1 of stays is missing"]),
        (["quentin takes metformin"], [], []),
    ],
)
def test_faults_of_a_document(texts, cells, faults):
    canary = Canary(1, "x", ("Quentin",), ("metformin",))
    assert list(canary.faults(texts, cells)) == faults
