"""Bundles: a trained model as a folder, with all that it takes to open it years later.

The folder is checksummed (`models.storage.checksummed`); `layout` lists its files. Once the
checksums agree, the content of each file is still validated, and no file holds code.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.resources
import json
from collections.abc import Mapping
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Any

from ...dictionaries import DICTIONARIES, Dictionary
from ...dictionaries import load as load_dictionary
from ..auxiliary import AuxiliaryModel
from ..core.errors import BundleError, ScrublineError, error_class
from ..core.forksafe import ForkSafeLock
from ..core.labels import UNKNOWN_KIND
from ..core.shortage import raise_shortage
from ..core.suggestions import did_you_mean
from ..crf.model_file import snap_bias
from ..families import FAMILIES, Family, Model
from ..recipes import Recipe, TaggerRecipe
from ..storage.checksummed import (
    CHECKSUMS,
    Folder,
    checksums,
    json_object,
    package_folder,
    remote_folder,
    render_card,
    require_listed,
    require_sum,
    to_json,
    write_checksummed,
)
from . import tagger_cache
from .contents import (
    PackedModels,
    is_bias,
    is_label_map,
    labels_of,
    open_auxiliary_models,
    open_dictionaries,
    require_in_bundle,
)
from .layout import (
    NAME_FORM,
    auxiliary_path,
    dictionary_path,
    is_bundle_name,
    is_model,
    may_be_folder,
    model_paths,
    parse_bundle_checksums,
    read_bundle_file,
)

DEFAULT_MODEL = "en-default"
"""The bundle that runs use by default."""

TEMPERATURE = "risk_temperature"
"""Key of the card."""

TEMPERATURES: Mapping[str, float] = {"averaged-perceptron": 16.0}
"""Learning algorithm -> its temperature, where that is not 1."""

MOST_TEMPERATURE = 1e6
"""Far beyond it every tag is as likely as another."""

NO_MODEL = "none"
"""Given in place of a name: run rules alone."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Bundle:
    """A validated bundle; made only by `open_bundle`, `make_bundle` and `revise_bundle`.

    Attributes:
        name: from its card.
        hash: SHA-256 of its `CHECKSUMS`, in hexadecimal: bundles with equal hashes are the same
            bytes.
        recipe: that it was trained with.
        models: key of a tagger -> its model, in the order of the recipe's taggers.
        labels: the labels of all tags, sorted, as in the corpus that it was trained on.
        label_map: label -> native label, or None if the native set has no such PHI; None as a whole
            if the labels are native.
        biases: label (or "O") -> bias, on the grid of the weights.
        dictionaries: those that the recipe needs.
        auxiliary: the auxiliary models that the recipe needs.
        card: the content of `card.json`.
        files: all files but `CHECKSUMS`, by path in the folder.
    """

    name: str
    hash: str
    recipe: Recipe = dataclasses.field(repr=False)
    models: Mapping[str, Model] = dataclasses.field(repr=False)
    labels: tuple[str, ...]
    label_map: Mapping[str, str | None] | None = dataclasses.field(repr=False)
    biases: Mapping[str, float] = dataclasses.field(repr=False)
    dictionaries: Mapping[str, Dictionary] = dataclasses.field(repr=False)
    auxiliary: Mapping[str, AuxiliaryModel] = dataclasses.field(repr=False)
    card: Mapping[str, Any] = dataclasses.field(repr=False)
    files: Mapping[str, bytes] = dataclasses.field(repr=False)

    def temperature_of(self, tagger: TaggerRecipe) -> float:
        """By what the scores of a tagger are divided to tell risks: see `models.risk.scoring`.

        The card's `risk_temperature`, else what suits the learner. Weights of a perceptron are no
        logarithms of probabilities: 16 put documents with misses first best, of 1 to 16.
        """
        own = self.card.get(TEMPERATURE)
        return float(TEMPERATURES.get(tagger.learner.algorithm, 1.0) if own is None else own)


# Making


