"""Templates of notes: what `docs/synth.md` describes, read into trees.

template := { text | slot | choice | mark }
slot     := "{" name [digit] ["." form] [":" argument] ["!" case] "}"
choice   := "[[" template { "|" template } "]]"
mark     := "⟦" LABEL ":" template "⟧"        and ⟦FF⟧, ⟦NBSP⟧, ⟦TAB⟧
"""

from __future__ import annotations

import dataclasses
import difflib
import fnmatch
import importlib.resources
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from ..core.errors import UsageError
from ..core.labels import LABELS
from ..corpora.inline import CLOSE, ESCAPES, OPEN
from ..storage.storage import Storage

END = "%%"
"""The line after each template of a file."""

WORLD = "world"
"""Any country but the United States, in a setting."""

COUNTRIES = ("UK", "IE", "CA", "AU", "NZ", "IN", "PK", "PH", "SG", "ZA", "NG", "KE", "CB")
"""Countries of notes in English beside the United States (US); CB is the Caribbean."""

ENGLISH, SPANISH = "en", "es"

COUNTRIES_IN: Mapping[str, tuple[str, ...]] = {
    ENGLISH: ("US", *COUNTRIES),
    SPANISH: (
        *("ES", "MX", "AR", "CO", "CL", "PE", "EC", "VE", "GT", "DO", "CU", "BO", "UY"),
        *("SV", "HN", "NI", "CR", "PA", "PY", "PR", "US"),
    ),
}
"""Language of notes -> countries; US and PR are notes in Spanish of the United States."""


def _countries(codes: Sequence[str]) -> str:
    code = f"(?:{'|'.join(codes)})"
    return f"{WORLD}|{code}(,{code})*"


def _settings(language: str) -> Mapping[str, re.Pattern[str]]:
    return {
        "patient": re.compile("[fm]"),
        "age": re.compile(r"\d{1,3}-\d{1,3}"),
        "country": re.compile(_countries(COUNTRIES_IN[language])),
        "draws": re.compile("[1-9]"),
    }


SETTINGS_IN = {language: _settings(language) for language in COUNTRIES_IN}
"""Language -> settings of a template -> what their value looks like."""

CASES = "ult"


@dataclasses.dataclass(frozen=True, slots=True)
class Text:
    """Text that is printed as it is."""

    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class Slot:
    """What is filled in.

    Attributes:
        name: key of `slots.SLOTS`.
        index: the digit after the name; with one, the slot is remembered in its note.
        form: how it is written; "" for the usual way.
        argument: what follows the colon; "" for nothing.
        case: "u", "l", "t" for upper, lower and title case, "" for as it is.
        line: of the template, from 1; for messages.
    """

    name: str
    index: str
    form: str
    argument: str
    case: str
    line: int


