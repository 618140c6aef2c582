import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.formats import ENCODINGS, encoding_named
from scrubline.models.formats.encodings import (
    decode,
    is_misread,
    is_single_byte,
    require_encodable,
)

SHORT = [bytes([n]) for n in range(256)] + [n.to_bytes(2, "big") for n in range(65536)]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_short_sequences_come_back_the_same_by_the_codec_alone(encoding):
    """Not by the check in `decode`: CSV in an encoding of many bytes is read without it."""
    mark = b"\xff\xfe" if encoding == "utf-16" else b""
    count = 0
    for content in SHORT[:256] if is_single_byte(encoding) else SHORT:
        try:
            text = (mark + content).decode(encoding)
        except UnicodeError:
            assert decode(mark + content, encoding) is None
            continue
        assert text.encode(encoding) == mark + content
        assert decode(mark + content, encoding) == text
        count += 1
    assert count >= 128


@pytest.mark.parametrize(
    "name", ["big5", "cp950", "big5hkscs", "cp932", "iso2022_jp", "utf-7", "rot13", "x\0", ""]
)
def test_what_is_ambiguous_or_no_encoding_is_refused(name):
    with pytest.raises(UsageError, match="unknown or not supported"):
        encoding_named(name)


@pytest.mark.parametrize(
    ("text", "encoding", "holds"),
    [
        ("", "ascii", True),
        ("[DATE]", "ascii", True),
        ("[\u00c9TUDE]", "ascii", False),
        ("[\u00c9TUDE]", "iso8859-1", True),
        ("\u27e6DATE\u27e7", "iso8859-1", False),
        ("\u27e6DATE\u27e7", "gb18030", True),
        ("\U0001f642", "utf-16", True),
        ("\ud800", "utf-8", False),
    ],
)
def test_what_an_encoding_holds(text, encoding, holds):
    if holds:
        require_encodable(text, encoding)
        return
    with pytest.raises(UsageError, match=f"a character that {encoding} cannot encode") as caught:
        require_encodable(text, encoding)
    assert text not in str(caught.value)


PHRASES = ("Frau Müller, Bülach", "Peña García", "Łódź", "naïve — “quoted”", "患者", "38 °C")


@pytest.mark.parametrize("text", PHRASES)
@pytest.mark.parametrize("encoding", ["cp1252", "iso8859-1"])
def test_utf_8_that_is_read_as_another_encoding_is_seen(text, encoding):
    misread = text.encode().decode(encoding, "ignore" if encoding == "cp1252" else "strict")
    if len(misread.encode(encoding)) == len(text.encode()):  # else it does not come back at all
        assert is_misread(f"Seen: {misread}, at home")
    assert not is_misread(text)
    assert not is_misread(f"{text} and {misread}")


@pytest.mark.parametrize("text", ["", "Mueller", "JOÃO", "“MAÇÃ”", "«IRMû", "Ã", "half \ud83d"])
def test_what_is_written_with_such_letters_is_not_misread(text):
    assert not is_misread(text)
