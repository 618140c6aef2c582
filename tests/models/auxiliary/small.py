"""Tiny invented corpora, and the auxiliary models made from them."""

from __future__ import annotations

import functools

from scrubline.models.auxiliary import AuxiliaryTagger, ClusterTable, origin_of
from scrubline.models.auxiliary.base import Declaration
from scrubline.models.auxiliary.brown import train_brown
from scrubline.models.auxiliary.conllu import parse_conllu
from scrubline.models.auxiliary.ner import train_ner
from scrubline.models.auxiliary.pos import train_pos
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
