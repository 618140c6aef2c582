"""Recipes and the papers' declarations."""

import copy
import dataclasses
import itertools
import json

import pytest
from scrubline import dictionaries
from scrubline.models.core.errors import BundleError, UsageError
from scrubline.models.features import (
    CharacterClass,
    Cluster,
    Gazetteer,
    Tag,
    Word,
    at,
    gazetteer_from_phrases,
    together,
)
from scrubline.models.features.featurizing import featurize
from scrubline.models.recipes import (
    DECLARATIONS,
    FAMILIES,
    RECIPES,
    Extension,
    Learner,
    Propagation,
    Recipe,
    Sampling,
    TaggerRecipe,
    hide,
    recipe_in,
    with_dictionaries,
)
from scrubline.models.text.tokenizer import tokenize_documents

TEXTS = [
    "Family History: Dr. Ada Lovelace (MRN 12-345) of New York\nwas seen on 3/4/2012.",
    '"PO/5mg" for 45-year-old\n\nMr. X',
    None,
]


def tagger_with(features: tuple, layer: str, scheme: str = "BIO") -> TaggerRecipe:
    return TaggerRecipe(
        layer=layer,
        sequence="line",
        features=features,
        scheme=scheme,
        learner=Learner("averaged-perceptron"),
    )


def recipe_with(features: tuple, layer: str, scheme: str = "BIO") -> Recipe:
    return Recipe("declared", (tagger_with(features, layer, scheme),))


def featurized(recipe: TaggerRecipe) -> dict[str, list[str]]:
    """The attributes of the first item of each text, with every resource given."""
    tokens = tokenize_documents(TEXTS)
    trie = gazetteer_from_phrases(["New York", "Ada"], recipe.layer)
    gazetteers = {name: trie for name in recipe.needs("gazetteer")}
    clusters = {name: {"Ada": "010110110101", "of": "0"} for name in recipe.needs("cluster")}
    tags = {name: ["NN"] * len(tokens) for name in recipe.needs("tag")}
    found = featurize(TEXTS, tokens, recipe, gazetteers, tags, clusters=clusters)
    rows = {}
    for item, start in enumerate(found.starts.tolist()):
        ids = found.attribute_ids[found.item_offsets[item] : found.item_offsets[item + 1]]
        rows.setdefault(TEXTS[0][start : found.ends[item]], [found.attributes[i] for i in ids])
    return rows


@pytest.mark.parametrize("layer", ["fine", "coarse", "character"])
@pytest.mark.parametrize("name", DECLARATIONS)
def test_every_declaration_can_be_featurized(name: str, layer: str) -> None:
    assert len(featurized(tagger_with(DECLARATIONS[name], layer))) > 5
    recipe = recipe_with(DECLARATIONS[name], layer)
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
            "default",
            "Lovelace",
            "w[0]=Lovelace normal[-1]=ada normal[1]=( shape[0]=Aaaaaaaa short[-1]=Aa|short[0]=Aa"
            " field.inner[0]=history|field.since[0]=4 line.tenth[0]=0"
            " beside.before.word[0]=ada count.document.lower[0]=1"
            " bioes.first_names_en[-1]=S",
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
            "len30[0]=3 pre1[0]=A short[0]=Aa freq20.words_frequency[0]=0 lower[-1]=."
            " bioes.us_cities[0]=S sentence.quoted[0]=0",
        ),
        (
            "stat-deid",
            "Ada",
            "w[0]=Ada w[-2]=Dr|w[-1]=. w[1]=Lovelace|w[2]=( is[0]=INITCAPS len64[0]=3"
            " tree11.mesh[0]=N tree11.mesh[0]=NN tag.linkleft[0]=NN in.first_names_en[0]=1",
        ),
    ],
)
def test_declarations_give_what_the_papers_name(name: str, word: str, expected: str) -> None:
    assert set(expected.split()) <= set(featurized(tagger_with(DECLARATIONS[name], "fine"))[word])


def test_hitsz_characters() -> None:
    row = featurized(tagger_with(DECLARATIONS["hitsz-character"], "character", "BIOES"))["F"]
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
        starts_coarse=tokens.starts_coarse[:1],
        starts_line=tokens.starts_line[:1],
        sentences=None,
    )
    found = featurize([text], one, tagger_with(tuple(shapes), "fine"), {})
    assert found.attributes == ("shape.Aa#-[0]=AA-#aa", "short.Aa#-[0]=A-#a")


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_are_complete(name: str) -> None:
    recipe = RECIPES[name]
    assert recipe.name == name
    assert hash(recipe) == hash(copy.deepcopy(recipe))
    assert Recipe.from_json(json.loads(json.dumps(recipe.as_json()))) == recipe


