"""The table of auxiliary models, and what recipes ask of it."""

import re
from pathlib import Path

import pytest
from scrubline.models.auxiliary import (
    AUXILIARY_MODELS,
    READS,
    auxiliary_needed,
    cluster_tables,
    missing_auxiliary,
    origin_of,
    refuse_in_bundle,
    require_auxiliary,
    tag_columns,
)
from scrubline.models.auxiliary.kinds import KIND_OF
from scrubline.models.auxiliary.sources import LICENCES, SOURCES
from scrubline.models.core.errors import UsageError
from scrubline.models.features import Cluster, Gazetteer, Tag, Tree, Word, at
from scrubline.models.features.featurizing import featurize
from scrubline.models.recipes import Learner, TaggerRecipe
from scrubline.models.recipes.hitsz import TOKEN_FEATURES
from scrubline.models.text.tokenizer import tokenize_documents
from scrubline.pipeline.cli.parser import make_parser

from .small import brown, links, mesh, ner, pos

ALL = (*at(Tag("pos"), 0), *at(Tag("ner"), 0), *at(Cluster("brown", 4, fold=True), 0))


def test_the_table_says_what_each_auxiliary_model_is():
    assert {name: maker.kind for name, maker in AUXILIARY_MODELS.items()} == KIND_OF
    for name, maker in AUXILIARY_MODELS.items():
        assert maker.name == name and maker.reads in READS
        assert maker.scored_on in READS
        assert (maker.learner is not None) == (maker.kind == "tag")
        assert bool(maker.settings) == (maker.kind in ("cluster", "tree"))
        assert {setting.partition("=")[0] for setting in maker.usual} <= set(maker.settings)


@pytest.mark.parametrize("name", AUXILIARY_MODELS)
def test_the_command_of_a_auxiliary_model_is_one(name):
    parsed = make_parser().parse_args(AUXILIARY_MODELS[name].command.split()[1:])
    assert (parsed.command, parsed.what, parsed.part) == ("part", "train", name)
    assert tuple(parsed.inputs) == AUXILIARY_MODELS[name].inputs


def test_what_features_need():
    assert auxiliary_needed(ALL) == ("brown", "ner", "pos")
    assert auxiliary_needed((*at(Word(), 0), *at(Gazetteer("us_states"), 0))) == ()
    assert auxiliary_needed(TOKEN_FEATURES) == ("brown", "ner", "pos", "word2vec")


def test_a_recipe_without_its_auxiliary_models_says_how_they_are_made():
    with pytest.raises(UsageError) as caught:
        require_auxiliary("recipe hitsz", ALL, {"ner": ner()})
    assert str(caught.value).splitlines() == [
        "recipe hitsz needs the auxiliary model 'brown'; make it with: scrubline part train brown "
        "--input notes.jsonl --output parts/brown",
        "recipe hitsz needs the auxiliary model 'pos'; make it with: scrubline part train pos "
        "--input en_ewt-ud-train.conllu --output parts/pos",
    ]
    assert missing_auxiliary("recipe x", ["mine"]) == (
        "recipe x needs the auxiliary model 'mine'; no command makes it"
    )
    require_auxiliary("recipe x", ALL, {"ner": ner(), "pos": pos(), "brown": brown()})


def test_an_auxiliary_model_of_the_other_kind_is_refused():
    with pytest.raises(UsageError, match="'pos' must be of kind 'cluster'"):
        require_auxiliary("recipe x", at(Cluster("pos"), 0), {"pos": pos()})
    with pytest.raises(UsageError, match="'brown' must be of kind 'tag'"):
        require_auxiliary("recipe x", at(Tree("brown"), 0), {"brown": brown()})


def test_recorded_links_are_refused_in_bundles():
    refuse_in_bundle("recipe x", ["pos", "mesh", "linkleft"])
    with pytest.raises(UsageError, match="recipe x: the auxiliary model links is as sensitive"):
        refuse_in_bundle("recipe x", ["pos", "links"])


