"""Documents that the forms can hold, and how they are compared."""

import dataclasses

from hypothesis import strategies as st
from scrubline.models.corpora import (
    AnnotatedDocument,
    Annotation,
    FolderFormat,
    GroupFormat,
)

LABELS = ("PATIENT", "DOCTOR", "HOSPITAL", "DATE", "PHONE", "AGE")
"""In the native set and in that of 2006."""

PIECES = (
    *("Dr", "Who", "3/4/12", "x", "é", "🙂", "e\u0301", "\ufeff", "MRN:77", "-DOCSTART-", "#", "O"),
    *(" ", "  ", "\n", "\r\n", "\r", "\t", "\n\n", "\xa0", "\u2028", "\x85"),
    *('"', "'", "&", "&amp;", "<", ">", "]]>", "]]", "<PHI>", "<![CDATA[", "\\", "\\n", "|", "_"),
    *(";", ".", ". The", "# doc_id = 7", "T1\tX 0 1\tx", "||||", "||||END_OF", "1 1 0 1 X x"),
)
"""What trips up one form or the other; all of it XML can hold."""

CONTROLS = ("\0", "\x0b", "\x0c", "\x1c", "\x7f", "\ufffe")
"""XML cannot hold these."""


@st.composite
def documents_of(draw: st.DrawFn, *, xml: bool = True, blank: bool = False) -> AnnotatedDocument:
    """A document with disjoint spans, of every edge: adjacent, at the ends, inside of tokens.

    Args:
        xml: whether XML can hold it.
        blank: whether spans may be of white space alone.
    """
    pieces = st.sampled_from(PIECES if xml else PIECES + CONTROLS)
    other = st.characters(exclude_categories=["Cs"] + ["Cc", "Cn"] * xml)
    text = "".join(draw(st.lists(pieces | other, max_size=12)))
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    spans = tuple(
        Annotation(start, end, draw(st.sampled_from(LABELS)))
        for start, end in zip(cuts, cuts[1:], strict=False)
        if draw(st.booleans()) and (blank or not text[start:end].isspace())
    )
    return AnnotatedDocument("", text, spans)


def corpora_of(**options):
    """Lists of such documents, called as paths can be."""
    names = st.from_regex(r"[A-Za-z0-9éß][A-Za-z0-9 .#&=é_-]{0,6}(/[a-z]{1,2})?", fullmatch=True)
    return st.lists(
        st.builds(
            lambda document, name: AnnotatedDocument(name, document.text, document.spans),
            documents_of(**options),
            names,
        ),
        max_size=3,
        unique_by=lambda document: document.doc_id,
    )


NUMBERED = ("physionet",)
"""Forms whose ids are two numbers."""


def ids_for(documents, *names):
    """The documents with ids that the forms of these names can hold."""
    if not set(NUMBERED) & set(names):
        return list(documents)
    return [
        dataclasses.replace(document, doc_id=f"{number}-{number % 7}")
        for number, document in enumerate(documents, start=1)
    ]


def shown(documents):
    """What must survive: ids, texts and spans, in the order of ids."""
    return sorted(
        (d.doc_id, d.text, sorted((s.start, s.end, s.label) for s in d.spans)) for d in documents
    )


def parsed_back(form, documents):
    """The documents after rendering and parsing."""
    rendered = form.render(documents)
    if isinstance(form, GroupFormat):
        return form.parse([rendered[form.stem + ending] for ending in form.endings], "corpus")
    if not isinstance(form, FolderFormat):
        return form.parse(rendered, "corpus")
    return [
        document
        for one in documents
        for document in form.parse(
            [rendered[one.doc_id + ending] for ending in form.endings], one.doc_id
        )
    ]