def test_hide_has_all_subsets_of_its_groups() -> None:
    subsets = [g for n in range(1, 5) for g in itertools.combinations(hide.GROUPS, n)]
    assert len(subsets) == 15
    recipes = [hide.hide(groups) for groups in subsets]
    assert len({recipe.name for recipe in recipes}) == 15
    assert recipes[-1] == RECIPES["hide"]
    for recipe, groups in zip(recipes, subsets, strict=True):
        rest = set(recipe.taggers[0].features) - set(hide.TERM)
        assert rest == {feature for name in groups for feature in hide.group(name)}
        assert bool(recipe.dictionaries) == ("dictionary" in groups)
    assert hide.hide(groups=()).name == "hide-none"
    assert hide.hide(dictionaries=["b", "a"]).dictionaries == ("a", "b")
    with pytest.raises(UsageError, match="known: regex, affix, context, dictionary"):
        hide.hide(["words"])


GOOD = RECIPES["hide"].as_json()
TAGGER = GOOD["taggers"][0]
SAMPLING = TAGGER["sampling"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"layer": "words"}, "layer must be one of character, coarse, fine"),
        ({"layer": []}, "layer must be a string"),
        ({"sequence": "page"}, "sequence must be one of"),
        ({"scheme": "IOB"}, "scheme must be one of BIO, BIOES"),
        ({"classes": "three"}, "classes must be one of two, typed"),
        ({"classes": None}, "classes must be a string"),
        (
            {"layer": "character", "learner": {"algorithm": "linear-svm", "parameters": {}}},
            "linear-svm trains no character taggers",
        ),
        ({"max_sequence": 0}, "max_sequence must be"),
        ({"max_sequence": 10**12}, "max_sequence must be"),
        ({"max_sequence": True}, "max_sequence must be"),
        ({"max_sequence": "9"}, "max_sequence must be a whole number"),
        ({"features": []}, "expected 1 to 2000 features"),
        ({"features": {}}, "features must be a list"),
        ({"features": [[]] * 3_000}, "features must be a list of at most"),
        ({"features": [None]}, "expected a list of"),
        ({"features": TAGGER["features"][:1] * 2}, "declared twice"),
        ({"sampling": {**SAMPLING, "method": "some"}}, "method must be one of all, random, window"),
        ({"sampling": {**SAMPLING, "keep": 0}}, "keep must be a number above 0"),
        ({"sampling": {**SAMPLING, "keep": 1.5}}, "keep must be a number above 0"),
        ({"sampling": {**SAMPLING, "keep": float("nan")}}, "keep must be a number above 0"),
        ({"sampling": {**SAMPLING, "keep": True}}, "keep must be a number"),
        ({"sampling": {**SAMPLING, "history": -1}}, "history must be"),
        ({"sampling": {**SAMPLING, "window": 1.0}}, "window must be a whole number"),
        ({"sampling": {"method": "all"}}, "sampling: keys keep, history, window are missing"),
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
        ({"learner": {"algorithm": "lbfgs", "parameters": {"c1": None}}}, "a number or a string"),
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
def test_bad_taggers_are_refused_by_name(change: dict, message: str) -> None:
    with pytest.raises(BundleError, match=message):
        Recipe.from_json({**GOOD, "taggers": [{**TAGGER, **change}]})


