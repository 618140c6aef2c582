"""The table of what is fuzzed: name -> target. A new one is a line here."""

from __future__ import annotations

import dataclasses
import functools
import random
from collections.abc import Callable, Mapping

from scrubline.models.corpora import CORPORA
from scrubline.models.formats import FORMATS
from scrubline.models.recognisers import RECOGNISERS

from . import files, settings, texts
from .inputs import TEXT_WORDS, mutated, text_seeds


@dataclasses.dataclass(frozen=True)
class Target:
    """One thing to be fuzzed.

    Attributes:
        check: takes any bytes and returns; whatever it raises is a finding.
        seeds: what to begin with.
        words: pieces that the input is made of, for mutations.
        mutate: knows the input's structure; None if changes of bytes get far enough.
        longest: most bytes of an input.
    """

    check: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]
    words: tuple[bytes, ...] = ()
    mutate: Callable[[bytes, random.Random], bytes] | None = None
    longest: int = 4096

    def changed(self, data: bytes, chance: random.Random) -> bytes:
        """Another input: by the structure every second time, else by bytes."""
        if self.mutate is not None and chance.random() < 0.5:
            return self.mutate(data, chance)[: self.longest]
        return mutated(data, chance, self.words if chance.random() < 0.7 else ())[: self.longest]


def _format(name: str) -> Target:
    words = (files.WORDS | files.CORPUS_WORDS).get(name.removesuffix(".gz"), ())
    return Target(
        functools.partial(files.check_format, name),
        functools.partial(files.format_seeds, name),
        words,
        files.mutator_of(name),
        24_000 if name in ("tar", "tar.gz", "zip", "parquet") else 4096,
    )


def _corpus(name: str) -> Target:
    return Target(
        functools.partial(files.check_corpus, name),
        functools.partial(files.corpus_seeds, name),
        files.CORPUS_WORDS.get(name, ()),
    )


def _json(check: Callable[[bytes], None], seeds: Callable[[], list[bytes]]) -> Target:
    return Target(check, seeds, settings.JSON_WORDS, settings.mutate_json)


def _text(check: Callable[[bytes], None]) -> Target:
    return Target(check, text_seeds, TEXT_WORDS)


RULES: Mapping[str, Target] = {
    f"rule.{name}": _text(functools.partial(texts.check_rule, name)) for name in RECOGNISERS
}
"""Each rule by itself, for `--only`; the target `rules` runs all of them on each input."""

TARGETS: Mapping[str, Target] = {
    # Those of messages have `benchmarks.messages`.
    **{f"format.{n}": _format(n) for n, form in FORMATS.items() if not form.traits.record},
    **{f"corpus.{name}": _corpus(name) for name in CORPORA},
    "policy": Target(
        settings.check_policy, settings.policy_seeds, settings.POLICY_WORDS, settings.mutate_toml
    ),
    "label_map": Target(settings.check_label_map, settings.map_seeds, (), settings.mutate_toml),
    "config": Target(
        settings.check_config, settings.config_seeds, settings.CONFIG_WORDS, settings.mutate_toml
    ),
    "dictionary": Target(
        settings.check_dictionary, settings.dictionary_seeds, (b"\t", b"\n", b"\t1\n", b"\xc2\x85")
    ),
    "key": Target(settings.check_key, settings.key_seeds, (b"scrubline-key-v1:", b"=", b"AAAA")),
    "job": _json(settings.check_job, settings.job_seeds),
    "receipt": _json(settings.check_receipt, settings.receipt_seeds),
    "rework": _json(settings.check_rework, settings.rework_seeds),
    "plan": Target(
        settings.check_plan, settings.plan_seeds, mutate=settings.remade_plan, longest=12_000
    ),
    "weights": Target(
        *(settings.check_weights, settings.weights_seeds, (b"CQDB", b"FEAT", b"LFRF", b"AFRF")),
        *(settings.rewritten_weights, 16_000),
    ),
    "bundle": Target(
        *(settings.check_bundle, settings.bundle_seeds, settings.JSON_WORDS),
        settings.mutate_bundle,
    ),
    "tokenizer": _text(texts.check_tokenizer),
    "rules": _text(texts.check_rules),
    "sections": Target(texts.check_sections, texts.heading_seeds, TEXT_WORDS),
    "generalising": Target(texts.check_generalising, texts.generalising_seeds, TEXT_WORDS),
    "phrases": Target(texts.check_phrases, texts.merge_seeds),
    "merging": Target(texts.check_merging, texts.merge_seeds),
    "scrubbing": Target(texts.check_scrubbing, texts.merge_seeds),
    "line_joins": Target(texts.check_line_joins, texts.merge_seeds),
    "ids": Target(texts.check_ids, texts.id_seeds),
    "partitions": Target(texts.check_partitions, texts.partition_seeds, (b"%2F", b"=", b"/", b"%")),
}
"""What `parser` runs unless it is told otherwise."""


def target_named(name: str) -> Target:
    """A target of either table; raises KeyError."""
    return TARGETS[name] if name in TARGETS else RULES[name]