def test_features_are_made_of_auxiliary_models():
    parts = {"pos": pos(), "ner": ner(), "brown": brown()}
    texts = ["Ann Lee ate FISH"]
    tokens = tokenize_documents(texts)
    recipe = TaggerRecipe("fine", "line", ALL, "BIO", Learner("lbfgs"))
    found = featurize(
        texts,
        tokens,
        recipe,
        {},
        tag_columns(parts, texts, tokens),
        clusters=cluster_tables(parts),
    )
    rows = found.item_offsets.tolist()
    names = [found.attributes[i] for i in found.attribute_ids[rows[0] : rows[1]]]
    assert names[1] == "tag.ner[0]=B-PER" and re.fullmatch(r"tag\.pos\[0\]=[A-Z$]+", names[0])
    last = [found.attributes[i] for i in found.attribute_ids[rows[3] : rows[4]]]
    assert last[-1] == f"cluster.lower4.brown[0]={brown().clusters['fish'][:4]}"


# -- origins


def test_share_alike_is_told_and_all_are_credited():
    origin = origin_of(["github:wyim/aci-bench", "UniversalNER/UNER_English-EWT", "en_ewt-ud"])
    assert origin.licence == "CC BY 4.0, CC BY-SA 4.0"
    assert origin.share_alike
    text = origin.text()
    for wanted in ("share-alike", "Silveira", "Mayhew", "Yim", *LICENCES.values()):
        assert wanted in text
    assert "not stated" not in text


@pytest.mark.parametrize(
    ("said", "licence", "expected"),
    [
        ([], "", "not stated"),
        ([""], "", "not stated"),
        (["our/own"], "", "not stated"),
        (["our/own"], "CC0", "CC0"),
        (["wyim/aci-bench"], "", "CC BY 4.0"),
        (["wyim/aci-bench"], "CC0", "CC BY 4.0"),
        (["wyim/aci-bench", ""], "", "CC BY 4.0, not stated"),
        (["wyim/aci-bench", ""], "CC0", "CC BY 4.0, CC0"),
    ],
)
def test_what_is_not_known_is_not_guessed(said, licence, expected):
    origin = origin_of(said, licence=licence, credit="Ours.")
    assert origin.licence == expected
    assert ("was not stated" in origin.text()) == ("not stated" in expected)
    assert not origin.share_alike
    assert "Ours." in origin.text()


def test_every_known_source_has_a_known_licence():
    assert {source.licence for source in SOURCES.values()} <= LICENCES.keys()
    assert all(name == name.casefold() for name in SOURCES)


# -- the manual

PAGE = (Path(__file__).parents[3] / "docs/parts.md").read_text(encoding="utf-8")


def test_the_manual_lists_every_auxiliary_model_file_and_licence():
    assert re.findall(r"^\| `(\w+)` \| [^|]*\| (?:tags|clusters|trees|links) \|", PAGE, re.M) == [
        *AUXILIARY_MODELS
    ]
    section = PAGE.split("## What is in a part\n")[1].split("\n## ")[0]
    listed = set(re.findall(r"`([\w.]+)`", "".join(re.findall(r"^\|([^|]*)\|", section, re.M))))
    assert listed == {*pos().files, *brown().files, *mesh().files, *links().files}
    licences = PAGE.split("## Licences\n")[1].split("\n## ")[0]
    assert all(source.title.split(",")[0] in licences for source in SOURCES.values())
    assert missing_auxiliary("recipe hitsz", ["pos"]) in PAGE


def test_the_commands_of_the_manual_are_read():
    block = re.search(r"```\n(scrubline part train pos.*?)```", PAGE, re.DOTALL)[1]
    lines = block.replace("\\\n", " ").splitlines()
    made = [make_parser().parse_args(line.split()[1:]) for line in lines]
    assert [parsed.part for parsed in made] == [*AUXILIARY_MODELS]