@dataclasses.dataclass(frozen=True, slots=True)
class Choice:
    """One of several continuations."""

    ways: tuple[tuple[Node, ...], ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Mark:
    """An entity of a label, whatever the slots in it are."""

    label: str
    nodes: tuple[Node, ...]


Node = Text | Slot | Choice | Mark


@dataclasses.dataclass(frozen=True, slots=True)
class Template:
    """The text of a note with slots.

    Attributes:
        kind: of the note: the name of the file.
        number: of the template in its file, from 1.
        settings: keys of `SETTINGS_IN`.
        nodes: the text.
        language: key of `COUNTRIES_IN`.
    """

    kind: str
    number: int
    settings: Mapping[str, str]
    nodes: tuple[Node, ...]
    language: str = ENGLISH

    @property
    def name(self) -> str:
        """Kind and number."""
        return f"{self.kind}-{self.number:03}"

    @property
    def draws(self) -> int:
        """How many notes are filled from it in each turn of all templates."""
        return int(self.settings.get("draws", "1"))

    def slots(self) -> Iterator[Slot]:
        """All slots, also those of ways not taken."""
        yield from _slots(self.nodes)


def _slots(nodes: Sequence[Node]) -> Iterator[Slot]:
    for node in nodes:
        match node:
            case Slot():
                yield node
            case Mark():
                yield from _slots(node.nodes)
            case Choice():
                for way in node.ways:
                    yield from _slots(way)


class TemplateError(UsageError):
    """A template cannot be read; names the kind, the template and the line."""


_SLOT = re.compile(r"\{([A-Za-z]+)(\d?)(?:\.([a-z0-9]+))?(?::([^{}!\n]*))?(?:!([a-z]))?\}")
_SIGN = re.compile(r"\{|\}|\[\[|\]\]|\||⟦|⟧")
_LABELLED = re.compile(f"{OPEN}(?:({'|'.join(LABELS)}):|({'|'.join(ESCAPES)}){CLOSE})")


def parse_template(
    source: str, kind: str = "template", number: int = 1, language: str = ENGLISH
) -> Template:
    """Reads one template.

    Args:
        source: settings and text; one line end at the end belongs to the file and not to the note.
        kind, number, language: see `Template`.

    Raises:
        TemplateError: if something is not closed, or a slot or setting is malformed.
    """
    settings: dict[str, str] = {}
    known = SETTINGS_IN[language]
    line = 1
    while match := re.match(r"#([a-z]+): *(\S*) *\n", source):
        key, value = match.groups()
        if key not in known or not known[key].fullmatch(value):
            raise TemplateError(
                f"{kind} {number}, line {line}: a setting is unknown or has an invalid value; "
                f"known: {', '.join(known)}"
            )
        if key == "age" and int(value.split("-")[0]) > int(value.split("-")[1]):
            raise TemplateError(f"{kind} {number}, line {line}: the first age is above the second")
        settings[key] = value
        source = source[match.end() :]
        line += 1
    parser = _TemplateParser(source, f"{kind} {number}", line)
    nodes, _ = parser.until(())
    return Template(kind, number, settings, nodes, language)


class _TemplateParser:
    def __init__(self, source: str, where: str, line: int) -> None:
        self._source = source
        self._where = where
        self._first = line
        self._at = 0

    def _line(self, at: int) -> int:
        return self._first + self._source.count("\n", 0, at)

    def _wrong(self, what: str, at: int) -> TemplateError:
        return TemplateError(f"{self._where}, line {self._line(at)}: {what}")

    def until(self, ends: tuple[str, ...]) -> tuple[tuple[Node, ...], str]:
        """Reads nodes up to one of the signs `ends`, or the end if there are none.

        Returns:
            The nodes, and the sign that ended them.
        """
        nodes: list[Node] = []
        opened = self._at

        def text(value: str) -> None:
            if value:
                if nodes and isinstance(nodes[-1], Text):
                    value = nodes.pop().text + value  # type: ignore[union-attr]
                nodes.append(Text(value))

        while match := _SIGN.search(self._source, self._at):
            text(self._source[self._at : match.start()])
            sign = match[0]
            self._at = match.end()
            if sign in ends:
                return tuple(nodes), sign
            if sign == "{":
                nodes.append(self._slot(match.start()))
            elif sign == "[[":
                nodes.append(self._choice())
            elif sign == OPEN:
                node = self._mark(match.start())
                if isinstance(node, Text):
                    text(node.text)
                else:
                    nodes.append(node)
            elif sign == "|":
                text(sign)
            else:
                raise self._wrong(f"unmatched {sign!r}", match.start())
        if ends:
            raise self._wrong(f"what opens here has no closing {ends[-1]!r}", opened)
        text(self._source[self._at :])
        return tuple(nodes), ""

    def _slot(self, start: int) -> Slot:
        match = _SLOT.match(self._source, start)
        if match is None:
            raise self._wrong(
                "a slot is malformed; expected {name} or {name1.form:argument!u}", start
            )
        self._at = match.end()
        name, index, form, argument, case = (group or "" for group in match.groups())
        if case and case not in CASES:
            raise self._wrong(f"unknown case !{case}; known: !u, !l, !t", start)
        return Slot(name, index, form, argument, case, self._line(start))

    def _choice(self) -> Choice:
        ways: list[tuple[Node, ...]] = []
        sign = "|"
        while sign == "|":
            nodes, sign = self.until(("|", "]]"))
            ways.append(nodes)
        return Choice(tuple(ways))

    def _mark(self, start: int) -> Node:
        match = _LABELLED.match(self._source, start)
        if match is None:
            raise self._wrong("the label of a mark is not native", start)
        self._at = match.end()
        label, escape = match.groups()
        if escape:
            return Text(ESCAPES[escape])
        nodes, _ = self.until((CLOSE,))
        return Mark(label, nodes)


def parse_templates(source: str, kind: str, language: str = ENGLISH) -> list[Template]:
    """Reads the templates of a file.

    Raises:
        TemplateError: as `parse_template`, or no line of `%%` follows the last template.
    """
    pieces = re.split(r"^%%[ \t]*(?:\n|\Z)", source, flags=re.MULTILINE)
    if pieces[-1].strip():
        raise TemplateError(f"{kind} {len(pieces)}: no line of {END} follows it")
    return [
        parse_template(piece.removesuffix("\n").lstrip("\n"), kind, number, language)
        for number, piece in enumerate(pieces[:-1], 1)
    ]


_FOLDERS = {ENGLISH: "templates", SPANISH: "templates_es"}
"""Language -> folder of the shipped templates."""


def read_sources(
    folder: str | None = None, kinds: Collection[str] = (), language: str = ENGLISH
) -> list[tuple[str, str]]:
    """Kind and text of each file of templates, by kind.

    Args:
        folder: of `<kind>.txt` files; None for the shipped ones of the language.
        kinds: names of kinds, or patterns of them with `*`, `?` and `[]`; empty for all.
        language: key of `COUNTRIES_IN`.

    Raises:
        TemplateError: if one is not UTF-8.
        UsageError: if the folder holds none, one of `kinds` is none of theirs, or the language is
            unknown.
    """
    if language not in COUNTRIES_IN:
        raise UsageError(f"unknown language {language!r}; known: {', '.join(COUNTRIES_IN)}")
    if folder is None:
        shipped = importlib.resources.files(__package__).joinpath(_FOLDERS[language])
        files = [(entry.name, entry.read_bytes()) for entry in shipped.iterdir()]
    else:
        storage = Storage()
        names = [name for name in storage.list_names(folder) if name.endswith(".txt")]
        files = [(name, storage.read_bytes(f"{folder.rstrip('/')}/{name}")) for name in names]
    files = [(name, content) for name, content in files if name.endswith(".txt")]
    names = [name.removesuffix(".txt") for name, _ in files]
    chosen = _chosen(names, kinds) if kinds and names else set(names)
    sources = []
    for name, content in sorted(files):
        kind = name.removesuffix(".txt")
        if kind in chosen:
            try:
                sources.append((kind, content.decode("utf-8-sig").replace("\r\n", "\n")))
            except UnicodeDecodeError:
                raise TemplateError(f"{kind}: not UTF-8") from None
    if not sources:
        raise UsageError("no templates: expected a folder with <kind>.txt files")
    return sources


def _chosen(names: Sequence[str], kinds: Collection[str]) -> set[str]:
    chosen: set[str] = set()
    for kind in kinds:
        if not (found := fnmatch.filter(names, kind)):
            near = difflib.get_close_matches(kind, names, n=1)
            meant = f": did you mean {near[0]!r}?" if near else ""
            told = "see `scrubline synth --check` for all"
            raise UsageError(
                f"kind: unknown kind of note; {told}",
                on_terminal=(f"kind: unknown kind of note {kind!r}{meant}; {told}"),
            )
        chosen.update(found)
    return chosen


def load_templates(
    folder: str | None = None, kinds: Collection[str] = (), language: str = ENGLISH
) -> list[Template]:
    """Reads templates, in order of their names.

    Args:
        folder, kinds, language: see `read_sources`.

    Raises:
        TemplateError: if one cannot be read.
        UsageError: as `read_sources`.
    """
    return [
        template
        for kind, source in read_sources(folder, kinds, language)
        for template in parse_templates(source, kind, language)
    ]
