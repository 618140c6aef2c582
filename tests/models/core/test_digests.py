import hashlib
import random

from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.digests import PARTS, Digest, cell, content_digest, row_digest

ROWS = st.lists(
    st.lists(st.one_of(st.none(), st.text(), st.integers(), st.floats(allow_nan=False)), max_size=4)
)


def digest(rows):
    total = Digest()
    for row in rows:
        total.add(row)
    return total


@given(ROWS, st.randoms())
def test_order_and_grouping_do_not_matter(rows, chance: random.Random):
    shuffled = list(rows)
    chance.shuffle(shuffled)
    cut = chance.randint(0, len(rows))
    halves = digest(shuffled[:cut])
    halves.merge(digest(shuffled[cut:]))
    assert halves.hex() == digest(rows).hex() == Digest(digest(rows).hex()).hex()


@given(ROWS)
def test_cells_are_what_a_row_is_made_of(rows):
    by_cells = Digest()
    by_cells.add_cells(map(cell, row) for row in rows)
    assert by_cells.hex() == digest(rows).hex()


def test_the_digest_of_a_row_never_changes():
    # Digests are kept and compared for years: these bytes are a file format.
    row = [None, "é\ud83d", b"\xff", 12, 1.5, True]
    plain = b"\xff" + b"s" + (5).to_bytes(8, "big") + b"\xc3\xa9\xed\xa0\xbd"
    plain += b"b" + (1).to_bytes(8, "big") + b"\xff"
    plain += b"n" + (2).to_bytes(8, "big") + b"12" + b"n" + (3).to_bytes(8, "big") + b"1.5"
    plain += b"n" + (4).to_bytes(8, "big") + b"True"
    assert row_digest(row) == int(hashlib.sha256(plain).hexdigest(), 16)


@given(ROWS.filter(len))
def test_a_lost_or_doubled_row_shows(rows):
    assert digest(rows[1:]).value != digest(rows).value
    assert digest([rows[0], *rows]).value != digest(rows).value


def test_fields_do_not_run_into_each_other():
    rows = [
        ["a", "bc"],
        ["ab", "c"],
        ["abc"],
        ["abc", ""],
        ["abc", None],
        [None, "abc"],
        [1],
        ["1"],
        [1.0],
        [b"1"],
    ]
    assert len({row_digest(row) for row in rows}) == len(rows)


def test_the_content_digest_covers_every_part():
    base = {part: Digest() for part in PARTS}
    seen = {content_digest(base)}
    for part in PARTS:
        seen.add(content_digest({**base, part: digest([["x"]])}))
    assert len(seen) == len(PARTS) + 1
