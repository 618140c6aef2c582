"""Recipes and the papers' declarations."""

import copy
import dataclasses
import itertools
import json

import pytest
from scrubline import dictionaries
from scrubline.models.errors import BundleError, UsageError
from scrubline.models.features import (
    CharacterClass,
    Gazetteer,
    Word,
    at,
    gazetteer_from_phrases,
    together,
)
from scrubline.models.features.featurizing import featurize
from scrubline.models.recipes import (
    DECLARATIONS,
    RECIPES,
    Learner,
    Recipe,
    hide,
    with_dictionaries,
)
from scrubline.models.recipes.recipe import dictionaries_of
from scrubline.models.tokenizing import tokenize_documents

TEXTS = [
    "Family History: Dr. Ada Lovelace (MRN 12-345) of New York\nwas seen on 3/4/2012.",
    '"PO/5mg" for 45-year-old\n\nMr. X',
    None,
]


def recipe_with(features: tuple, layer: str, scheme: str = "BIO") -> Recipe:
    return Recipe(
        name="declared",
        layer=layer,
        sequence="line",
        features=features,
        scheme=scheme,
        learner=Learner("averaged-perceptron"),
        dictionaries=dictionaries_of(features),
    )


def featurized(recipe: Recipe) -> dict[str, list[str]]:
    """The attributes of the first item of each text, with every resource given."""
    tokens = tokenize_documents(TEXTS)
    trie = gazetteer_from_phrases(["New York", "Ada"], recipe.layer)
    gazetteers = {name: trie for name in recipe.dictionaries}
    clusters = {name: {"Ada": "010110110101", "of": "0"} for name in recipe.dictionaries}
    tags = {name: ["NN"] * len(tokens) for name in recipe.tags}
    found = featurize(TEXTS, tokens, recipe, gazetteers, tags, clusters=clusters)
    rows = {}
    for item, start in enumerate(found.starts.tolist()):
        ids = found.attribute_ids[found.item_offsets[item] : found.item_offsets[item + 1]]
        rows.setdefault(TEXTS[0][start : found.ends[item]], [found.attributes[i] for i in ids])
    return rows


@pytest.mark.parametrize("layer", ["fine", "coarse", "character"])
@pytest.mark.parametrize("name", DECLARATIONS)
def test_every_declaration_can_be_featurized(name: str, layer: str) -> None:
    recipe = recipe_with(DECLARATIONS[name], layer)
    assert len(featurized(recipe)) > 5
    assert Recipe.from_json(json.loads(json.dumps(recipe.as_json()))) == recipe


@pytest.mark.parametrize(
    ("name", "word", "expected"),
    [
        (
            "hide",
            "Ada",
            "w[0]=Ada w[-1]=. w[-2]=Dr w[1]=Lovelace w[4]=12 pre3[0]=Ada suf1[0]=a"
            " is[0]=UPPER-LOWER in.surnames_en[0]=1 share.sequence[0]=4",
        ),
        (
            "wi-deid",
            "Lovelace",
            "lower[0]=lovelace lower[-2]=. pre4.whole[-1]=Ada shape[0]=Aaaaaaaa len32[0]=8"
            " is[0]=HASCAP in.city[-1]=1 tag.pos[2]=NN",
        ),
        (
            "hitsz-token",
            "York",
            "w[-1]=New|w[0]=York w[0]=York|tag.pos[-1]=NN|tag.pos[1]=\\E"
            " tag.pos[-2]=NN|tag.pos[-1]=NN|tag.pos[0]=NN suf4[0]=York bioes.city[0]=E"
            " shape.Aa#-[0]=Aaaa short.Aa#-[0]=Aa tag.ner[0]=NN",
        ),
        (
            "szeged",
            "Ada",
            "lower[0]=ada is[0]=INITCAPS cluster0.frequency[0]=010110110101"
            " tag.previous[-4]=NN sentence.quoted[0]=0",
        ),
        (
            "stat-deid",
            "Ada",
            "w[0]=Ada w[-2]=Dr|w[-1]=. w[1]=Lovelace|w[2]=( is.INITCAPS[0]=INITCAPS len64[0]=3"
            " cluster1.mesh[0]=0 cluster3.mesh[0]=010 in.names[0]=1",
        ),
    ],
)
def test_declarations_give_what_the_papers_name(name: str, word: str, expected: str) -> None:
    assert set(expected.split()) <= set(featurized(recipe_with(DECLARATIONS[name], "fine"))[word])


