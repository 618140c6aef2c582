"""The parts that tag: what a token gets, how it is scored, and that it is the same twice."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.auxiliary import AUXILIARY_MODELS, open_auxiliary
from scrubline.models.auxiliary.conllu import parse_conllu
from scrubline.models.auxiliary.kinds import Declaration
from scrubline.models.auxiliary.ner import score_ner, train_ner
from scrubline.models.auxiliary.pos import score_pos, train_pos, words_of
from scrubline.models.core.errors import UsageError
from scrubline.models.crf.codec import decode
from scrubline.models.features import Cluster, Gazetteer, Tag, Word, at
from scrubline.models.text.tokenizer import tokenize_documents

from ...examples import examples
from .small import FEW, NAMED, OURS, PERCEPTRON, UD, named, ner, pos

SENTENCES = parse_conllu(UD.encode())


def tagged(model, *texts):
    tokens = tokenize_documents([text or "" for text in texts])
    column = model.columns(texts, tokens)
    assert len(column) == len(tokens)
    bounds = tokens.document_offsets.tolist()
    return [column[b:e] for b, e in zip(bounds, bounds[1:], strict=False)]


def test_a_token_has_the_tag_of_the_word_with_its_first_character():
    # Our tokens of "didn't" are didn, ' and t; its words did and n't.
    (found,) = tagged(pos(), "The old nurse didn't sleep.")
    assert found == ["DT", "JJ", "NN", "VBD", "RB", "RB", "VB", "."]
    (found,) = tagged(pos("upos"), "She saw two doctors.")
    assert found == ["PRON", "VERB", "NUM", "NOUN", "PUNCT"]


def test_names_are_bio_and_outside_is_empty():
    (found,) = tagged(ner(), "Cy Poe works at Acme Corp.")
    assert found == ["B-PER", "I-PER", "", "", "B-ORG", "I-ORG", ""]
    assert ner().tags == ("B-LOC", "B-ORG", "B-PER", "I-ORG", "I-PER")


def test_a_label_that_is_no_name_is_left_out():
    assert ner().card["corpus"]["spans"] == {"LOC": 2, "ORG": 1, "PER": 3}
    assert ner().card["corpus"]["documents"] == 4


def test_tags_of_a_document_do_not_depend_on_the_batch():
    texts = [document.text for document in NAMED]
    assert tagged(ner(), *texts) == [tagged(ner(), text)[0] for text in texts]


def test_a_document_that_failed_has_no_tags_though_it_has_tokens():
    tokens = tokenize_documents(["Ann Lee went", "Bo Zhu went"])
    column = ner().columns([None, "Bo Zhu went"], tokens)
    assert column == ["", "", "", "B-PER", "I-PER", ""]


@pytest.mark.parametrize("texts", [(), ("",), (None,), ("  \n",), ("", "a", "")])
def test_batches_with_nothing_in_them(texts):
    assert [len(one) for one in tagged(pos(), *texts)] == [
        len(tokenize_documents([text or ""])) for text in texts
    ]


@given(text=st.text(st.sampled_from("Ab1 .\n\r\t\0\ud800é🙂|\\'-"), max_size=40))
@examples(60)
def test_any_text_has_a_tag_a_token(text):
    (found,) = tagged(ner(), text)
    assert set(found) <= {*ner().tags, ""}
    starts = list(range(len(found)))
    decode([tag or "O" for tag in found], starts, [s + 1 for s in starts])


def test_a_long_line_is_tagged_whole():
    (found,) = tagged(pos(), "sleep " * 3_000)
    assert len(found) == 3_000


@pytest.mark.parametrize("name", ["pos", "upos"])
def test_the_same_sentences_give_the_same_bytes(name):
    again = train_pos(SENTENCES, name=name, origin=OURS, declaration=FEW, learner=PERCEPTRON)
    assert again.files == pos(name).files
    assert again.hash == pos(name).hash


def test_the_same_names_give_the_same_bytes():
    again = train_ner(NAMED, origin=OURS, declaration=FEW, learner=PERCEPTRON)
    assert again.hash == ner().hash


@pytest.mark.parametrize("name", ["pos", "upos", "ner"])
def test_the_declared_features_and_learner_train(name):
    maker = AUXILIARY_MODELS[name]
    learner = dataclasses.replace(maker.learner, parameters=(("max_iterations", 3),))
    model = maker.train(NAMED if name == "ner" else SENTENCES, origin=OURS, learner=learner)
    again = open_auxiliary(model.files)
    text = "Ann Lee saw the doctor in Boston."
    assert tagged(again, text) == tagged(model, text)
    assert model.name == name


# -- scores, by hand


def test_a_words_tag_is_that_of_its_first_token():
    assert score_pos(pos(), SENTENCES) == {"words": 16, "accuracy": 1.0}
    wrong = [dataclasses.replace(SENTENCES[1], xpos=("PRP", "VBZ", "CD", "NNS", ""))]
    # Four words have a tag; one of them is another.
    assert score_pos(pos(), wrong) == {"words": 4, "accuracy": 0.75}


def test_unknown_words_are_scored_apart():
    known = words_of(SENTENCES) - {"two", "doctors"}
    right = score_pos(pos(), SENTENCES[1:2], known)
    assert (right["unknown words"], right["accuracy on unknown words"]) == (2, 1.0)


def test_a_word_inside_of_a_token_has_its_tag():
    (sentence,) = parse_conllu(
        b"1-2\tcannot\t_\t_\t_\t_\t_\t_\t_\t_\n1\tcan\t_\tAUX\tMD\t_\t_\t_\t_\t_\n"
        b"2\tnot\t_\tPART\tRB\t_\t_\t_\t_\t_\n"
    )
    column = tagged(pos(), "cannot")[0]
    assert len(column) == 1
    right = sum(gold == column[0] for gold in ("MD", "RB"))
    assert score_pos(pos(), [sentence]) == {"words": 2, "accuracy": right / 2}


def test_no_word_with_a_tag_has_no_accuracy():
    assert score_pos(pos(), []) == {"words": 0, "accuracy": None}


def test_names_count_if_stretch_and_label_are_equal():
    gold = [
        named("Ann Lee went to Oakton.", ("Ann Lee", "PER"), ("Oakton", "ORG")),
        named("Bo Zhu went to Elmville.", ("Bo", "PER"), ("Elmville", "LOC")),
    ]
    scores = score_ner(ner(), gold)
    # Found: Ann Lee and Bo Zhu PER, Oakton and Elmville LOC. Right: Ann Lee, Elmville.
    assert scores["all"] == {"gold": 4, "precision": 0.5, "recall": 0.5, "f1": 0.5}
    assert scores["PER"] == {"gold": 2, "precision": 0.5, "recall": 0.5, "f1": 0.5}
    assert scores["LOC"] == {"gold": 1, "precision": 0.5, "recall": 1.0, "f1": 0.6667}
    assert scores["ORG"] == {"gold": 1, "precision": None, "recall": 0.0, "f1": 0.0}


# -- what cannot be


@pytest.mark.parametrize(
    ("train", "data"),
    [
        (train_pos, []),
        (train_ner, []),
        (train_ner, NAMED[3:]),
        (train_pos, [dataclasses.replace(SENTENCES[2], xpos=("",) * 4)]),
    ],
)
def test_nothing_to_learn_is_refused(train, data):
    with pytest.raises(UsageError, match="has no tokens|learn"):
        train(data, origin=OURS, declaration=FEW, learner=PERCEPTRON)


def test_a_tag_that_cannot_be_one_is_refused():
    bad = dataclasses.replace(SENTENCES[2], xpos=("D T", "JJ", "NN", "VBD"))
    with pytest.raises(UsageError, match="a tag is not"):
        train_pos([bad], origin=OURS, declaration=FEW, learner=PERCEPTRON)


@pytest.mark.parametrize(
    ("features", "match"),
    [
        (at(Tag("pos"), 0), "another auxiliary model"),
        (at(Cluster("brown"), 0), "another auxiliary model"),
        (at(Gazetteer("ours"), 0), "do not ship"),
        ((*at(Word(), 0), *at(Word(), 0)), "twice"),
        ((), "1 to 2000 features"),
    ],
)
def test_an_auxiliary_model_sees_the_text_and_shipped_lists_alone(features, match):
    with pytest.raises(UsageError, match=match):
        Declaration(tuple(features))


def test_progress_is_told():
    told = []
    train_pos(
        SENTENCES,
        origin=OURS,
        declaration=FEW,
        learner=PERCEPTRON,
        progress=lambda step, loss: told.append((step, loss)),
    )
    assert [step for step, _ in told] == list(range(1, len(told) + 1))
    assert np.isfinite([loss for _, loss in told]).all()


def test_handles_are_no_names():
    at_, behind, whole = "@ annlee and", "saw @ annlee", "hi @annlee"
    gold = [
        named("Ann Lee went to Oakton.", ("Ann Lee", "PER")),
        named(at_, ("@", "PER"), ("annlee", "PER")),
        named(behind, ("annlee", "PER")),
        named(whole, ("@annlee", "PER")),
        named("a '\"'", ("'\"'", "ORG")),
    ]
    assert score_ner(ner(), gold)["all"]["gold"] == 1
    model = train_ner([*NAMED, *gold], origin=OURS, declaration=FEW, learner=PERCEPTRON)
    assert model.card["corpus"]["spans"]["PER"] == 4
