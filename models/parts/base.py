"""What a part is: a folder with a tagger or a table of clusters, that recipes see texts through.

    CHECKSUMS          SHA-256 of each of the others; its own SHA-256 is the part's hash
    card.json, card.md what it was made from, how, and how it scored
    LICENCE.md         the licence of the data that it was made from, and whom to credit

a *tag part* gives each fine token a tag, and has besides

    model.crf.xz       the model: see `crf.packed`
    tagger.json        the features that it sees, and the hashes of the lists among them

a *cluster part* gives words a code, and has besides

    clusters.tsv       word, tab, code; sorted, each word once

It is a sealed folder: see `models.sealed`. After the checksums agree, each file is still checked
for what it says, and nothing in a part is code. A bundle may hold parts' files as they are.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ...dictionaries import DICTIONARIES, DictionaryError
from ...dictionaries import load as load_dictionary
from ...dictionaries.trie import TokenTrie
from ..crf.decoding import Decoder, open_decoder
from ..crf.model_file import CrfModel
from ..crf.packed import pack, unpack
from ..errors import BundleError, UsageError, error_class
from ..features import Feature, Features, feature_from_json, feature_to_json
from ..features.base import require_int, require_one_of
from ..features.featurizing import featurize
from ..features.gazetteer import gazetteer_from_phrases
from ..features.items import SEQUENCES
from ..sealed import (
    CHECKSUMS,
    checksums,
    json_object,
    parse_checksums,
    read_file,
    remote_folder,
    render_card,
    to_json,
    write_sealed,
)
from ..shortage import raise_shortage
from ..tokens import Tokens

if TYPE_CHECKING:
    from ..recipes.recipe import TaggerRecipe

MODEL = "model.crf.xz"
TAGGER = "tagger.json"
CLUSTERS = "clusters.tsv"
COMMON = ("LICENCE.md", "card.json", "card.md")
"""Files of every part, beside `CHECKSUMS`."""

TAG, CLUSTER = "tag", "cluster"
KIND_OF: Mapping[str, str] = {
    "pos": TAG,
    "upos": TAG,
    "ner": TAG,
    "brown": CLUSTER,
    "word2vec": CLUSTER,
}
"""The names that parts have, which are those that features ask for, and what kind each is."""

OUTSIDE = "O"
"""The tag inside a model that stands for no tag; the column has "" there."""

LONGEST_CODE = 16
MAX_BYTES: Mapping[str, int] = {MODEL: 1 << 28, CLUSTERS: 1 << 26, CHECKSUMS: 1 << 12}
"""Larger files are refused unread; `_MAX_OTHER` holds for those not named."""

_FILES = frozenset({*COMMON, CHECKSUMS, CLUSTERS, TAGGER, MODEL})
_MAX_OTHER = 1 << 22
_WHERE = "the part"
_MAX_FEATURES = 2_000
_MAX_SEQUENCE = 1_000_000
_TAG = re.compile(r"[!-~]{1,32}")
_CODE = re.compile(rf"[0-9]{{1,{LONGEST_CODE}}}")
_UNFIT = re.compile("[\x00\t\n\r\ud800-\udfff]")


@dataclasses.dataclass(frozen=True, slots=True)
class Declaration:
    """What the tagger of a part sees.

    Attributes:
        features: in the order in which attributes are rendered; of the text and of lists that come
            with the package, not of other parts.
        sequence: what is labelled as one: a "line", a "sentence" or a "document".
        max_sequence: most items of a sequence; what is longer is cut.

    Raises:
        UsageError: if a value is not allowed, a list does not ship, or a feature needs a part.
    """

    features: tuple[Feature, ...]
    sequence: str = "sentence"
    max_sequence: int = 1_000

    layer = "fine"
    kind = "token"

    def __post_init__(self) -> None:
        require_one_of("part", "sequence", self.sequence, SEQUENCES)
        require_int("part", "max_sequence", self.max_sequence, 1, _MAX_SEQUENCE)
        if not 1 <= len(self.features) <= _MAX_FEATURES:
            raise UsageError(f"part: features must be 1 to {_MAX_FEATURES}")
        if len({frozenset(feature.parts) for feature in self.features}) < len(self.features):
            raise UsageError("part: a feature is declared twice")
        if {need[0] for need in self._needs()} & {TAG, CLUSTER}:
            raise UsageError("part: a feature needs another part, which a part cannot have")
        if unknown := sorted({need[1] for need in self._needs()} - DICTIONARIES.keys()):
            raise UsageError(f"part: needs dictionaries {unknown}, which do not ship")

    def _needs(self) -> set[tuple[str, str]]:
        parts = [part for feature in self.features for part, _ in feature.parts]
        return {need for part in parts for need in part.needs}

    @property
    def dictionaries(self) -> tuple[str, ...]:
        """Names of the lists that the features need, sorted."""
        return tuple(sorted({name for _, name in self._needs()}))

    def featurize(self, texts: Sequence[str | None], tokens: Tokens) -> Features:
        """The attributes of a batch; its items are the fine tokens of texts that are not None."""
        # Of a recipe, `featurize` looks at kind, layer, sequence, max_sequence and features alone.
        return featurize(texts, tokens, cast("TaggerRecipe", self), _gazetteers(self.dictionaries))


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A checked part; made by `make_part`, `open_part` and `read_part` only.

    Attributes:
        name: key of `KIND_OF`.
        hash: SHA-256 of its `CHECKSUMS`, in hexadecimal: parts with one hash are the same bytes.
        licence: of the data that it was made from, in short, as its card says.
        card: what `card.json` says.
        files: all files by name, `CHECKSUMS` too: what `open_part` takes.
    """

    name: str
    hash: str
    licence: str
    card: Mapping[str, Any] = dataclasses.field(repr=False)
    files: Mapping[str, bytes] = dataclasses.field(repr=False)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class TagPart(Part):
    """A CRF that gives fine tokens a tag.

    Attributes:
        declaration: what it sees.
        model: its weights, parsed.
        tags: those that `columns` can give, sorted, without "".
    """

    declaration: Declaration = dataclasses.field(repr=False)
    model: CrfModel = dataclasses.field(repr=False)

    @property
    def tags(self) -> tuple[str, ...]:
        """See the class."""
        return tuple(sorted(set(self.model.tags) - {OUTSIDE}))

    def columns(self, texts: Sequence[str | None], tokens: Tokens) -> list[str]:
        """One tag for each row of `tokens`, "" where there is none.

        A document's tags depend on its text alone. Holds no state: for threads too.

        Args:
            texts: one for each document of `tokens`; None for one that failed, which gets no tags.
            tokens: fine tokens of the batch.
        """
        features = self.declaration.featurize(texts, tokens)
        decoder = _opened(self)
        tags, _ = decoder.decode(decoder.ready(features), scored=False)
        column = np.full(len(tokens), "", object)
        alive = np.array([text is not None for text in texts], np.bool_)
        rows = np.repeat(alive, np.diff(tokens.document_offsets))
        names = np.array(["" if tag == OUTSIDE else tag for tag in decoder.tags], object)
        column[rows] = names[tags]
        given: list[str] = column.tolist()
        return given


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class ClusterPart(Part):
    """A table from words to codes.

    Attributes:
        clusters: word, as it stands in texts or case-folded, -> code.
    """

    clusters: Mapping[str, str] = dataclasses.field(repr=False)


