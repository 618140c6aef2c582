"""A feature kind is a file and a line in the table, whether the extension has its column or not.

A kind in Python alone is made in Python, and nothing else of the tagger is: it is compiled, cached
and cut into pieces as all others are.
"""

import json

import pytest
from scrubline.models.native import SWITCH, extension

from ..toy_tree import run_in, tree_with

IN_PYTHON = '''"""A toy: the last letter of the item."""

import dataclasses
from typing import ClassVar

from .base import (Column, Items, Property, one_each,)
from .native_columns import NativeBuilder, NativeWay
from .native_maps import Numbers, values_of


@dataclasses.dataclass(frozen=True, slots=True)
class LastLetter(Property):
    """The last letter."""

    KIND: ClassVar[str] = "last_letter"

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return "last"

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        return one_each((word[-1] for word in items.words), by_word=True)
'''
NATIVE = '''
    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        return NativeWay.OF_WORDS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        return columns.words.look_up(dict(values_of(numbers)), cut="suffix", n=1)
'''
SCRIPT = """
import json
from scrubline.models.bundles import tagger_cache
from scrubline.models.bundles.tagger import Tagger
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.features import KINDS, Word, at
from scrubline.models.recipes.recipe import Learner, Recipe
from scrubline.models.text.tokenizer import tokenize_documents
from scrubline.models.training import train

tagger_cache.LEAST_BYTES = 0
toy = KINDS["last_letter"]()
recipe = Recipe.single(
    name="toy", layer="merged", sequence="line", scheme="BIO",
    features=at(toy, 0) + at(Word(), 0),
    learner=Learner.of("averaged-perceptron", max_iterations=50),
)
text = "Seen by Dr. {} today\\nand by {} again"
notes = []
names = ("Ada", "Mira"), ("Eva", "Nora"), ("Tom", "Jim"), ("Lola", "Ben")
for n, (one, other) in enumerate(names):
    whole = text.format(one, other)
    spans = tuple(
        Annotation(whole.index(name), whole.index(name) + len(name), "DOCTOR")
        for name in (one, other) if name.endswith("a")
    )
    notes.append(AnnotatedDocument(str(n), whole, spans))
bundle = train(recipe, notes, dictionaries={}, name="toy")
name = tagger_cache.name_of(bundle.hash, "token")
before = tagger_cache.is_kept(name)
tagger = Tagger(bundle)
texts = [text.format("Greta", "Tim"), None, text.format("Sam", "Petra") * 3, ""]
tokens = tokenize_documents(texts)
found = tagger.label_documents(tagger.featurize(texts, tokens))
index = getattr(tagger.opened.featurize, "__self__", None)
print(json.dumps({
    "found": [[(t[c.start : c.end], c.score) for c in own] for t, own in zip(texts, found)],
    "hash": bundle.hash,
    "cached": [before, tagger_cache.is_kept(name)],
    "in_python": None if index is None else [each.KIND for each in index._in_python],
}))
"""


@pytest.fixture(scope="module", params=["in Python alone", "by the extension"])
def tree(request, tmp_path_factory):
    content = IN_PYTHON + (NATIVE if request.param == "by the extension" else "")
    edits = {
        "from .length import Length\n": (
            "from .last_letter import LastLetter\nfrom .length import Length\n"
        ),
        '    "length": Length,\n': '    "last_letter": LastLetter,\n    "length": Length,\n',
    }
    folder = tmp_path_factory.mktemp("tree")
    tree_with(folder, "models/features", {"last_letter.py": content}, "__init__.py", edits)
    return folder, request.param


@pytest.mark.skipif(extension() is None, reason="the native extension is not built here")
@pytest.mark.slow
def test_it_trains_and_decodes_natively_as_the_reference_does(tree):
    folder, way = tree
    cache = {"SCRUBLINE_CACHE": str(folder / "cache")}
    (folder / "script.py").write_text(SCRIPT)
    reference = json.loads(run_in(folder, "script.py", **cache, **{SWITCH: "0"}))
    names = [[name for name, _ in own] for own in reference["found"]]
    assert names == [["Greta"], [], ["Petra", "Petra", "Petra"], []]
    assert reference["in_python"] is None
    compiled = json.loads(run_in(folder, "script.py", **cache))
    mapped = json.loads(run_in(folder, "script.py", **cache))
    assert (compiled["cached"], mapped["cached"]) == ([False, True], [True, True])
    for native in (compiled, mapped):
        assert (native["found"], native["hash"]) == (reference["found"], reference["hash"])
        assert native["in_python"] == ([] if way == "by the extension" else ["last_letter"])