PASSES = {"taggers": [TAGGER] * 3, "passes": [2, 1], "vote": "majority"}
EXTENSION = {"name": "months_en", "lists": ["titles_en"], "labels": ["DATE"]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "a b"}, "name must be"),
        ({"name": 3}, "name must be a string"),
        ({"seed": -1}, "seed must be"),
        ({"seed": True}, "seed must be a whole number"),
        ({"taggers": []}, "taggers must be one or two of token, character"),
        ({"taggers": [TAGGER, TAGGER]}, "taggers must be one or two"),
        ({"taggers": [TAGGER] * 3}, "taggers must be one or two"),
        ({"taggers": [TAGGER] * 13}, "taggers must be a list of at most 12"),
        ({"taggers": [TAGGER] * 3, "passes": [2, 1]}, "passes vote by majority"),
        ({**PASSES, "passes": [1, 1]}, "do not have as many taggers as it has"),
        ({**PASSES, "passes": [0, 3]}, "expected 1 to 4 passes"),
        ({**PASSES, "passes": [1] * 4 + [-1]}, "passes must be a list of at most 4"),
        ({**PASSES, "passes": 3}, "passes must be a list"),
        ({**PASSES, "passes": [2, True]}, "passes must be a whole number"),
        ({**PASSES, "vote": "any"}, "passes vote by majority"),
        ({**PASSES, "taggers": [TAGGER, TAGGER, {**TAGGER, "scheme": "IO"}]}, "the same items"),
        ({"vote": "majority"}, "a majority passes"),
        ({"order": "mine"}, "order must be one of rules-first, standard"),
        ({"order": None}, "order must be a string"),
        (
            {"taggers": [TAGGER, {**TAGGER, "layer": "character", "classes": "two"}]},
            "the same classes",
        ),
        (
            {"taggers": [{**TAGGER, "layer": "character"}, TAGGER]},
            "taggers must be one or two of token, character",
        ),
        ({"taggers": "x"}, "taggers must be a list"),
        ({"taggers": [None]}, "tagger: expected an object"),
        ({"vote": "both"}, "a vote needs two taggers"),
        ({"vote": "most"}, "vote must be one of any, both"),
        ({"vote": None}, "vote must be a string"),
        ({"rules": ["a b"]}, "rules must be"),
        ({"rules": "date"}, "rules must be a list of strings"),
        ({"extensions": [{**EXTENSION, "name": "unseen"}]}, "used by a feature"),
        ({"extensions": [EXTENSION, EXTENSION]}, "unique"),
        ({"extensions": [{**EXTENSION, "labels": ["TOWN"]}]}, "labels must be one of"),
        ({"extensions": [{**EXTENSION, "lists": [3]}]}, "lists must be a list of strings"),
        ({"extensions": [{"name": "months_en"}]}, "extension: keys lists, labels are missing"),
        ({"__reduce__": "x"}, "unknown keys '__reduce__'"),
        ({0: "x"}, "unknown keys int"),
    ],
)  # fmt: skip
def test_bad_recipes_are_refused_by_name(change: dict, message: str) -> None:
    with pytest.raises(BundleError, match=message):
        Recipe.from_json({**GOOD, **change})


def test_a_recipe_of_everything_survives_json() -> None:
    recipe = Recipe(
        "both",
        (
            dataclasses.replace(RECIPES["hide"].taggers[0], sampling=Sampling("random", keep=0.3)),
            tagger_with(DECLARATIONS["hitsz-character"], "character", "BIOES"),
        ),
        extensions=(Extension("months_en", ("titles_en",), ("DATE",)),),
        vote="both",
        rules=("phone",),
        seed=3,
    )
    assert Recipe.from_json(json.loads(json.dumps(recipe.as_json()))) == recipe
    assert "titles_en" in recipe.lists and "months_en" not in recipe.lists
    with pytest.raises(UsageError, match="makes its own dictionaries"):
        with_dictionaries(recipe, ["x"])


def test_passes_classes_and_order_survive_json_and_are_not_written_as_usual() -> None:
    tagger = dataclasses.replace(RECIPES["hide"].taggers[0], scheme="IO", classes="two")
    recipe = Recipe(
        "passes", (tagger,) * 4, vote="majority", passes=(3, 1), order="rules-first", seed=1
    )
    written = json.loads(json.dumps(recipe.as_json()))
    assert (written["passes"], written["order"]) == ([3, 1], "rules-first")
    assert {one["classes"] for one in written["taggers"]} == {"two"}
    assert Recipe.from_json(written) == recipe
    assert recipe.classes == "two"
    assert recipe.keys == ("1-1", "1-2", "1-3", "2-1") == tuple(recipe.tagger_of)
    # Recipes of earlier versions have none of these keys.
    assert not {"passes", "order"} & GOOD.keys()
    assert "classes" not in TAGGER
    assert (RECIPES["hide"].keys, RECIPES["hitsz"].keys) == (("token",), ("token", "character"))


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
    with pytest.raises(UsageError, match="different properties share the key is"):
        recipe_with(features, "fine")


def test_learner_sorts_and_names_its_parameters() -> None:
    learner = Learner.of("lbfgs", period=1, feature_minfreq=2, c1=0.5)
    assert learner.parameters == (("c1", 0.5), ("feature.minfreq", 2), ("period", 1))
    with pytest.raises(UsageError, match="sorted by name"):
        Learner("lbfgs", (("c2", 1.0), ("c1", 1.0)))


def test_what_a_recipe_needs_is_sorted_by_kind() -> None:
    features = (
        *at(Gazetteer("b"), 0),
        *at(Gazetteer("a", "bioes"), 0),
        *at(Word(), 0),
        *at(Tag("pos"), 0),
        *at(Cluster("brown", 4), 0),
    )
    recipe = recipe_with(features, "fine")
    assert recipe.dictionaries == recipe.lists == ("a", "b")
    assert recipe.auxiliary == ("brown", "pos")
    assert recipe.without(["pos"]).auxiliary == ("brown",)
    assert recipe.without(["brown", "pos"]).taggers[0].features == features[:3]
    with pytest.raises(UsageError, match="auxiliary model ner; it needs: brown, pos"):
        recipe.without(["ner"])