def make_tag_part(
    name: str,
    declaration: Declaration,
    model: CrfModel,
    *,
    card: Mapping[str, Any],
    licence_text: str,
) -> TagPart:
    """Puts a tag part together and checks it as if it had been opened.

    Args:
        name: key of `KIND_OF`.
        declaration: what the model was trained to see.
        model: its weights, on the grid.
        card: JSON values with "licence", without "name"; `card.md` is made of them.
        licence_text: for LICENCE.md.

    Raises:
        BundleError: if they do not fit together.
    """
    tagger = {
        "features": [feature_to_json(feature) for feature in declaration.features],
        "sequence": declaration.sequence,
        "max_sequence": declaration.max_sequence,
        "dictionaries": {name: load_dictionary(name).sha256 for name in declaration.dictionaries},
    }
    made = _make(name, {TAGGER: to_json(tagger), MODEL: pack(model)}, card, licence_text)
    assert isinstance(made, TagPart)
    return made


def make_cluster_part(
    name: str, clusters: Mapping[str, str], *, card: Mapping[str, Any], licence_text: str
) -> ClusterPart:
    """Puts a cluster part together and checks it as if it had been opened.

    Args:
        name: key of `KIND_OF`.
        clusters: word -> code of digits; words with white space that ends a line or a cell, NUL or
            lone surrogates are left out.
        card: as in `make_tag_part`.
        licence_text: for LICENCE.md.

    Raises:
        BundleError: if a code is none.
    """
    rows = sorted(
        (word, code) for word, code in clusters.items() if word and not _UNFIT.search(word)
    )
    table = "".join(f"{word}\t{code}\n" for word, code in rows).encode()
    made = _make(name, {CLUSTERS: table}, card, licence_text)
    assert isinstance(made, ClusterPart)
    return made


