"""Reports of where the work is, as Beam copies them."""

import json
import os

import pytest
from apache_beam.internal import pickler
from scrubline.pipeline.runners.reports import PipeReport, reporting_to, write_line


def copied(report):
    return pickler.loads(pickler.dumps(report))


def test_a_copy_calls_the_listener_of_this_process():
    heard = []
    with reporting_to(lambda *report: heard.append(report)) as report:
        copied(report)(3, 0, 256)
        report(3, 256, 1)
    assert heard == [(3, 0, 256), (3, 256, 1)]


def test_listeners_are_told_apart():
    one, two = [], []
    with (
        reporting_to(lambda *report: one.append(report)) as first,
        reporting_to(lambda *report: two.append(report)) as second,
    ):
        copied(second)(2, 0, 1)
        copied(first)(1, 0, 1)
    assert (one, two) == ([(1, 0, 1)], [(2, 0, 1)])


def test_nothing_is_reported_once_it_is_closed():
    heard = []
    with reporting_to(lambda *report: heard.append(report)) as report:
        late = copied(report)
    late(1, 0, 1)
    assert heard == []


def test_what_a_listener_raises_reaches_the_reporter():
    def fail(*report):
        raise LookupError

    with reporting_to(fail) as report, pytest.raises(LookupError):
        copied(report)(1, 0, 1)


def test_a_copy_writes_lines_into_the_pipe():
    source, sink = os.pipe()
    copied(PipeReport(sink))(3, -1, 0)
    write_line(sink, {"done": [3]})
    os.close(sink)
    with os.fdopen(source) as lines:
        assert [json.loads(line) for line in lines] == [{"at": [3, -1, 0]}, {"done": [3]}]
