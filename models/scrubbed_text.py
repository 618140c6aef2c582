"""`ScrubbedText`: one text after scrubbing, and how a notebook shows it.

A notebook stores what it displays in its file. So a scrubbed text displays itself alone; the
original is displayed only through `beside_original`, for which the caller has to bring it.
"""

from __future__ import annotations

import dataclasses
import html
from collections.abc import Iterable, Iterator
from typing import NoReturn

from .core.errors import UsageError
from .core.labels import CATEGORY_OF
from .core.spans import Span

_BACKGROUNDS = {
    "NAME": "#f6c9a8",
    "PROFESSION": "#f4d6e6",
    "LOCATION": "#bfe3d0",
    "AGE": "#d9d9d9",
    "DATE": "#bcd9f2",
    "CONTACT": "#f5e3a0",
    "ID": "#d5c9ef",
}
"""Category -> colour behind dark letters. Tints of the palette of Okabe and Ito 2008, which the
colour-blind can tell apart; what a colour says, the label beside it says too."""

_OTHER = "#e6e6e6"
"""Of a label that is not native, and of PHI of unknown kind."""

_BOX = (
    "white-space:pre-wrap;overflow-wrap:anywhere;font-family:ui-monospace,monospace;"
    "border:1px solid #999;border-radius:4px;padding:.5em .7em;line-height:1.6;"
    "background:#fff;color:#111"
)
_LABEL = "font-size:.68em;line-height:0;margin-left:.3em"
"""Of a label beside its span: apart from it, and without pushing lines apart."""

_CLONED = "-webkit-box-decoration-break:clone;box-decoration-break:clone"
"""A span that is broken over lines is coloured alike on each."""

_WARNING = (
    "This shows the original text. A notebook keeps what it shows: clear this output before you "
    "save, export or share it."
)


@dataclasses.dataclass(frozen=True, slots=True)
class ScrubbedText:
    """One text after scrubbing. A notebook shows it with its spans in colour.

    Attributes:
        text: without its PHI.
        spans: what was removed or kept, and why; disjoint and in order. Of a text in markup, they
            count what is read within it.
        out_starts, out_ends: where each span's replacement lies in `text`, in code points.
        markup: in which the text is written: "html", "rtf", "xml", or "" for none.
    """

    text: str = dataclasses.field(repr=False)
    spans: tuple[Span, ...]
    out_starts: tuple[int, ...]
    out_ends: tuple[int, ...]
    markup: str = ""

    def as_json(self) -> dict[str, object]:
        """A JSON object with columns of the audit; it holds nothing of what was removed."""
        return {
            "text": self.text,
            **({"markup": self.markup} if self.markup else {}),
            "spans": [
                {
                    "start": span.start,
                    "end": span.end,
                    "out_start": start,
                    "out_end": end,
                    "label": span.label,
                    "action": span.action,
                    "detectors": list(span.detectors),
                    "score": span.score,
                    "reason": span.reason,
                    "fragment": span.fragment,
                }
                for span, start, end in self._placed()
            ],
        }

    def _repr_html_(self) -> str:
        """The scrubbed text for a notebook, each span in the colour of its category."""
        return _box(self.text, self._placed())

    def beside_original(self, original: str) -> OriginalView:
        """What a notebook shows as the original with its spans marked, then the scrubbed text.

        Args:
            original: the text that was scrubbed; it is not kept in a `ScrubbedText`.

        Raises:
            UsageError: if it is another text, or one in markup, in which spans count what is read.
        """
        if self.markup:
            raise UsageError(
                f"beside_original: the text is written in {self.markup.upper()}, and spans count "
                "what is read within it"
            )
        at = out_at = 0
        for span, start, end in [*self._placed(), (None, len(self.text), len(self.text))]:
            upto = len(original) if span is None else span.start
            if original[at:upto] != self.text[out_at:start]:
                raise UsageError("beside_original: this is not the text that was scrubbed")
            at, out_at = (upto if span is None else span.end), end
        return OriginalView(original, self)

    def _placed(self) -> Iterator[tuple[Span, int, int]]:
        return zip(self.spans, self.out_starts, self.out_ends, strict=True)


class OriginalView:
    """The original of a `ScrubbedText` for a notebook's eyes, below a warning.

    It holds the text, and so shows it in no other way and cannot be pickled.
    """

    __slots__ = ("_original", "_scrubbed")

    def __init__(self, original: str, scrubbed: ScrubbedText) -> None:
        self._original, self._scrubbed = original, scrubbed

    def __repr__(self) -> str:
        return f"OriginalView({len(self._scrubbed.spans)} spans; only a notebook shows the text)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("an OriginalView holds the original text and cannot be pickled")

    def _repr_html_(self) -> str:
        """A warning, the original with its spans in colour, and the scrubbed text."""
        places = [(span, span.start, span.end) for span in self._scrubbed.spans]
        return (
            f'<p role="note"><strong>{_WARNING}</strong></p>{_box(self._original, places)}'
            f"<p>Scrubbed:</p>{self._scrubbed._repr_html_()}"
        )


def _box(text: str, places: Iterable[tuple[Span, int, int]]) -> str:
    """A text as HTML, everything escaped, with the ranges of spans marked; without scripts."""
    pieces, at = [], 0
    for span, start, end in places:
        if start == end:  # the rest of an overlapped span has no marker of its own
            continue
        pieces += [html.escape(text[at:start]), _marked(span, text[start:end])]
        at = end
    return f'<div style="{_BOX}">{"".join(pieces)}{html.escape(text[at:])}</div>'


def _marked(span: Span, shown: str) -> str:
    colour = _BACKGROUNDS.get(CATEGORY_OF.get(span.label, ""), _OTHER)
    style = f"background:{colour};color:#111;border-radius:3px;padding:.05em .15em;{_CLONED}"
    if span.replacement is None:
        style = f"background:none;color:inherit;border-bottom:2px dashed {colour}"
    said = [span.label, span.action, span.reason, ", ".join(span.detectors), f"{span.score:.4g}"]
    title = html.escape(" · ".join(part for part in said if part))
    label = ""
    if span.label not in shown:
        label = f'<sup style="{_LABEL}">{html.escape(span.label)}</sup>'
    return f'<mark style="{style}" title="{title}">{html.escape(shown)}{label}</mark>'