def revise_part(part: Part, card: Mapping[str, Any]) -> Part:
    """The part with entries added to its card."""
    own = {n: c for n, c in part.files.items() if n not in COMMON and n != CHECKSUMS}
    licence_text = part.files["LICENCE.md"].decode()
    return _make(part.name, own, {**part.card, **card}, licence_text)


def open_part(files: Mapping[str, bytes]) -> Part:
    """The part of these files, all of it checked before anything is used.

    Args:
        files: by name, `CHECKSUMS` among them; not copied.

    Raises:
        BundleError: if it is not whole and sound, needs a list that this version has not, or is of
            a name or kind unknown. The message names the file that is at fault.
    """
    if CHECKSUMS not in files:
        raise BundleError(f"the part: {CHECKSUMS} is missing")
    for file, content in files.items():
        if file in _FILES and len(content) > _limit(file):
            raise BundleError(f"the part: {file} has more than {_limit(file)} bytes")
    sums = _part_sums(files[CHECKSUMS])
    if missing := sorted(sums.keys() - files.keys()):
        raise BundleError(f"the part: {', '.join(missing)} is missing")
    if extra := len(files.keys() - sums.keys() - {CHECKSUMS}):
        raise BundleError(f"the part: {extra} files or folders that {CHECKSUMS} does not list")
    for file, expected in sums.items():
        if hashlib.sha256(files[file]).hexdigest() != expected:
            raise BundleError(
                f"the part: {file} is damaged: its checksum is not the one in {CHECKSUMS}"
            )
    for file in ("LICENCE.md", "card.md"):
        try:
            files[file].decode()
        except UnicodeDecodeError:
            raise BundleError(f"the part: {file} is not UTF-8") from None
    card = json_object(files["card.json"], "card.json", _WHERE)
    name, licence = card.get("name"), card.get("licence")
    if not isinstance(name, str) or name not in KIND_OF:
        raise BundleError(f"the part: card.json: name must be one of {', '.join(KIND_OF)}")
    if not isinstance(licence, str) or not licence:
        raise BundleError("the part: card.json: licence must say the licence of the data")
    kind = TAG if MODEL in files else CLUSTER
    if kind != KIND_OF[name]:
        raise BundleError(f"the part: a part {name!r} must be a {KIND_OF[name]} part")
    digest = hashlib.sha256(files[CHECKSUMS]).hexdigest()
    if kind == CLUSTER:
        return ClusterPart(name, digest, licence, card, files, _clusters(files[CLUSTERS]))
    declared = _declaration(files)
    return TagPart(name, digest, licence, card, files, declared, _model(files[MODEL]))


def read_part(url: str) -> Part:
    """Opens the part in a folder, by its path or any URL of fsspec.

    Raises:
        BundleError: if there is none, or as `open_part`. The message does not hold the URL, which
            may hold a name or a token.
    """
    folder = remote_folder(url, "part")
    try:
        entries = folder.entries("")
    except FileNotFoundError:
        raise BundleError("there is no part: expected the path or URL of a folder") from None
    except Exception as error:  # storage libraries raise whatever they like, and quote the URL
        raise_shortage(error)
        raise BundleError(f"the part's folder cannot be reached: {error_class(error)}") from None
    if not all(is_file and name in _FILES for name, is_file in entries):
        raise BundleError("the part: its folder holds files or folders that a part cannot have")
    return open_part({name: read_file(folder, name, _limit(name), _WHERE) for name, _ in entries})


def write_part(part: Part, url: str) -> None:
    """Writes a part as a new folder, `CHECKSUMS` last.

    Raises:
        BundleError: if the folder exists and is not empty, or cannot be written.
    """
    write_sealed(part.files, url, "part")


# Making and checking


