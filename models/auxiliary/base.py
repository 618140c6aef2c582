"""An auxiliary model: a folder with a tagger, or with a table of words, phrases or sentences.

    CHECKSUMS          SHA-256 of each of the other files; its own SHA-256 is the model's hash
    card.json, card.md training data, method and scores
    LICENCE.md         the licence of the training data, and whom to credit

A *tagger* gives each fine token a tag. It also has

    model.crf.xz       the CRF: see `crf.packed`
    tagger.json        its features, and the hashes of the dictionaries they use

A *cluster table* gives words a code. It also has

    clusters.tsv       word, tab, code; sorted, each word once

A *table of trees* gives the tokens of phrases their tree numbers. It also has

    trees.tsv.xz       see `phrase_trees`

A *record of links* gives the tokens of some sentences their links to others. It also has

    links.tsv.xz       see `recorded_links`

The folder is checksummed (`models.storage.checksummed`). Once the checksums agree, the content of
each file is still validated, and no file holds code. A bundle may hold the files unchanged, but for
a record of links, which is as sensitive as the texts that it was made from.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ...dictionaries import DictionaryError
from ...dictionaries import load as load_dictionary
from ..core.errors import BundleError, UsageError, error_class
from ..core.shortage import raise_shortage
from ..crf.model_file import CrfModel
from ..crf.packed import pack, unpack
from ..features import feature_from_json, feature_to_json
from ..storage.checksummed import (
    CHECKSUMS,
    checksums,
    json_object,
    parse_checksums,
    read_file,
    remote_folder,
    render_card,
    to_json,
    write_checksummed,
)
from .kinds import (
    CLUSTER,
    KIND_OF,
    LINKS,
    MAX_FEATURES,
    TAG,
    TREE,
    AuxiliaryModel,
    AuxiliaryTagger,
    ClusterTable,
    Declaration,
    RecordedLinks,
    TreeTable,
)
from .phrase_trees import PhraseTable, pack_trees, unpack_trees
from .recorded_links import (
    SentenceLinks,
    pack_links,
    unpack_links,
)

MODEL = "model.crf.xz"
TAGGER = "tagger.json"
CLUSTERS = "clusters.tsv"
TREES = "trees.tsv.xz"
LINKS_FILE = "links.tsv.xz"
COMMON = ("LICENCE.md", "card.json", "card.md")
"""Files of every auxiliary model, besides `CHECKSUMS`."""

T = TypeVar("T")

LONGEST_CODE = 16
MAX_BYTES: Mapping[str, int] = {
    MODEL: 1 << 28,
    CLUSTERS: 1 << 26,
    LINKS_FILE: 1 << 25,
    CHECKSUMS: 1 << 12,
}
"""Larger files are refused unread; `_MAX_OTHER` is the limit for files not listed here."""

_FILES_OF: Mapping[str, frozenset[str]] = {
    TAG: frozenset({TAGGER, MODEL}),
    CLUSTER: frozenset({CLUSTERS}),
    TREE: frozenset({TREES}),
    LINKS: frozenset({LINKS_FILE}),
}
"""Kind -> files of its own."""

_FILES = frozenset({*COMMON, CHECKSUMS}.union(*_FILES_OF.values()))
_MAX_OTHER = 1 << 22
_WHERE = "the auxiliary model"
_TAG = re.compile(r"[!-~]{1,32}")
_CODE = re.compile(rf"[0-9]{{1,{LONGEST_CODE}}}")
_UNFIT = re.compile("[\x00\t\n\r\ud800-\udfff]")


def make_tagger(
    name: str,
    declaration: Declaration,
    model: CrfModel,
    *,
    card: Mapping[str, Any],
    licence_text: str,
) -> AuxiliaryTagger:
    """Assembles a tagger and validates it as `open_auxiliary` does.

    Args:
        name: key of `KIND_OF`.
        declaration: the features that the model was trained on.
        model: its weights, on the grid.
        card: JSON values with "licence", without "name"; `card.md` is rendered from them.
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
    assert isinstance(made, AuxiliaryTagger)
    return made


def make_cluster_table(
    name: str, clusters: Mapping[str, str], *, card: Mapping[str, Any], licence_text: str
) -> ClusterTable:
    """Assembles a table of clusters and validates it as `open_auxiliary` does.

    Args:
        name: key of `KIND_OF`.
        clusters: word -> code of digits; words with tabs, line breaks, NUL or lone surrogates are
            left out.
        card: as in `make_tagger`.
        licence_text: for LICENCE.md.

    Raises:
        BundleError: if a code is not valid.
    """
    rows = sorted(
        (word, code) for word, code in clusters.items() if word and not _UNFIT.search(word)
    )
    table = "".join(f"{word}\t{code}\n" for word, code in rows).encode()
    made = _make(name, {CLUSTERS: table}, card, licence_text)
    assert isinstance(made, ClusterTable)
    return made


