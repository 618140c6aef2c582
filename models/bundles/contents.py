"""What the files of a bundle say, validated: models, labels, dictionaries, auxiliary models."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...dictionaries import DICTIONARIES, Dictionary, DictionaryError
from ...dictionaries import load as load_dictionary
from ...dictionaries import parse as parse_dictionary
from ..auxiliary import AuxiliaryModel, open_auxiliary, refuse_in_bundle, require_auxiliary
from ..core.errors import BundleError, UsageError
from ..core.labels import LABELS
from ..crf.model_file import label_of, snap_bias
from ..families import FAMILIES, Model
from ..recipes import Recipe
from .layout import (
    AUXILIARY_FOLDER,
    DICTIONARY_FOLDER,
    auxiliary_in,
    dictionary_in,
    dictionary_path,
    model_paths,
)

LABEL = re.compile(r"[\w-]{1,64}")
"""What a label may be called, so that a tag can hold it."""
_TAG = re.compile(rf"O|[BIES]-{LABEL.pattern}")


class PackedModels(Mapping[str, Model]):
    """Key of a tagger -> its model, unpacked when first read.

    Raises:
        BundleError: on access, if a model is damaged or its tags are not those of a label scheme.
    """

    def __init__(self, recipe: Recipe, files: Mapping[str, bytes], where: str) -> None:
        """Takes the models of a recipe out of the files of its bundle, by path."""
        self._recipe, self._where = recipe, where
        self._paths = model_paths(recipe)
        self._packed = {key: files[path] for key, path in self._paths.items()}
        self._unpacked: dict[str, Model] = {}

    def __getitem__(self, key: str) -> Model:
        model = self._unpacked.get(key)
        if model is None:
            model = self._unpacked[key] = self._unpack(key)
        return model

    def forget(self) -> None:
        """Drops the unpacked models; the next access unpacks again."""
        self._unpacked.clear()

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)

    def _unpack(self, key: str) -> Model:
        where = f"{self._where}: {self._paths[key]}"
        family = FAMILIES[self._recipe.tagger_of[key].learner.family]
        try:
            model: Model = family.unpack(self._packed[key])
        except BundleError as error:
            raise BundleError(f"{where}: {error}") from None
        if not all(_TAG.fullmatch(tag) for tag in model.tags) or "O" not in model.tags:
            raise BundleError(f"{where}: its tags are not those of a label scheme")
        return model


def labels_of(models: Mapping[str, Model]) -> list[str]:
    """The labels of the tags of all models, sorted."""
    tags = {tag for model in models.values() for tag in model.tags}
    return sorted({label_of(tag) for tag in tags} - {"O"})


def is_label_map(label_map: object, labels: Sequence[str]) -> bool:
    """Whether a value maps each of the labels to a native one or None."""
    return (
        isinstance(label_map, dict)
        and set(labels) <= label_map.keys()
        and all(native is None or native in LABELS for native in label_map.values())
    )


def is_bias(bias: object) -> bool:
    """Whether a value is a number on the grid of the weights."""
    if type(bias) not in (int, float):
        return False
    assert isinstance(bias, int | float)
    try:
        return snap_bias(bias) == bias
    except (UsageError, OverflowError):
        return False


def open_dictionaries(
    listed: Mapping[str, Any], files: Mapping[str, bytes], recipe: Recipe, where: str
) -> dict[str, Dictionary]:
    """The dictionaries that the recipe needs, from the bundle or the package.

    Args:
        listed: the content of dictionaries.json.
        files: of the bundle, by path.
        recipe: of the bundle.
        where: names the bundle in messages.

    Raises:
        BundleError: if a dictionary is missing, is not needed, or does not have the listed hash.
    """
    if set(listed) != set(recipe.dictionaries):
        raise BundleError(
            f"{where}: dictionaries.json must list exactly the dictionaries of the recipe"
        )
    inside = {name for path in files if (name := dictionary_in(path)) is not None}
    opened = {}
    for name, entry in listed.items():
        if not isinstance(entry, dict) or not isinstance(entry.get("inside"), bool):
            raise BundleError(f"{where}: dictionaries.json: an entry is damaged")
        if entry["inside"] != (name in inside):
            raise BundleError(f"{where}: dictionaries.json does not match {DICTIONARY_FOLDER}/")
        opened[name] = _open_dictionary(name, files, recipe, where)
        if opened[name].sha256 != entry.get("sha256"):
            raise BundleError(
                f"{where}: dictionaries.json: trained with another version of dictionary {name!r}"
            )
    if inside - set(listed):
        raise BundleError(f"{where}: dictionaries.json does not match {DICTIONARY_FOLDER}/")
    return opened


def _open_dictionary(
    name: str, files: Mapping[str, bytes], recipe: Recipe, where: str
) -> Dictionary:
    content = files.get(dictionary_path(name))
    if content is None and name not in DICTIONARIES:
        raise BundleError(
            f"{where}: needs dictionary {name!r}, which this version does not ship with"
        )
    if content == b"" and name in recipe.made:
        # Nothing in the training part belongs there: the dictionary exists but is empty.
        return Dictionary(name, (), hashlib.sha256(b"").hexdigest())
    try:
        return load_dictionary(name) if content is None else parse_dictionary(name, content)
    except DictionaryError as error:
        raise BundleError(f"{where}: {error}") from None


def require_in_bundle(recipe: Recipe, where: str) -> None:
    """Checks that a bundle may hold the auxiliary models that a recipe needs.

    Raises:
        BundleError: if one of them is for studies alone.
    """
    try:
        refuse_in_bundle(f"recipe {recipe.name}", recipe.auxiliary)
    except UsageError as error:
        raise BundleError(f"{where}: {error}") from None


def open_auxiliary_models(
    files: Mapping[str, bytes], recipe: Recipe, where: str
) -> dict[str, AuxiliaryModel]:
    """The auxiliary models in a bundle.

    Args:
        files: of the bundle, by path.
        recipe: of the bundle.
        where: names the bundle in messages.

    Raises:
        BundleError: if they are not exactly those that the recipe needs, one is damaged, or one
            may be in no bundle.
    """
    require_in_bundle(recipe, where)
    inside: dict[str, dict[str, bytes]] = {}
    for path, content in files.items():
        if (place := auxiliary_in(path)) is not None:
            inside.setdefault(place[0], {})[place[1]] = content
    if set(inside) != set(recipe.auxiliary):
        raise BundleError(
            f"{where}: {AUXILIARY_FOLDER}/ must hold exactly the auxiliary models of the recipe: "
            f"{', '.join(recipe.auxiliary) or 'none'}"
        )
    models = {}
    for name, inner in inside.items():
        try:
            models[name] = open_auxiliary(inner)
        except BundleError as error:
            raise BundleError(f"{where}: {AUXILIARY_FOLDER}/{name}: {error}") from None
        if models[name].name != name:
            raise BundleError(
                f"{where}: {AUXILIARY_FOLDER}/{name}: holds the model {models[name].name!r}"
            )
    try:
        for tagger in recipe.taggers:
            require_auxiliary(f"recipe {recipe.name}", tagger.features, models)
    except UsageError as error:
        raise BundleError(f"{where}: {error}") from None
    return models
