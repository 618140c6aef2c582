"""Beam, imported without what units never use: its own stores, tables and queues.

Importing Beam also imports what it reads and writes itself, with the clients of every cloud that is
installed: more than half a second of each start. Our steps read and write through `storage`, and
the direct runner has no files of its own. Engines have some: they import Beam as it is.
"""

from __future__ import annotations

import sys

UNUSED = (
    "apache_beam.io.aws.s3filesystem",
    "apache_beam.io.azure.blobstoragefilesystem",
    "apache_beam.io.gcp.bigquery",
    "apache_beam.io.gcp.gcsfilesystem",
    "apache_beam.io.hadoopfilesystem",
)
"""What Beam can do without, and does where a library is not installed. Each can be imported later
all the same."""


def import_beam() -> None:
    """Imports Beam for the direct runner, if this process has not imported it."""
    if "apache_beam" in sys.modules:
        return
    hidden = [name for name in UNUSED if name not in sys.modules]
    # Python's own sign for a module that is not there.
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        import apache_beam  # noqa: F401
    finally:
        for name in hidden:
            del sys.modules[name]