def make_bundle(
    name: str,
    *,
    recipe: Recipe,
    models: Mapping[str, Model],
    dictionaries: Mapping[str, Dictionary],
    auxiliary: Mapping[str, AuxiliaryModel] = MappingProxyType({}),
    label_map: Mapping[str, str | None] | None = None,
    biases: Mapping[str, float] | None = None,
    card: Mapping[str, Any] | None = None,
    packed: Mapping[str, bytes] = MappingProxyType({}),
) -> Bundle:
    """Assembles a bundle and validates it as `open_bundle` does.

    Args:
        name: see `NAME_FORM`.
        recipe: that it was trained with.
        models: key of a tagger -> its model, weights on the grid.
        dictionaries: at least those that the recipe needs; others are left out.
        auxiliary: at least the models that the recipe needs; others are left out.
        label_map: see `Bundle`.
        biases: rounded to the grid; biases of 0 are left out.
        card: JSON values, without "name"; `card.md` is rendered from them.
        packed: key of a tagger -> its packed model, where there is one; packing a large model takes
            many seconds.

    Raises:
        BundleError: if these do not fit together, or the recipe needs an auxiliary model that may
            be in no bundle.
    """
    require_in_bundle(recipe, f"bundle {name}")
    listed, lists = _pack_dictionaries(recipe, dictionaries)
    snapped = {label: snap_bias(bias) for label, bias in (biases or {}).items()}
    # Through JSON and back, so that a new card and one that was read render alike.
    full_card = json.loads(to_json({**(card or {}), "name": name}))
    labels = {
        "labels": labels_of(models),
        "tags": {key: model.tags for key, model in models.items()},
        "label_map": label_map,
    }
    files = {
        "biases.json": to_json({label: bias for label, bias in snapped.items() if bias}),
        "card.json": to_json(full_card),
        "card.md": render_card(full_card).encode(),
        "dictionaries.json": to_json(listed),
        "labels.json": to_json(labels),
        "recipe.json": to_json(recipe.as_json()),
        **{
            path: packed.get(key) or _family(recipe, key).pack(models[key])
            for key, path in model_paths(recipe).items()
            if key in models
        },
        **lists,
        **{
            auxiliary_path(key, file): content
            for key in sorted(set(recipe.auxiliary) & auxiliary.keys())
            for file, content in auxiliary[key].files.items()
        },
    }
    # A name that no dictionary file may have would make a bundle that cannot be opened again.
    parse_bundle_checksums(checksums(files), f"bundle {name}")
    return _validated(files, f"bundle {name}")


def _family(recipe: Recipe, key: str) -> Family:
    return FAMILIES[recipe.tagger_of[key].learner.family]


def _pack_dictionaries(
    recipe: Recipe, dictionaries: Mapping[str, Dictionary]
) -> tuple[dict[str, dict[str, object]], dict[str, bytes]]:
    """The content of dictionaries.json, and the files of the dictionaries that do not ship."""
    listed: dict[str, dict[str, object]] = {}
    files: dict[str, bytes] = {}
    for name in sorted(set(recipe.dictionaries) & dictionaries.keys()):
        dictionary = dictionaries[name]
        ships = name in DICTIONARIES and load_dictionary(name).sha256 == dictionary.sha256
        sha256 = dictionary.sha256
        if not ships:
            files[dictionary_path(name)] = content = dictionary.to_bytes()
            sha256 = hashlib.sha256(content).hexdigest()
        listed[name] = {"sha256": sha256, "inside": not ships}
    return listed, files


def revise_bundle(
    bundle: Bundle,
    *,
    models: Mapping[str, Model] | None = None,
    biases: Mapping[str, float] | None = None,
    card: Mapping[str, Any] | None = None,
) -> Bundle:
    """The bundle with its models or biases replaced, or with entries added to its card."""
    return make_bundle(
        bundle.name,
        recipe=bundle.recipe,
        models=bundle.models if models is None else models,
        dictionaries=bundle.dictionaries,
        auxiliary=bundle.auxiliary,
        label_map=bundle.label_map,
        biases=bundle.biases if biases is None else biases,
        card={**bundle.card, **(card or {})},
        packed={key: bundle.files[path] for key, path in model_paths(bundle.recipe).items()}
        if models is None
        else {},
    )


def write_bundle(bundle: Bundle, url: str) -> None:
    """Writes a bundle as a new folder, `CHECKSUMS` last.

    Raises:
        BundleError: if the folder exists and is not empty, or cannot be written.
    """
    write_checksummed(bundle.files, url, "bundle")


# Opening

_KEPT = 8
_lock = ForkSafeLock()
_opened: dict[str, Bundle] = {}


def bundled_names() -> tuple[str, ...]:
    """Names of the bundles that ship with the package, sorted."""
    folder = _shipped()
    if not folder.is_dir():
        return ()
    return tuple(
        sorted(entry.name for entry in folder.iterdir() if entry.joinpath(CHECKSUMS).is_file())
    )


def _shipped(*name: str) -> Traversable:
    return importlib.resources.files(__package__).joinpath("bundled", *name)


