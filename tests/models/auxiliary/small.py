"""Tiny invented corpora, and the auxiliary models made from them."""

from __future__ import annotations

import functools

from scrubline.models.auxiliary import (
    AuxiliaryTagger,
    ClusterTable,
    RecordedLinks,
    TreeTable,
    origin_of,
)
from scrubline.models.auxiliary.base import make_recorded_links
from scrubline.models.auxiliary.brown import train_brown
from scrubline.models.auxiliary.conllu import parse_conllu
from scrubline.models.auxiliary.kinds import Declaration
from scrubline.models.auxiliary.mesh import parse_rows, train_mesh
from scrubline.models.auxiliary.ner import train_ner
from scrubline.models.auxiliary.pos import train_pos
from scrubline.models.auxiliary.recorded_links import digest_of
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.features import Prefix, Suffix, Word, at
from scrubline.models.recipes import Learner

UD = """\
# sent_id = made-up-1
# text = The old nurse didn't sleep.
1\tThe\tthe\tDET\tDT\t_\t3\tdet\t_\t_
2\told\told\tADJ\tJJ\t_\t3\tamod\t_\t_
3\tnurse\tnurse\tNOUN\tNN\t_\t6\tnsubj\t_\t_
4-5\tdidn't\t_\t_\t_\t_\t_\t_\t_\t_
4\tdid\tdo\tAUX\tVBD\t_\t6\taux\t_\t_
5\tn't\tnot\tPART\tRB\t_\t6\tadvmod\t_\t_
6\tsleep\tsleep\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
7\t.\t.\tPUNCT\t.\t_\t6\tpunct\t_\t_

# text = She saw two doctors.
1\tShe\tshe\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2\tsaw\tsee\tVERB\tVBD\t_\t0\troot\t_\t_
3\ttwo\ttwo\tNUM\tCD\t_\t4\tnummod\t_\t_
4\tdoctors\tdoctor\tNOUN\tNNS\t_\t2\tobj\t_\tSpaceAfter=No
5\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

# text = The young doctor slept
1\tThe\tthe\tDET\tDT\t_\t3\tdet\t_\t_
2\tyoung\tyoung\tADJ\tJJ\t_\t3\tamod\t_\t_
3\tdoctor\tdoctor\tNOUN\tNN\t_\t4\tnsubj\t_\t_
4\tslept\tsleep\tVERB\tVBD\t_\t0\troot\t_\t_
"""

FEW = Declaration((*at(Word(fold=True), -1, 0, 1), *at(Suffix(2), 0), *at(Prefix(1), 0)))
PERCEPTRON = Learner.of("averaged-perceptron", max_iterations=10)
OURS = origin_of([""], licence="CC0")


def named(text: str, *names: tuple[str, str]) -> AnnotatedDocument:
    spans = tuple(
        Annotation(text.index(name), text.index(name) + len(name), label) for name, label in names
    )
    return AnnotatedDocument("d", text, spans)


NAMED = [
    named("Ann Lee went to Oakton.", ("Ann Lee", "person"), ("Oakton", "location")),
    named("Bo Zhu went to Elmville.", ("Bo Zhu", "PER"), ("Elmville", "LOC")),
    named("Cy Poe works at Acme Corp.", ("Cy Poe", "PER"), ("Acme Corp", "corporation")),
    named("Nobody watched Dune there.", ("Dune", "creative-work")),
]

NOTES = [
    *("the man ate fish .", "the woman ate bread .", "a man saw bread .", "a woman saw fish ."),
    *("The man ate bread .", "a woman ate fish .", "the woman saw bread .", "a man saw fish ."),
] * 3


@functools.cache
def pos(name: str = "pos") -> AuxiliaryTagger:
    sentences = parse_conllu(UD.encode())
    return train_pos(sentences, name=name, origin=OURS, declaration=FEW, learner=PERCEPTRON)


@functools.cache
def ner() -> AuxiliaryTagger:
    return train_ner(NAMED, origin=OURS, declaration=FEW, learner=PERCEPTRON)


@functools.cache
def brown() -> ClusterTable:
    return train_brown(NOTES, origin=OURS, clusters=4)


HEADINGS = """\
Heart Attack\tD000001\tC14.280.067;C23.550
Heart\tD000002\tA07.541
Dye No. 5\tD000003\tD01.001.002.003.004.005.006.007.008.009.010.011.012
Untreed\tD000004\t
"""
ENTRY_TERMS = "MI, acute\tD000001\nheart\tD000001\nnothing\tD000004\nlost\tD999999\n"


@functools.cache
def mesh() -> TreeTable:
    rows = [*parse_rows(ENTRY_TERMS.encode()), *parse_rows(HEADINGS.encode())]
    return train_mesh(rows, origin=origin_of([""]), year=2022)


@functools.cache
def links() -> RecordedLinks:
    """Made by hand: two sentences, of which the second has a link that is not among the nearest."""
    sentences = {
        digest_of("the cat ran ."): (4, ((0, 1, "Ds"), (1, 2, "Ss"))),
        digest_of("He slept there."): (4, ((0, 1, "Ss*m"), (0, 3, "Xp"), (1, 2, "MVp"))),
    }
    card = {"licence": "CC0", "trained_on": "invented"}
    return make_recorded_links("links", sentences, card=card, licence_text="CC0\n")
