"""A dialect of CSV compiled: what a record is, in bytes, and what its cells are, in text.

The rules are those of `delimited`.
"""

from __future__ import annotations

import functools
import re

import re2

BOM = "\ufeff"


_OTHER_DELIMITERS = {";": "';'", "\t": "$'\\t'", "|": "'|'", ",": "','"}
"""Sign between cells -> as it is typed in a shell."""

_NAME = re.compile(r"[^\W\d][\w.-]{0,63}")


def likely_delimiter(header: str) -> str | None:
    """For a header that was read as a single column, the option that makes it several.

    A suggestion for a message: of the signs in use, the one that makes most parts, where each part
    looks like the name of a column. None if there is no such sign.
    """
    parts = {sign: header.split(sign) for sign in _OTHER_DELIMITERS}
    fits = {s: len(p) for s, p in parts.items() if len(p) > 1 and all(map(_NAME.fullmatch, p))}
    if not fits:
        return None
    return f"give --delimiter {_OTHER_DELIMITERS[max(fits, key=fits.__getitem__)]}"


class Dialect:
    """A dialect, compiled; in bytes for finding records, in text for their cells."""

    def __init__(self, delimiter: str, quote: str, escape: str | None) -> None:
        self.delimiter, self.quote, self.escape = delimiter, quote, escape
        # The one way to escape that re2 and re share.
        d, q, x = (
            "".join(f"\\x{ord(c):02x}" for c in sign or "") for sign in (delimiter, quote, escape)
        )
        if not quote:
            quoted, special = "", f"[{d}\n]"
        elif not x:
            quoted, special = f"{q}[^{q}]*+(?:{q}{q}[^{q}]*+)*+{q}", f"[{d}{q}\r\n]|\\A{BOM}"
        else:
            quoted = f"{q}[^{q}{x}]*+(?:{x}(?s:.)[^{q}{x}]*+)*+{q}"
            special = f"[{d}{q}\r\n]|\\A{BOM}"
        cell = f"(?:{quoted}|[^{q}{d}\n][^{d}\n]*+|)" if quote else f"[^{d}\n]*+"
        record = f"{cell}(?:{d}{cell})*+\r?\n"
        pair = f"{x}(?s:.)" if x else q + q
        self._special = re.compile(special).search
        self._quoted = re.compile(quoted).match
        self._escaped = re.compile(f"{x}([{q}{x}{d}\\r\\n])") if x else None
        self._record = re.compile(record.encode()).match
        self._inside = re.compile(f"(?:[^{q}{x}]++|{pair})*+".encode()).match if quote else None
        # RE2 is several times as fast over many records, and knows no possessive repeats.
        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1
        self._records = re2.compile(f"(?:{record})*".replace("*+", "*").encode(), options).match
        self.opening = (delimiter + quote).encode() if quote else b""

    def is_plain(self, cell: str) -> bool:
        """Whether a cell can be written without quotes; or at all, if there are none."""
        return self._special(cell) is None

    def escaped(self, cell: str) -> str:
        """What stands between quotes for a cell."""
        if self.escape is None:
            return cell.replace(self.quote, self.quote * 2)
        for sign in (self.escape, self.quote):
            cell = cell.replace(sign, self.escape + sign)
        return cell

    def cells(self, record: str, most: int) -> list[str | None] | None:
        """The cells of a well-formed record without its line end, None for an empty one.

        None if they are more than `most`, so that millions of empty cells are never held.
        """
        delimiter, quote = self.delimiter, self.quote
        if not quote or quote not in record:
            if record.count(delimiter) >= most:
                return None
            return [cell or None for cell in record.split(delimiter)]
        found: list[str | None] = []
        opening = delimiter + quote
        at = 0
        while True:
            if record.startswith(quote, at):
                match = self._quoted(record, at)
                assert match is not None, "a record is well-formed"
                cell = record[at + 1 : match.end() - 1]
                if self._escaped is not None:
                    cell = self._escaped.sub(r"\1", cell)
                else:
                    cell = cell.replace(quote * 2, quote)
                found.append(cell)
                if len(found) > most:
                    return None
                at = match.end() + 1
                if at > len(record):
                    return found
            else:
                stop = record.find(opening, at)
                rest = record[at:] if stop < 0 else record[at:stop]
                if len(found) + rest.count(delimiter) >= most:
                    return None
                found += [cell or None for cell in rest.split(delimiter)]
                if stop < 0:
                    return found
                at = stop + 1

    def skip_records(self, data: bytes, at: int, end: int) -> int:
        """Past the well-formed records that begin at `at`, one after another, up to `end`."""
        match = self._records(data, at, end)
        return at if match is None else int(match.end())

    def end_of_record(self, data: bytes, at: int) -> int:
        """Past the well-formed record that begins at `at` if it ends in `data`, else -1."""
        match = self._record(data, at)
        return -1 if match is None else match.end()

    def skip_quoted(self, data: bytes, at: int) -> int:
        """Past what is certainly inside quotes: at a quote or escape, or at the end of the data."""
        match = None if self._inside is None else self._inside(data, at)
        assert match is not None, "the pattern matches nothing at all"
        return match.end()


compiled = functools.cache(Dialect)
"""A `Dialect` for delimiter, quote and escape; each is compiled once a process."""
