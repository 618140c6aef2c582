"""Reading back the Parquet parts of an output, any of which may be damaged or truncated."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from ...models.core.errors import StorageError
from ...models.core.shortage import raise_shortage
from ...models.core.small_parquet import table_in
from ...models.storage.storage import Storage


def read_part(storage: Storage, url: str, columns: Sequence[str]) -> pa.Table:
    """Some columns of a part.

    Raises:
        MissingFileError: if there is no such part.
        StorageError: if storage fails, or the file is damaged or truncated.
        Shortage: if the machine lacks memory to read it.
    """
    content = storage.read_bytes(url)
    try:
        return table_in(content, columns)
    except (pa.ArrowException, KeyError, OSError) as error:
        raise_shortage(error)
        kind = type(error).__name__
    raise StorageError(f"cannot read{storage.named(url)}: it is damaged or truncated ({kind})")
