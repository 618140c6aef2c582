"""A text and what became of it, side by side in a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..process.stdout import show

if TYPE_CHECKING:
    from rich.text import Text


_CONTROLS = {code: "\N{SYMBOL FOR ESCAPE}" for code in (*range(0x20), *range(0x7F, 0xA0))} | {
    ord(kept): kept for kept in "\n\t"
}


def without_controls(text: str) -> str:
    """A text that cannot move the cursor or change colours; one character stands for one."""
    return text.translate(_CONTROLS)


def show_side_by_side(
    title: str, original: Text, scrubbed: Text, caption: Text | None = None
) -> None:
    """Prints both, as wide as the terminal is."""
    from rich.console import Console
    from rich.table import Table

    table: Any = Table(title=title, caption=caption, expand=True)
    table.add_column("original", ratio=1)
    table.add_column("scrubbed", ratio=1)
    table.add_row(original, scrubbed)
    console = Console()
    with console.capture() as captured:
        console.print(table)
    show(captured.get().removesuffix("\n"))
