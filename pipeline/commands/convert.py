"""`scrubline convert`: an annotated corpus in another format; messages as a table and back.

What is asked for is `convert_kinds`, messages and tables are `convert_messages`.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
from collections.abc import Iterator

from ...models.core.display_names import counted
from ...models.core.errors import GateFailed, UsageError
from ...models.core.label_maps import LabelMap, load_map
from ...models.corpora import (
    AnnotatedDocument,
    CorpusError,
    CorpusFormat,
    FolderFormat,
    StreamFormat,
    format_of_target,
    read_annotated,
    remap,
    write_annotated,
)
from ...models.storage.storage import Storage
from ..process.exit_codes import ExitCode
from ..process.logs import say
from ..process.stdout import show
from .convert_kinds import Way, asked
from .new_files import require_new_corpus


@dataclasses.dataclass(slots=True)
class Conversion:
    """The result of a conversion.

    Attributes:
        form: name of the format that was written.
        documents, spans: how many were written.
        unmapped: spans left out because the label map does not map their label.
        without_meta: documents whose `meta` the format cannot hold.
        checked: whether the output was read back and compared.
    """

    form: str
    documents: int = 0
    spans: int = 0
    unmapped: int = 0
    without_meta: int = 0
    checked: bool = False

    def lines(self) -> Iterator[str]:
        """Yields the summary for the user."""
        yield (
            f"{counted(self.documents, 'document')} with {counted(self.spans, 'span')} written as "
            f"{self.form}"
        )
        if self.unmapped:
            yield f"left out: {self.unmapped:,} spans whose label the map does not map"
        if self.without_meta:
            yield f"left out: meta of {self.without_meta:,} documents, which the format cannot hold"
        if self.checked:
            yield "checked: the output was read back and is equal"


def convert_corpus(
    source: str,
    target: str,
    *,
    source_form: str | None = None,
    target_form: str | None = None,
    label_map: str | None = None,
    check: bool = False,
    overwrite: bool = False,
) -> Conversion:
    """Reads a corpus and writes it in another format, document by document.

    Args:
        source: file, folder or glob.
        target: file, or folder for formats of several files.
        source_form, target_form: keys of `CORPORA`; None to go by endings and contents.
        label_map: name or URL of a map for all labels; see `load_map`. It maps to native labels, or
            from them if it has the name of the target's format.
        overwrite: whether to replace an existing target; never if it is an input.
        check: first find everything that the format cannot hold; at the end compare the output.

    Raises:
        CorpusError: if the corpus is invalid, or the format cannot hold a document.
        UsageError: if it cannot hold some (with `check`), a format or label is unknown, or the
            target exists or is an input.
        GateFailed: if the output does not read back equal; it is removed.
    """
    form = format_of_target(target, target_form)
    require_new_corpus(target, target_form, inputs=(source,), overwrite=overwrite)
    mapping = None if label_map is None else _map_for(form, label_map)
    if check:
        _require_all_fit(form, _mapped(source, source_form, mapping, Conversion(form.name)))
    done = Conversion(form.name)
    written: dict[str, bytes] = {}

    def documents() -> Iterator[AnnotatedDocument]:
        for document in _mapped(source, source_form, mapping, done):
            done.spans += len(document.spans)
            done.without_meta += bool(document.meta) and not form.keeps_meta
            if check:
                written[document.doc_id] = _digest(document)
            yield document

    done.documents = write_annotated(documents(), target, form.name)
    if check:
        _require_equal(form, target, written)
        done.checked = True
    return done


def _map_for(form: CorpusFormat, name_or_url: str) -> LabelMap:
    mapping = load_map(name_or_url)
    if form.name in (mapping.source, mapping.target):
        return load_map(name_or_url, "from_native")
    return mapping


def _mapped(
    source: str, form: str | None, mapping: LabelMap | None, counts: Conversion
) -> Iterator[AnnotatedDocument]:
    for document in read_annotated(source, form):
        if mapping is None:
            yield document
            continue
        counts.unmapped += sum(mapping.apply(span.label) is None for span in document.spans)
        yield remap(document, mapping.apply)


def _require_all_fit(form: CorpusFormat, documents: Iterator[AnnotatedDocument]) -> None:
    """Renders every document without keeping the result.

    Raises:
        UsageError: giving each kind of fault, how many documents have it, and the first of them.
    """
    faults: dict[str, tuple[int, int, CorpusError]] = {}
    number = 0
    for number, document in enumerate(documents, start=1):
        try:
            if isinstance(form, FolderFormat):
                form.files(document, number)
            else:
                form.render([document])
        except CorpusError as error:
            count, first, shown = faults.get(error.fault, (0, number, error))
            faults[error.fault] = count + 1, first, shown
    if faults:
        texts = (
            "; ".join(
                f"{fault} in {count:,} (first document {first}: {getattr(error, what)})"
                for fault, (count, first, error) in sorted(faults.items())
            )
            for what in ("what", "what_on_terminal")
        )
        safe, on_terminal = (
            f"{form.name} cannot hold all of the {number:,} documents: {found}. Nothing was written"
            for found in texts
        )
        raise UsageError(safe, on_terminal=on_terminal)


def _require_equal(form: CorpusFormat, target: str, written: dict[str, bytes]) -> None:
    left = dict(written)
    differing = 0
    for document in read_annotated(target, form.name) if written else ():
        differing += left.pop(document.doc_id, b"") != _digest(document)
    if differing or left:
        storage = Storage()
        if isinstance(form, StreamFormat):
            storage.delete(target)
        else:
            storage.delete_folder(target)
        raise GateFailed(
            f"the output does not read back equal: {differing:,} documents differ and "
            f"{len(left):,} are missing. It was removed"
        )


def _digest(document: AnnotatedDocument) -> bytes:
    """A digest of the text and the spans, in any order."""
    spans = sorted((span.start, span.end, span.label) for span in document.spans)
    return hashlib.sha256(json.dumps([document.text, spans]).encode()).digest()


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Raises:
        UsageError: if what was asked for cannot be done.
    """
    what = asked(Storage(), parsed.source, parsed.target, parsed.source_form, parsed.target_form)
    _require_options(parsed, what.way)
    if what.way is not Way.CORPORA:
        from .convert_messages import to_messages, to_table  # corpora do without a second of it

        return (to_table if what.way is Way.TO_TABLE else to_messages)(parsed, what)
    try:
        conversion = convert_corpus(
            parsed.source,
            parsed.target,
            source_form=parsed.source_form,
            target_form=parsed.target_form,
            label_map=parsed.label_map,
            check=parsed.check,
            overwrite=parsed.overwrite,
        )
    except CorpusError:
        if parsed.source_form is None:
            say(
                "scrubline: the input was read as an annotated corpus, since both look "
                "like ones; --to hl7, fhir or ccda reads a table, and --from one of these messages",
                "WARNING",
            )
        raise
    show(*conversion.lines())
    return ExitCode.DONE


_OF_CORPORA = {"label_map": "--label-map", "check": "--check"}
_OF_MESSAGES = {
    **{"columns": "--column", "config": "--config", "encoding": "--encoding"},
    **{"delimiter": "--delimiter", "quote": "--quote", "escape": "--escape"},
    **{"header": "--header", "time_zone": "--time-zone"},
}


def _require_options(parsed: argparse.Namespace, way: Way) -> None:
    """Refuses options that mean nothing for what is asked.

    Raises:
        UsageError: with the option.
    """
    others = dict(_OF_MESSAGES if way is Way.CORPORA else _OF_CORPORA)
    if way is Way.TO_TABLE:
        others["time_zone"] = "--time-zone"
    for attribute, option in others.items():
        value = getattr(parsed, attribute, None)
        if value is not None and (value or attribute == "header"):
            raise UsageError(f"{option} is of no use here: this converts {way.value}")