def _make(name: str, own: Mapping[str, bytes], card: Mapping[str, Any], licence_text: str) -> Part:
    full_card = json.loads(to_json({**card, "name": name}))
    files = {
        **own,
        "LICENCE.md": licence_text.encode(),
        "card.json": to_json(full_card),
        "card.md": render_card(full_card).encode(),
    }
    return open_part({CHECKSUMS: checksums(files), **files})


def _limit(name: str) -> int:
    return MAX_BYTES.get(name, _MAX_OTHER)


def _part_sums(content: bytes) -> dict[str, str]:
    """File -> SHA-256; the files are those of one of the two kinds."""
    sums = parse_checksums(content, _WHERE)
    if set(sums) not in ({*COMMON, TAGGER, MODEL}, {*COMMON, CLUSTERS}):
        raise BundleError(
            f"the part: {CHECKSUMS} must list {', '.join(COMMON)}, and either {TAGGER} and"
            f" {MODEL} or {CLUSTERS}"
        )
    return sums


def _declaration(files: Mapping[str, bytes]) -> Declaration:
    data = json_object(files[TAGGER], TAGGER, _WHERE)
    features, lists = data.get("features"), data.get("dictionaries")
    if data.keys() != {"features", "sequence", "max_sequence", "dictionaries"}:
        raise BundleError(
            f"the part: {TAGGER} must have features, sequence, max_sequence and dictionaries"
        )
    if not isinstance(features, list) or len(features) > _MAX_FEATURES:
        raise BundleError(f"the part: {TAGGER}: features must be a list, at most {_MAX_FEATURES}")
    if not isinstance(data["sequence"], str):
        raise BundleError(f"the part: {TAGGER}: sequence must be a string")
    try:
        declaration = Declaration(
            tuple(feature_from_json(feature) for feature in features),
            data["sequence"],
            data["max_sequence"],
        )
    except (UsageError, RecursionError) as error:
        raise BundleError(f"the part: {TAGGER}: {error}") from None
    if not isinstance(lists, dict) or set(lists) != set(declaration.dictionaries):
        raise BundleError(f"the part: {TAGGER}: dictionaries must be those of the features")
    for name, sha256 in lists.items():
        try:
            same = load_dictionary(name).sha256 == sha256
        except DictionaryError as error:
            raise BundleError(f"the part: {error}") from None
        if not same:
            raise BundleError(
                f"the part: {TAGGER}: trained with another version of dictionary {name!r}; "
                "make the part anew"
            )
    return declaration


def _model(content: bytes) -> CrfModel:
    try:
        model = unpack(content)
    except BundleError as error:
        raise BundleError(f"the part: {MODEL}: {error}") from None
    if not all(_TAG.fullmatch(tag) for tag in model.tags):
        raise BundleError(f"the part: {MODEL}: a tag is not 1 to 32 signs of ASCII")
    return model


def _clusters(content: bytes) -> dict[str, str]:
    try:
        lines = content.decode().split("\n")
    except UnicodeDecodeError:
        raise BundleError(f"the part: {CLUSTERS} is not UTF-8") from None
    rows = [line.split("\t") for line in lines[:-1]]
    if lines[-1] or not rows:
        raise BundleError(f"the part: {CLUSTERS} must have lines, and end with a line break")
    for number, row in enumerate(rows, 1):
        if len(row) != 2 or not row[0] or _UNFIT.search(row[0]) or not _CODE.fullmatch(row[1]):
            raise BundleError(
                f"the part: {CLUSTERS}, line {number}: expected a word, a tab and a code of 1 to"
                f" {LONGEST_CODE} digits"
            )
    words = [word for word, _ in rows]
    if any(word >= after for word, after in zip(words, words[1:], strict=False)):
        raise BundleError(f"the part: {CLUSTERS}: words must be sorted, each once")
    return dict((word, code) for word, code in rows)


@functools.lru_cache(maxsize=8)
def _gazetteers(names: tuple[str, ...]) -> dict[str, TokenTrie]:
    lists = {name: load_dictionary(name) for name in names}
    return {n: gazetteer_from_phrases(one.phrases, "fine", one.weights) for n, one in lists.items()}


@functools.lru_cache(maxsize=8)
def _opened(part: TagPart) -> Decoder:
    """A part is opened once, so identity is the key."""
    return open_decoder(part.model)