def open_bundle(name_or_url: str) -> Bundle:
    """Opens a bundle; each is opened once per process and shared.

    `CHECKSUMS` is always read; the other files only if no bundle with this hash is open.

    Args:
        name_or_url: name of a shipped bundle; anything with a slash or a backslash is the path or
            URL of a folder, opened by fsspec.

    Raises:
        BundleError: if there is no such bundle, or it is incomplete or damaged. The message names
            the faulty file of the bundle but never the URL, which may hold a name or a token.
    """
    if "/" in name_or_url or "\\" in name_or_url:
        where, folder = "the bundle", remote_folder(name_or_url, "bundle")
    elif name_or_url in bundled_names():
        where = f"bundle {name_or_url}"
        folder = package_folder(_shipped(name_or_url))
    else:
        raise BundleError(
            f"no such bundle{did_you_mean(name_or_url, bundled_names())}; expected one of "
            f"{list(bundled_names())}, or the path or URL of a folder (with a slash, as in "
            "./folder)"
        )
    return _open(folder, where)


def _open(folder: Folder, where: str) -> Bundle:
    sums_content = read_bundle_file(folder, CHECKSUMS, where)
    digest = hashlib.sha256(sums_content).hexdigest()
    with _lock:
        if digest in _opened:
            _opened[digest] = _opened.pop(digest)  # most recently used last
            return _opened[digest]
    sums = parse_bundle_checksums(sums_content, where)
    try:
        present = folder.files(may_be_folder)
    except Exception as error:
        raise_shortage(error)
        raise BundleError(f"{where}: its folder cannot be listed: {error_class(error)}") from None
    require_listed(present, sums, where)
    files = {}
    for name in sums:
        files[name] = read_bundle_file(folder, name, where)
        require_sum(name, files[name], sums, where)
    bundle = _validated(files, where)
    with _lock:
        _opened[digest] = bundle
        while len(_opened) > _KEPT:
            del _opened[next(iter(_opened))]
    return bundle


def _validated(files: Mapping[str, bytes], where: str) -> Bundle:
    """The bundle in these files, if they fit together."""

    def table(name: str) -> dict[str, Any]:
        return json_object(files[name], name, where)

    def refuse(name: str, what: str) -> BundleError:
        return BundleError(f"{where}: {name}: {what}")

    raw_recipe = table("recipe.json")
    try:
        recipe = Recipe.from_json(raw_recipe)
    except ScrublineError as error:
        raise refuse("recipe.json", str(error)) from None
    except Exception as error:
        raise_shortage(error)
        raise refuse("recipe.json", f"not a recipe ({error_class(error)})") from None

    keys = recipe.keys
    if set(model_paths(recipe).values()) != set(filter(is_model, files)):
        raise refuse("recipe.json", f"its taggers are {[*keys]}, but the model files differ")
    digest = hashlib.sha256(checksums(files)).hexdigest()
    models = PackedModels(recipe, files, where)
    listed = table("labels.json")
    if all(tagger_cache.is_kept(tagger_cache.name_of(digest, key)) for key in keys):
        # The same code validated the same bytes before, and unpacking weights takes long.
        labels = tuple(listed["labels"])
    else:
        labels = tuple(labels_of(models))
        tags = {key: list(model.tags) for key, model in models.items()}
        if listed.get("labels") != list(labels) or listed.get("tags") != tags:
            raise refuse("labels.json", "its labels or tags do not match the weights")
    label_map = listed.get("label_map")
    if label_map is not None and not is_label_map(label_map, labels):
        raise refuse("labels.json", "label_map must give each label a native label or null")
    if label_map is not None and recipe.classes == "two" and label_map[UNKNOWN_KIND] is None:
        # All that its taggers find would be dropped.
        raise refuse("labels.json", f"label_map must give {UNKNOWN_KIND} a native label")

    biases = table("biases.json")
    if unknown := sorted(biases.keys() - {*labels, "O"}):
        raise refuse("biases.json", f"unknown labels {unknown}")
    if not all(map(is_bias, biases.values())):
        raise refuse("biases.json", "a bias is not a number on the grid of the weights")

    card = table("card.json")
    name = card.get("name")
    if not isinstance(name, str) or not is_bundle_name(name):
        raise refuse("card.json", f"name must be {NAME_FORM}")
    if not _is_temperature(card.get(TEMPERATURE, 1.0)):
        raise refuse("card.json", f"{TEMPERATURE} must be above 0 and at most {MOST_TEMPERATURE:g}")

    return Bundle(
        name=name,
        hash=digest,
        recipe=recipe,
        models=models,
        labels=labels,
        label_map=label_map,
        biases={label: float(bias) for label, bias in biases.items()},
        dictionaries=open_dictionaries(table("dictionaries.json"), files, recipe, where),
        auxiliary=open_auxiliary_models(files, recipe, where),
        card=card,
        files=files,
    )


def _is_temperature(value: object) -> bool:
    return type(value) in (int, float) and 0 < value <= MOST_TEMPERATURE  # type: ignore[operator]
