"""Chains of rows in files that are only added to."""

import dataclasses

from scrubline.models.review.appended import (
    FIRST,
    append_line,
    hash_of_row,
    read_lines,
    walk_chain,
)
from scrubline.models.risk.rows import json_line


@dataclasses.dataclass(frozen=True)
class NumberedRow:
    seq: int
    prev: str


def test_a_chain_is_walked_past_what_does_not_follow(tmp_path):
    path = str(tmp_path / "draw.jsonl")
    for number in (1, 2, 3):
        append_line(
            path,
            lambda last, n=number: json_line(dataclasses.asdict(NumberedRow(n, hash_of_row(last)))),
        )
    assert append_line(path, lambda last: b"") == b""
    content = read_lines(path)
    lines = content.splitlines(keepends=True)
    walked = list(walk_chain(content + b"torn", NumberedRow))
    assert [(row.seq, follows) for row, follows in walked] == [(1, True), (2, True), (3, True)]
    assert walked[0][0].prev == FIRST == hash_of_row(None)
    changed = b"".join([lines[0], b"{}\n", lines[2]])
    assert [follows for _, follows in walk_chain(changed, NumberedRow)] == [True, False, False]
