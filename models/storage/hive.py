"""Hive folders: `key=value` in the path of a file stands for a column with one value.

Source of the escapes: Apache Hive, FileUtils.escapePathName.
"""

from __future__ import annotations

import re
import urllib.parse
from collections import Counter
from collections.abc import Iterable

from ..core.display_names import ColumnNames
from ..core.errors import UsageError

Partition = tuple[tuple[str, str], ...]
"""Keys and values of a file's folders, outermost first."""


def parse_partition(path: str) -> Partition:
    """The hive `key=value` folders of a relative path, percent escapes undone.

    Raises:
        UsageError: if a path has the same key twice.
    """
    pairs: list[tuple[str, str]] = []
    for folder in path.split("/")[:-1]:
        key, equals, value = folder.partition("=")
        if key and equals:
            pairs.append((_unescape(key), _unescape(value)))
    times = Counter(key for key, _ in pairs)
    if repeated := sorted(key for key, count in times.items() if count > 1):
        names = ColumnNames(times)
        raise UsageError(
            "the path of an input file has the same partition key twice: rename a folder",
            on_terminal="the path of an input file has the same partition keys "
            f"{names.listed(repeated, True)} twice: rename a folder",
        )
    return tuple(pairs)


def _unescape(value: str) -> str:
    try:
        return urllib.parse.unquote(value, errors="strict")
    except UnicodeDecodeError:
        return value


def partition_path(partition: Iterable[tuple[str, str]]) -> str:
    """The folder of a partition, ending in a slash: "year=2024/month=05/"; "" for none."""
    return "".join(f"{_escape(key)}={_escape(value)}/" for key, value in partition)


MOST_FOLDER_BYTES = 255
"""Longest name of a folder: common file systems allow no longer ones."""


def fits(key: str, value: str) -> bool:
    """Whether a key and value can be the name of a folder, once escaped."""
    return len(partition_path([(key, value)]).encode()) - 1 <= MOST_FOLDER_BYTES


def _escape(value: str) -> str:
    return re.sub(
        r"[\x00-\x1f\x7f\"#%'*/:=?\\{}\[\]^]", lambda match: f"%{ord(match[0]):02X}", value
    )