def test_other_dictionaries_are_seen_where_the_recipe_saw_its_own() -> None:
    assert with_dictionaries(RECIPES["hide"], ["b", "a", "a"]) == hide.hide(dictionaries=["a", "b"])
    none = with_dictionaries(RECIPES["hide"], [])
    assert none.taggers == hide.hide(["regex", "affix", "context"]).taggers
    assert none.dictionaries == ()
    wide = recipe_with(DECLARATIONS["wi-deid"], "fine")
    other = with_dictionaries(wide, ["x"])
    assert len(wide.taggers[0].features) - len(other.taggers[0].features) == 4 * 5
    assert set(at(Gazetteer("x"), -2, -1, 0, 1, 2)) <= set(other.taggers[0].features)
    clusters = recipe_with(DECLARATIONS["hitsz-token"], "fine")
    assert with_dictionaries(clusters, ["x"]).dictionaries == ("headings", "x")
    assert with_dictionaries(clusters, ["x"]).auxiliary == clusters.auxiliary


def test_dictionaries_need_a_place() -> None:
    with pytest.raises(UsageError, match="hide-r has no dictionary features"):
        with_dictionaries(hide.hide(["regex"]), ["x"])
    assert with_dictionaries(hide.hide(["regex"]), []) == hide.hide(["regex"])
    both = together((Gazetteer("a"), 0), (Gazetteer("b"), 1))
    with pytest.raises(UsageError, match="several dictionaries"):
        with_dictionaries(recipe_with((both,), "fine"), ["x"])


def test_the_dictionaries_of_recipes_are_shipped() -> None:
    for recipe in RECIPES.values():
        assert set(recipe.lists) <= dictionaries.DICTIONARIES.keys()


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_in_a_language_has_its_lists(name: str) -> None:
    assert recipe_in(name, FAMILIES[name].languages[0]) == RECIPES[name]
    spanish = recipe_in(name, "es")
    links = {"linkleft", "linkright"}  # of English alone
    assert spanish.name == name
    assert set(spanish.auxiliary) == set(RECIPES[name].auxiliary) - links
    assert set(spanish.lists) <= dictionaries.DICTIONARIES.keys()
    assert any(one.endswith("_es") for one in spanish.lists) == (name != "hitsz-no-dictionary")
    foreign = {one for one in spanish.lists if one.endswith("_en") or one.startswith("us_")}
    # Drugs, eponyms and microbes have one name in both languages; a census counts all names.
    shared = {
        "drug_names_en", "eponyms_en", "organisms_en", "first_name_counts_en", "surname_counts_en",
    }  # fmt: skip
    assert foreign == (shared if name == "general" else set())


def test_unknown_languages_and_recipes_are_named() -> None:
    with pytest.raises(UsageError, match="known: en, es"):
        recipe_in("hide", "xx")
    with pytest.raises(UsageError, match="known: default, general, hide"):
        recipe_in("none", "es")


# -- propagation


def test_propagation_is_part_of_a_recipe() -> None:
    plain = recipe_with(at(Word(), 0), "fine")
    assert plain.as_json()["propagation"] is None
    again = dataclasses.replace(plain, propagation=Propagation(("A", "B"), ("B",), 4, 0.25))
    values = json.loads(json.dumps(again.as_json()))
    assert values["propagation"] == {
        "labels": ["A", "B"],
        "names": ["B"],
        "shortest": 4,
        "share": 0.25,
    }
    assert Recipe.from_json(values) == again


@pytest.mark.parametrize(
    "changed",
    [
        [],
        {},
        {"labels": ["A"], "names": [], "shortest": 3},
        {"labels": ["A"], "names": [], "shortest": 3, "share": 0.5, "more": 1},
        {"labels": [], "names": [], "shortest": 3, "share": 0.5},
        {"labels": ["A"], "names": ["B"], "shortest": 3, "share": 0.5},
        {"labels": "A", "names": [], "shortest": 3, "share": 0.5},
        {"labels": ["A"], "names": [], "shortest": 3.0, "share": 0.5},
        {"labels": ["A"], "names": [], "shortest": 3, "share": True},
        {"labels": ["A"], "names": [], "shortest": 3, "share": 2},
    ],
)
def test_a_damaged_propagation_is_refused(changed: object) -> None:
    values = recipe_with(at(Word(), 0), "fine").as_json()
    with pytest.raises(BundleError, match="propagation"):
        Recipe.from_json({**values, "propagation": changed})