def make_tree_table(
    name: str, numbers: Mapping[str, str], *, card: Mapping[str, Any], licence_text: str
) -> TreeTable:
    """Assembles a table of trees and validates it as `open_auxiliary` does.

    Args:
        name: key of `KIND_OF`.
        numbers: phrase -> its numbers, both as `phrase_trees` has them.
        card: as in `make_tagger`.
        licence_text: for LICENCE.md.

    Raises:
        BundleError: if a phrase or a number is not valid.
    """
    made = _make(name, {TREES: pack_trees(numbers)}, card, licence_text)
    assert isinstance(made, TreeTable)
    return made


def make_recorded_links(
    name: str,
    sentences: Mapping[str, tuple[int, SentenceLinks]],
    *,
    card: Mapping[str, Any],
    licence_text: str,
) -> RecordedLinks:
    """Assembles a record of links and validates it as `open_auxiliary` does.

    Args:
        name: key of `KIND_OF`.
        sentences: see `RecordedLinks`.
        card: as in `make_tagger`.
        licence_text: for LICENCE.md.

    Raises:
        BundleError: if a link is not valid.
    """
    made = _make(name, {LINKS_FILE: pack_links(sentences)}, card, licence_text)
    assert isinstance(made, RecordedLinks)
    return made


def revise_auxiliary(model: AuxiliaryModel, card: Mapping[str, Any]) -> AuxiliaryModel:
    """The model with entries added to its card."""
    own = {n: c for n, c in model.files.items() if n not in COMMON and n != CHECKSUMS}
    licence_text = model.files["LICENCE.md"].decode()
    return _make(model.name, own, {**model.card, **card}, licence_text)


def open_auxiliary(files: Mapping[str, bytes]) -> AuxiliaryModel:
    """The model in these files, fully validated before anything is used.

    Args:
        files: by name, including `CHECKSUMS`; not copied.

    Raises:
        BundleError: if it is incomplete or damaged, needs a dictionary that this version lacks, or
            has an unknown name or kind. The message names the faulty file.
    """
    if CHECKSUMS not in files:
        raise BundleError(f"{_WHERE}: {CHECKSUMS} is missing")
    for file, content in files.items():
        if file in _FILES and len(content) > _limit(file):
            raise BundleError(f"{_WHERE}: {file} is larger than {_limit(file)} bytes")
    sums = _auxiliary_sums(files[CHECKSUMS])
    if missing := sorted(sums.keys() - files.keys()):
        raise BundleError(f"{_WHERE}: {', '.join(missing)} is missing")
    if extra := len(files.keys() - sums.keys() - {CHECKSUMS}):
        raise BundleError(f"{_WHERE}: {extra} files or folders are not listed in {CHECKSUMS}")
    for file, expected in sums.items():
        if hashlib.sha256(files[file]).hexdigest() != expected:
            raise BundleError(
                f"{_WHERE}: {file} is damaged: its checksum differs from the one in {CHECKSUMS}"
            )
    for file in ("LICENCE.md", "card.md"):
        try:
            files[file].decode()
        except UnicodeDecodeError:
            raise BundleError(f"{_WHERE}: {file} is not UTF-8") from None
    card = json_object(files["card.json"], "card.json", _WHERE)
    name, licence = card.get("name"), card.get("licence")
    if not isinstance(name, str) or name not in KIND_OF:
        raise BundleError(f"{_WHERE}: card.json: name must be one of {', '.join(KIND_OF)}")
    if not isinstance(licence, str) or not licence:
        raise BundleError(f"{_WHERE}: card.json: licence must name the licence of the data")
    kind = next(kind for kind, own in _FILES_OF.items() if own <= files.keys())
    if kind != KIND_OF[name]:
        raise BundleError(f"{_WHERE}: {name!r} must be of kind {KIND_OF[name]!r}")
    digest = hashlib.sha256(files[CHECKSUMS]).hexdigest()
    if kind == CLUSTER:
        return ClusterTable(name, digest, licence, card, files, _clusters(files[CLUSTERS]))
    if kind == TREE:
        numbers = _unpacked(unpack_trees, files, TREES)
        return TreeTable(name, digest, licence, card, files, PhraseTable(numbers))
    if kind == LINKS:
        sentences = _unpacked(unpack_links, files, LINKS_FILE)
        return RecordedLinks(name, digest, licence, card, files, sentences)
    declared = _declaration(files)
    return AuxiliaryTagger(name, digest, licence, card, files, declared, _model(files))


def read_auxiliary(url: str) -> AuxiliaryModel:
    """Opens the model in a folder, given by its path or any URL of fsspec.

    Raises:
        BundleError: if there is no such folder, or as `open_auxiliary`. The message never holds the
            URL, which may contain a name or a token.
    """
    folder = remote_folder(url, "auxiliary model")
    try:
        entries = folder.entries("")
    except FileNotFoundError:
        raise BundleError(
            "no auxiliary model there: expected the path or URL of its folder"
        ) from None
    except Exception as error:  # storage libraries raise anything, and quote the URL
        raise_shortage(error)
        raise BundleError(f"{_WHERE}: its folder cannot be read: {error_class(error)}") from None
    if not all(is_file and name in _FILES for name, is_file in entries):
        raise BundleError(f"{_WHERE}: its folder holds unexpected files or folders")
    return open_auxiliary(
        {name: read_file(folder, name, _limit(name), _WHERE) for name, _ in entries}
    )