def test_hitsz_characters() -> None:
    row = featurized(recipe_with(DECLARATIONS["hitsz-character"], "character", "BIOES"))["F"]
    assert {"c.blank[0]=F|c.blank[1]=a|c.blank[2]=m", "c.blank[-5]=\\B", "tag.pos[0]=B-NN"} <= set(
        row
    )
    assert "c.blank[5]=y" in row
    assert not any("pre" in name or "w[" in name for name in row)


def test_the_shapes_of_the_paper() -> None:
    text = "PO/5mg"
    shapes = [
        f for f in DECLARATIONS["hitsz-token"] if f.template in ("shape.Aa#-[0]", "short.Aa#-[0]")
    ]
    tokens = tokenize_documents([text])
    one = dataclasses.replace(
        tokens,
        document_offsets=tokens.document_offsets * 0 + [0, 1],
        starts=tokens.starts[:1],
        ends=tokens.ends[-1:],
        **{
            n: getattr(tokens, n)[:1]
            for n in ("starts_coarse", "starts_line", "starts_sentence", "sections")
        },
    )
    found = featurize([text], one, recipe_with(tuple(shapes), "fine"), {})
    assert found.attributes == ("shape.Aa#-[0]=AA-#aa", "short.Aa#-[0]=A-#a")


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_are_complete(name: str) -> None:
    recipe = RECIPES[name]
    assert recipe.name == name
    assert recipe.tags == ()
    assert hash(recipe) == hash(copy.deepcopy(recipe))
    assert Recipe.from_json(json.loads(json.dumps(recipe.as_json()))) == recipe


def test_hide_has_all_subsets_of_its_groups() -> None:
    subsets = [g for n in range(1, 5) for g in itertools.combinations(hide.GROUPS, n)]
    assert len(subsets) == 15
    recipes = [hide.hide(groups) for groups in subsets]
    assert len({recipe.name for recipe in recipes}) == 15
    assert recipes[-1] == RECIPES["hide"]
    for recipe, groups in zip(recipes, subsets, strict=True):
        rest = set(recipe.features) - set(hide.TERM)
        assert rest == {feature for name in groups for feature in hide.group(name)}
        assert bool(recipe.dictionaries) == ("dictionary" in groups)
    assert hide.hide(groups=()).name == "hide-none"
    assert hide.hide(dictionaries=["b", "a"]).dictionaries == ("a", "b")
    with pytest.raises(UsageError, match="known: regex, affix, context, dictionary"):
        hide.hide(["words"])


GOOD = RECIPES["hide"].as_json()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "a b"}, "name must be"),
        ({"name": 3}, "name must be a string"),
        ({"layer": "words"}, "layer must be one of character, coarse, fine"),
        ({"layer": []}, "layer must be a string"),
        ({"sequence": "page"}, "sequence must be one of"),
        ({"scheme": "IOB"}, "scheme must be one of BIO, BIOES"),
        ({"max_sequence": 0}, "max_sequence must be"),
        ({"max_sequence": 10**12}, "max_sequence must be"),
        ({"max_sequence": True}, "max_sequence must be"),
        ({"max_sequence": "9"}, "max_sequence must be a whole number"),
        ({"seed": -1}, "seed must be"),
        ({"features": []}, "features must be 1 to"),
        ({"features": {}}, "features must be a list"),
        ({"features": [[]] * 3_000}, "features must be a list of at most"),
        ({"features": [None]}, "expected a list of"),
        ({"features": GOOD["features"][:1] * 2, "dictionaries": []}, "declared twice"),
        ({"dictionaries": []}, "dictionaries must be those the features name"),
        ({"dictionaries": [1]}, "dictionaries must be a list of strings"),
        ({"dictionaries": [*GOOD["dictionaries"], "zz"]}, "dictionaries must be those"),
        ({"learner": None}, "learner: expected an object"),
        ({"learner": {"algorithm": "lbfgs"}}, "learner: keys parameters are missing"),
        ({"learner": {"algorithm": "exec", "parameters": {}}}, "algorithm must be one of"),
        ({"learner": {"algorithm": 1, "parameters": {}}}, "algorithm must be a string"),
        ({"learner": {"algorithm": "lbfgs", "parameters": []}}, "parameters must be an object"),
        ({"learner": {"algorithm": "lbfgs", "parameters": {"c3": 1}}}, "parameter must be one of"),
        (
            {"learner": {"algorithm": "lbfgs", "parameters": {"c1": "x"}}},
            "c1 must be a finite number",
        ),
        ({"learner": {"algorithm": "lbfgs", "parameters": {"c1": float("nan")}}}, "c1 must be"),
        ({"learner": {"algorithm": "lbfgs", "parameters": {"c1": float("inf")}}}, "c1 must be"),
        ({"learner": {"algorithm": "lbfgs", "parameters": {"c1": None}}}, "a number or a word"),
        (
            {"learner": {"algorithm": "lbfgs", "parameters": {"linesearch": "x"}}},
            "must be one of Backtracking",
        ),
        (
            {"learner": {"algorithm": "averaged-perceptron", "parameters": {"c1": 1}}},
            "must be one of",
        ),
        ({"__reduce__": "x"}, "unknown keys '__reduce__'"),
        ({0: "x"}, "unknown keys int"),
    ],
)  # fmt: skip
def test_bad_recipes_are_refused_by_name(change: dict, message: str) -> None:
    with pytest.raises(BundleError, match=message):
        Recipe.from_json({**GOOD, **change})


