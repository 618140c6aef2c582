"""Learner families: what training, bundles and taggers do with the models of each.

A new family is a room with these functions, a line in `FAMILIES`, its algorithms in
`learners.ALGORITHMS`, and the kind of its detectors in `core.detectors`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ..core.errors import UsageError
from ..core.feature_rows import Features
from ..crf import decoding as crf_decoding
from ..crf import learning as crf_learning
from ..crf import packed as crf_packed
from ..crf.learning import Progress
from ..learners import ALGORITHMS, Learner
from ..learners.decoder import Decoder
from ..margin import learning as margin_learning
from ..trees import decoding as trees_decoding
from ..trees import learning as trees_learning
from ..trees import packed as trees_packed
from ..trees.declaration import TreesDeclaration


class Model(Protocol):
    """What a learner gives, and bundles keep.

    Attributes:
        tags: in the order of their ids.
        attributes: strings that the model knows; the id of one is its index.
    """

    @property
    def tags(self) -> tuple[str, ...]:
        """In the order of their ids."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """Strings that the model knows; the id of one is its index."""


@dataclasses.dataclass(frozen=True, slots=True)
class Family:
    """The functions of one family.

    Attributes:
        suffix: of its model files in a bundle.
        libraries: distributions that train it; cards give their versions.
        learn: features, tags and learner, and of trees the coding -> a model that can be packed.
        pack: a model -> the content of its file; the same model gives the same bytes.
        unpack: the content of a file -> the model, validated.
        open_decoder: a model -> its fastest decoder.
        open_reference: a model -> the decoder that all others have to agree with.
        arrays: a model -> tuples, numbers, strings and arrays that the cache of taggers can keep;
            of trees with attributes, whose places are then the ids, in place of the model's own.
        open_arrays: those -> a decoder on the extension, which takes `Indexed` features alone.
    """

    suffix: str
    libraries: tuple[str, ...]
    learn: Callable[..., Any]
    pack: Callable[[Any], bytes]
    unpack: Callable[[bytes], Any]
    open_decoder: Callable[[Any], Decoder]
    open_reference: Callable[[Any], Decoder]
    arrays: Callable[..., Any]
    open_arrays: Callable[[Any], Decoder]


_CRF = Family(
    "crf.xz",
    ("python-crfsuite",),
    crf_learning.learn,
    crf_packed.pack,
    crf_packed.unpack,
    crf_decoding.open_decoder,
    crf_decoding.ReferenceDecoder,
    crf_decoding.model_arrays,
    crf_decoding.NativeDecoder,
)


def _learn_trees(
    features: Features,
    tags: Sequence[Sequence[str]],
    learner: Learner,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    coding: TreesDeclaration,
) -> Any:
    """Nothing is drawn at random: the seed does not matter."""
    values = dict(learner.parameters)
    whole = {
        name: int(value)
        for name, value in values.items()
        if name in ("rounds", "least") and isinstance(value, int | float) and value == int(value)
    }
    parameters = trees_learning.BoostingParameters.of(**{**values, **whole})  # type: ignore[arg-type]
    return trees_learning.learn(features, tags, coding, parameters, progress=progress)


def _open_trees(arrays: Any) -> Decoder:
    return trees_decoding.NativeTreesDecoder(trees_decoding.ModelArrays(*arrays))


_TREES = Family(
    "trees.xz",
    (),
    _learn_trees,
    trees_packed.pack,
    trees_packed.unpack,
    trees_decoding.open_decoder,
    trees_decoding.ReferenceTreesDecoder,
    trees_decoding.model_arrays,
    _open_trees,
)

FAMILIES: dict[str, Family] = {
    "crf": _CRF,
    # Its functions are weights of a CRF without transitions.
    "margin": dataclasses.replace(
        _CRF, suffix="svm.xz", libraries=("scikit-learn",), learn=margin_learning.learn
    ),
    "trees": _TREES,
}
"""The table of learner families; the keys are those of `learners.Algorithm.family`."""


def learn(
    features: Features,
    tags: Sequence[Sequence[str]],
    learner: Learner,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    coding: TreesDeclaration | None = None,
) -> Any:
    """Trains a model of the learner's family; see the `learn` of the family's room."""
    more = {} if coding is None else {"coding": coding}
    of_family = FAMILIES[learner.family].learn
    return of_family(features, tags, learner, seed=seed, progress=progress, **more)


def require_crf(algorithm: str, what: str) -> None:
    """Refuses the algorithms of other families where only CRFs will do.

    Raises:
        UsageError: naming those that will.
    """
    if ALGORITHMS[algorithm].family != "crf":
        known = [name for name, one in ALGORITHMS.items() if one.family == "crf"]
        raise UsageError(f"{what} must be one of {', '.join(known)}, not {algorithm}")