def write_auxiliary(model: AuxiliaryModel, url: str) -> None:
    """Writes a model as a new folder, `CHECKSUMS` last.

    Raises:
        BundleError: if the folder exists and is not empty, or cannot be written.
    """
    write_checksummed(model.files, url, "auxiliary model")


# Making and validating


def _make(
    name: str, own: Mapping[str, bytes], card: Mapping[str, Any], licence_text: str
) -> AuxiliaryModel:
    full_card = json.loads(to_json({**card, "name": name}))
    files = {
        **own,
        "LICENCE.md": licence_text.encode(),
        "card.json": to_json(full_card),
        "card.md": render_card(full_card).encode(),
    }
    return open_auxiliary({CHECKSUMS: checksums(files), **files})


def _limit(name: str) -> int:
    return MAX_BYTES.get(name, _MAX_OTHER)


def _auxiliary_sums(content: bytes) -> dict[str, str]:
    """File -> SHA-256; the files are those of one of the kinds."""
    sums = parse_checksums(content, _WHERE)
    if set(sums) not in [{*COMMON, *own} for own in _FILES_OF.values()]:
        raise BundleError(
            f"{_WHERE}: {CHECKSUMS} must list {', '.join(COMMON)}, and either {TAGGER} and"
            f" {MODEL}, {CLUSTERS}, {TREES} or {LINKS_FILE}"
        )
    return sums


def _unpacked(unpack: Callable[[bytes], T], files: Mapping[str, bytes], name: str) -> T:
    try:
        return unpack(files[name])
    except BundleError as error:
        raise BundleError(f"{_WHERE}: {name}: {error}") from None


def _declaration(files: Mapping[str, bytes]) -> Declaration:
    data = json_object(files[TAGGER], TAGGER, _WHERE)
    features, lists = data.get("features"), data.get("dictionaries")
    if data.keys() != {"features", "sequence", "max_sequence", "dictionaries"}:
        raise BundleError(
            f"{_WHERE}: {TAGGER} must have features, sequence, max_sequence and dictionaries"
        )
    if not isinstance(features, list) or len(features) > MAX_FEATURES:
        raise BundleError(f"{_WHERE}: {TAGGER}: features must be a list of at most {MAX_FEATURES}")
    if not isinstance(data["sequence"], str):
        raise BundleError(f"{_WHERE}: {TAGGER}: sequence must be a string")
    try:
        declaration = Declaration(
            tuple(feature_from_json(feature) for feature in features),
            data["sequence"],
            data["max_sequence"],
        )
    except (UsageError, RecursionError) as error:
        raise BundleError(f"{_WHERE}: {TAGGER}: {error}") from None
    if not isinstance(lists, dict) or set(lists) != set(declaration.dictionaries):
        raise BundleError(f"{_WHERE}: {TAGGER}: dictionaries must list those that features need")
    for name, sha256 in lists.items():
        try:
            same = load_dictionary(name).sha256 == sha256
        except DictionaryError as error:
            raise BundleError(f"{_WHERE}: {error}") from None
        if not same:
            raise BundleError(
                f"{_WHERE}: {TAGGER}: trained with another version of dictionary {name!r}; "
                "train it again"
            )
    return declaration


def _model(files: Mapping[str, bytes]) -> CrfModel:
    model = _unpacked(unpack, files, MODEL)
    if not all(_TAG.fullmatch(tag) for tag in model.tags):
        raise BundleError(f"{_WHERE}: {MODEL}: a tag is not 1 to 32 printable ASCII characters")
    return model


def _clusters(content: bytes) -> dict[str, str]:
    try:
        lines = content.decode().split("\n")
    except UnicodeDecodeError:
        raise BundleError(f"{_WHERE}: {CLUSTERS} is not UTF-8") from None
    rows = [line.split("\t") for line in lines[:-1]]
    if lines[-1] or not rows:
        raise BundleError(f"{_WHERE}: {CLUSTERS} must not be empty, and must end with a line break")
    for number, row in enumerate(rows, 1):
        if len(row) != 2 or not row[0] or _UNFIT.search(row[0]) or not _CODE.fullmatch(row[1]):
            raise BundleError(
                f"{_WHERE}: {CLUSTERS}, line {number}: expected a word, a tab and a code of 1 to"
                f" {LONGEST_CODE} digits"
            )
    words = [word for word, _ in rows]
    if any(word >= after for word, after in zip(words, words[1:], strict=False)):
        raise BundleError(f"{_WHERE}: {CLUSTERS}: words must be sorted and unique")
    return dict((word, code) for word, code in rows)