@pytest.mark.parametrize("data", [None, [], "recipe", 3])
def test_no_recipe_at_all(data: object) -> None:
    with pytest.raises(BundleError, match="recipe: expected an object"):
        Recipe.from_json(data)


@pytest.mark.parametrize("key", GOOD)
def test_missing_keys_are_named(key: str) -> None:
    with pytest.raises(BundleError, match=f"recipe: keys {key} are missing"):
        Recipe.from_json({name: value for name, value in GOOD.items() if name != key})


def test_features_that_would_share_attributes_are_refused() -> None:
    features = (
        *at(CharacterClass(("ALPHA", "NUMBER")), 0),
        *at(CharacterClass(("ALPHA", "ROMAN")), 0),
    )
    with pytest.raises(UsageError, match="different properties are both called is"):
        recipe_with(features, "fine")


def test_learner_sorts_and_names_its_parameters() -> None:
    learner = Learner.of("lbfgs", period=1, feature_minfreq=2, c1=0.5)
    assert learner.parameters == (("c1", 0.5), ("feature.minfreq", 2), ("period", 1))
    with pytest.raises(UsageError, match="sorted by name"):
        Learner("lbfgs", (("c2", 1.0), ("c1", 1.0)))


def test_dictionaries_of_sorts_and_leaves_out_tags() -> None:
    features = (*at(Gazetteer("b"), 0), *at(Gazetteer("a", "bioes"), 0), *at(Word(), 0))
    assert dictionaries_of(features) == ("a", "b")


def test_other_dictionaries_are_seen_where_the_recipe_saw_its_own() -> None:
    assert with_dictionaries(RECIPES["hide"], ["b", "a", "a"]) == hide.hide(dictionaries=["a", "b"])
    none = with_dictionaries(RECIPES["hide"], [])
    assert none.features == hide.hide(["regex", "affix", "context"]).features
    assert none.dictionaries == ()
    wide = recipe_with(DECLARATIONS["wi-deid"], "fine")
    other = with_dictionaries(wide, ["x"])
    assert len(wide.features) - len(other.features) == 4 * 5
    assert set(at(Gazetteer("x"), -2, -1, 0, 1, 2)) <= set(other.features)
    clusters = recipe_with(DECLARATIONS["hitsz-token"], "fine")
    assert with_dictionaries(clusters, ["x"]).dictionaries == ("brown", "word2vec", "x")


def test_dictionaries_need_a_place() -> None:
    with pytest.raises(UsageError, match="hide-r has no features of dictionaries"):
        with_dictionaries(hide.hide(["regex"]), ["x"])
    assert with_dictionaries(hide.hide(["regex"]), []) == hide.hide(["regex"])
    both = together((Gazetteer("a"), 0), (Gazetteer("b"), 1))
    with pytest.raises(UsageError, match="several dictionaries"):
        with_dictionaries(recipe_with((both,), "fine"), ["x"])


def test_the_dictionaries_of_recipes_are_shipped() -> None:
    for recipe in RECIPES.values():
        assert set(recipe.dictionaries) <= dictionaries.DICTIONARIES.keys()
