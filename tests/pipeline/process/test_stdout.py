import io
import sys

import pytest
from scrubline.models.core.errors import UsageError
from scrubline.pipeline.process.stdout import (
    StdoutError,
    flush_stdout,
    read_stdin,
    show,
    show_bytes,
)


class Broken(io.TextIOWrapper):
    """A stream of which every write fails."""

    def __init__(self, error):
        super().__init__(io.BytesIO())
        self.error = error

    def write(self, text):
        raise self.error

    flush = write


def test_lines_and_bytes(capfdbinary):
    show("a", "b\nc")
    show()
    sys.stdout.flush()
    show_bytes(b"\xff\n")
    flush_stdout()
    assert capfdbinary.readouterr().out == b"a\nb\nc\n\xff\n"


def test_a_stream_that_fails_is_recognized(monkeypatch):
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(StdoutError, match=r"cannot be written \(OSError ENOSPC\)") as caught:
            show("x", flush=True)
        assert not caught.value.is_abandoned
        with pytest.raises(StdoutError):
            flush_stdout()
        flush_stdout()  # what was left is dropped


def test_a_reader_that_has_gone_is_told_apart(monkeypatch):
    monkeypatch.setattr(sys, "stdout", Broken(BrokenPipeError(32, "Broken pipe")))
    with pytest.raises(StdoutError) as caught:
        show("x")
    assert caught.value.is_abandoned


@pytest.mark.parametrize("number", [12, 24, 23])
def test_what_the_machine_lacks_is_no_fault_of_the_stream(monkeypatch, number):
    monkeypatch.setattr(sys, "stdout", Broken(OSError(number, "short of something")))
    with pytest.raises(OSError, match="short of something"):
        show("x")


def test_a_closed_stream_needs_no_flush(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    flush_stdout()


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("Café\r\n".encode())))
    assert read_stdin() == "Café\r\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff")))
    with pytest.raises(UsageError, match="not UTF-8"):
        read_stdin()
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(UsageError, match="closed: there is nothing to read"):
        read_stdin()
