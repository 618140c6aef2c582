"""The options of a run: one table, and what reads it.

- `table`: every option of `scrub`, `plan` and `resume`.
- `command_line`, `config_file`: where values come from; the latter puts them together.
- `manual`: the table in docs/operations.md.
"""

from .command_line import said
from .config_file import load_config, options_from, read_config
from .table import Options

__all__ = ["Options", "load_config", "options_from", "read_config", "said"]
