"""Targets that are files of a site, and files that a run writes for itself."""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import functools
import hashlib
import io
import json
import math
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from unittest import mock

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pycrfsuite
from scrubline.dictionaries import LONGEST_PHRASE, DictionaryError, parse
from scrubline.models.bundles.bundle import _opened, make_bundle, open_bundle
from scrubline.models.bundles.layout import FILES, model_path
from scrubline.models.core.errors import BundleError, RunFailed, UsageError
from scrubline.models.core.keys import PREFIX
from scrubline.models.core.label_maps import label_map_names, label_map_text, load_map
from scrubline.models.core.labels import LABELS
from scrubline.models.crf.model_file import CrfModel, biased, read_model, snap, write_model
from scrubline.models.features import Gazetteer, Word, at
from scrubline.models.formats import Locator
from scrubline.models.formats.column_roles import Columns, Role
from scrubline.models.formats.line_notes import GroupLines
from scrubline.models.jobs.amendments import RunAmendments
from scrubline.models.jobs.job import Job
from scrubline.models.jobs.opening import require_this_version
from scrubline.models.jobs.output_rows import Tally
from scrubline.models.jobs.plan import Plan, Unit
from scrubline.models.jobs.receipts import Part, Receipt
from scrubline.models.recipes import Learner, Recipe
from scrubline.models.redaction.policy import Policy
from scrubline.models.redaction.policy_file import load_policy, policy_names, policy_text
from scrubline.models.storage.checksummed import CHECKSUMS
from scrubline.models.storage.input_files import InputFile
from scrubline.models.storage.key_files import load_keys
from scrubline.pipeline.options import Options, options_from, read_config
from scrubline.pipeline.options.table import run_options

from .files import SECRET
from .inputs import Memory, mutated, mutated_value
from .laws import require, require_discreet

URL = "memory://fuzz/file.toml"


@contextlib.contextmanager
def _opening(content: bytes) -> Iterator[None]:
    """While it lasts, there is one file in the world; lists that a policy names are not there."""

    def opened(url: str, *args: object, **options: object) -> io.BytesIO:
        if url != URL:
            raise FileNotFoundError(url)
        return io.BytesIO(content)

    with mock.patch.object(fsspec, "open", opened):
        yield


# -- TOML


def toml(value: Any) -> str:
    """A table as TOML, all within it inline."""
    return "".join(f"{_key(key)} = {_inline(one)}\n" for key, one in value.items())


def _key(key: object) -> str:
    return json.dumps(str(key), ensure_ascii=False).replace("\x7f", "\\u007f")


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(k)} = {_inline(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_inline, value)) + "]"
    if isinstance(value, str):
        return _key(value)
    if value is None:
        return '""'
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return json.dumps(value) if isinstance(value, int | float) else value.isoformat()


def _toml_mutator(tree: Callable[[bytes], Any]) -> Callable[[bytes, random.Random], bytes]:
    """Changes the parsed file, or its bytes if they do not parse."""

    def mutate(data: bytes, chance: random.Random) -> bytes:
        try:
            made = mutated_value(tree(data), chance)
            return toml(made).encode() if isinstance(made, dict) else mutated(data, chance)
        except (UsageError, UnicodeError, RecursionError):
            return mutated(data, chance)

    return mutate


mutate_toml = _toml_mutator(read_config)

POLICY = {
    "name": "site",
    "extends": "hipaa",
    "default": "redact",
    "date_columns": "drop",
    "restricted_zip3": ["205"],
    "actions": {"AGE": "generalise", "PHONE": "mask", "CITY": "redact"},
    "texts": {"PATIENT": "<{label}>", "*": "{{x}}"},
    "labels": {"STUDYID": {"hipaa": "R", "description": "number of a study"}},
    "deny": {"STUDYID": ["HEART-2"], "CITY": {"phrases": ["4 west"], "lists": ["us_states"]}},
    "allow": {"*": ["Foley catheter"], "HOSPITAL": ["Mount  Sinai"]},
    "veto": {"*": ["Foley"]},
    "note_types": {"radiology*": {"actions": {"DOCTOR": "mask"}, "allow": {"*": ["ct"]}}},
}


def check_policy(data: bytes) -> None:
    """A policy, or refused; one that loads decides about anything."""
    with _opening(data):
        try:
            policy = load_policy(URL)
        except UsageError as error:
            require(str(error), "an error says something")
            return
        require(
            load_policy(URL).fingerprint == policy.fingerprint, "the same file, the same policy"
        )
    check_decisions(policy)


def check_decisions(policy: Policy) -> None:
    """What a policy decides is of the kinds that it may be."""
    for one in (policy, *policy.note_types.values(), policy.for_note_type("Radiology  CT")):
        for label in one.known_labels:
            for covered in ("93", "02139", "Foley catheter", "a\nb"):
                action, replacement = one.decide(label, covered)
                require((replacement is None) == (action == "keep"), "a replacement but for keep")
                require(action != "keep" or not one.hipaa or label == "AGE" or label not in
                        one.hipaa_of, "hipaa keeps no identifier")  # fmt: skip
                removed, _ = one.remove(label, 3)
                require(removed != "keep", "what must go goes")
                shown = one.shown(action, label, covered)
                require(shown == (covered if replacement is None else replacement), "as told")
        one.denied("HEART-2 at Mount\nSinai, 4  WEST")
        reject = one.rejecter("Foley catheter")
        require(reject is None or reject("DOCTOR", 0, 5) in (None, "veto", "allow"), "reasons")
    json.dumps(policy.to_dict())


def policy_seeds() -> list[bytes]:
    shipped = [policy_text(n).encode() for n in policy_names()]
    bare = {"name": "bare", "actions": dict.fromkeys(LABELS, "keep")}
    return [toml(POLICY).encode(), toml(bare).encode(), *shipped]


POLICY_WORDS = tuple(
    word.encode()
    for word in (
        *("extends", "hipaa = true", '"hipaa"', '"research"', '"keep"', '"mask"', '"generalise"'),
        *('"expert"', '"surrogate"', '"shift"', "surrogates = {", "dates = {", "date_columns = "),
        *(
            "[deny]\n",
            "[allow]\n",
            "[veto]\n",
            "[texts]\n",
            "[note_types.",
            "[labels]\n",
            "{label}",
        ),
        *(
            '"*"',
            "phrases",
            "lists",
            "STUDYID",
            "'''",
            '"""',
            "\\u0000",
            "\\U0010FFFF",
            "= {",
            "]]",
        ),
    )
)


def check_label_map(data: bytes) -> None:
    with _opening(data):
        for direction in (None, "to_native", "from_native"):
            try:
                found = load_map(URL, direction)
            except UsageError as error:
                require(str(error), "an error says something")
                continue
            for label, target in found.table.items():
                require(found.apply(label) == target, "a map applies to its labels")
                require(target is None or target in found.meanings, "targets are known")


def map_seeds() -> list[bytes]:
    return [label_map_text(name).encode() for name in label_map_names()]


def check_config(data: bytes) -> None:
    try:
        options = options_from(read_config(data), {})
    except UsageError as error:
        require(str(error), "an error says something")
        return
    require(isinstance(options, Options), "options are options")
    with contextlib.suppress(UsageError):
        hash(options.settings)
    if options.group_lines is not None:
        with contextlib.suppress(UsageError):
            GroupLines.parse(options.group_lines)


CONFIG = {
    "input": ["in/"],
    "output": "out",
    "model": ["none"],
    "recogniser": ["date", "phone"],
    "column": {"id": "id", "text": "text", "ward": "pass"},
    "budgets": {"tokens": 1000, "line_bytes": 10},
    "split_bytes": 32_000_000,
    "max_quarantined": 0.5,
    "header": False,
    "delimiter": ";",
    "encoding": "latin-1",
    "group_lines": "id,line",
    "workers": 2,
    "watchdog_seconds": 1.5,
}


def config_seeds() -> list[bytes]:
    return [toml(CONFIG).encode(), b"", b"[column]\nid = 'id'\ntext = 'text'\n"]


CONFIG_WORDS = tuple(
    word.encode()
    for word in (
        *(option.key + " = " for option in run_options()),
        *("nan", "inf", "-1", "0", "true", "[]", "{}", "1979-05-27", "[budgets]\n", "[column]\n"),
    )
)


# -- lists and keys


def check_dictionary(data: bytes) -> None:
    """A list, or refused; what is read is written as the shipped ones are, and read again."""
    try:
        found = parse("list", data)
    except DictionaryError as error:
        require_discreet(error, data)
        return
    phrases = found.phrases
    require(phrases and list(phrases) == sorted(set(phrases)), "phrases are sorted and unique")
    require(all(p == p.strip() and 0 < len(p) <= LONGEST_PHRASE for p in phrases), "and trimmed")
    require(found.sha256 == hashlib.sha256(data).hexdigest(), "the hash is that of the bytes")
    again = parse("list", found.to_bytes())
    require((again.phrases, again.weights) == (phrases, found.weights), "lists are read back")


def dictionary_seeds() -> list[bytes]:
    return [
        b"Aberdeen\nBoston\nNew York\n",
        b"\xef\xbb\xbfb \r\n a\r\n\r\ne\xcc\x81\n" + SECRET.encode(),
        f"Smith\t2000\nSmyth\t10\n{SECRET}\t3\n".encode(),
        b"b\t1\na \t 2\nb\t9007199254740991\n",
        b"x" * 201,
        b"",
    ]


def check_key(data: bytes) -> None:
    try:
        keys = load_keys("memory://key", lambda _: data)
    except UsageError as error:
        require_discreet(error, data)
        return
    require(keys.check not in data.decode("latin-1") and len(keys.doc_key("7")) == 32, "a key")


def key_seeds() -> list[bytes]:
    line = PREFIX + base64.b64encode(b"Quillfeather-32-bytes-of-a-key!!").decode()
    return [line.encode(), f" {line}\r\n".encode(), line[:-4].encode(), PREFIX.encode(), b""]


# -- what a run writes for itself


def mutate_json(data: bytes, chance: random.Random) -> bytes:
    """Changes the parsed value, or the bytes."""
    try:
        return json.dumps(mutated_value(json.loads(data), chance)).encode()
    except (ValueError, RecursionError):
        return mutated(data, chance)


JSON_WORDS = (b"null", b"true", b"[]", b"{}", b"-1", b"1e999", b"NaN", b'""', b'": "', b"\\ud800")


def _job() -> Job:
    policy = load_policy("hipaa")
    return Job(
        run="r" * 16,
        output=f"memory://{SECRET}",
        columns=Columns((("id", Role.ID), ("text", Role.TEXT))),
        models=("en-default",),
        model_hashes=("0" * 64,),
        recognisers=("date",),
        recogniser_hashes=("1" * 64,),
        policy="hipaa",
        policy_hash=policy.fingerprint,
        key_source="env:KEY",
        key_check="00000000",
        group_lines=GroupLines("id", "line"),
    )


def check_job(data: bytes) -> None:
    """A job, or refused; what is read can be asked all that a worker asks."""
    try:
        job = Job.from_json(data.decode("utf-8", "replace"))
    except UsageError as error:
        require_discreet(error, data)
        return
    require(Job.from_json(job.to_json()) == job, "a job is read back")
    require(len(job.fingerprint) == 64 and job.staging and job.restricted, "a job has its places")
    for ask in (lambda: job.form("csv"), lambda: job.limits, lambda: require_this_version(job)):
        with contextlib.suppress(UsageError):
            ask()


def job_seeds() -> list[bytes]:
    job = _job()
    return [job.to_json().encode(), dataclasses.replace(job, group_lines=None).to_json().encode()]


def check_receipt(data: bytes) -> None:
    try:
        receipt = Receipt.from_json(data)
    except RunFailed as error:
        require_discreet(error, data)
        return
    again = Receipt.from_json(receipt.to_json())
    require(again.to_json() == receipt.to_json(), "a receipt is read back")
    total = Tally() + receipt.tally
    require(total.to_json() == receipt.tally.to_json(), "tallies add up")


def receipt_seeds() -> list[bytes]:
    tally = Tally()
    tally.counts.update(rows_in=3, rows_out=2, rows_quarantined=1, spans=4)
    tally.labels.update(DATE=4)
    tally.errors.update({"read: BadJson": 1})
    part = Part("data", "data/x.jsonl", 10, "0" * 64)
    return [Receipt(3, f"000003-{SECRET}", "", tally, (part,)).to_json().encode()]


def check_rework(data: bytes) -> None:
    try:
        facts = RunAmendments.read(Memory(data), "memory://restricted")  # type: ignore[arg-type]
    except RunFailed as error:
        require_discreet(error, data)
        return
    for unit in facts.units:
        require(facts.of_unit(unit).hash == facts.of_unit(unit).hash, "facts have a hash")
    facts.skipping(0, 1, "Killed").numbering({2: {3: 1}})


def rework_seeds() -> list[bytes]:
    facts = {"0": {"skip": {"4": SECRET}, "ordinals": {"2": 1}}, "7": {"skip": {}, "ordinals": {}}}
    return [json.dumps(facts).encode()]


class _Folder:
    """The two tables of a plan as storage; the first byte says which of them is fuzzed."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = dict(files)

    def read_bytes(self, url: str) -> bytes:
        return self.files[url.rsplit("/", 1)[-1]]

    def write_bytes(self, url: str, data: bytes) -> None:
        self.files[url.rsplit("/", 1)[-1]] = data


@functools.cache
def _plan() -> Mapping[str, bytes]:
    folder = _Folder({})
    file = InputFile(f"memory://in/{SECRET}.jsonl", 10, "1", f"{SECRET}.jsonl", (("year", "2024"),))
    unit = Unit(0, "000000-abc", "jsonl", (("year", "2024"),), (Locator(0, 0, 10, 10),))
    Plan((file,), (unit,)).write(folder, "memory://r")  # type: ignore[arg-type]
    return folder.files


_TABLES = ("plan.parquet", "files.parquet")


def check_plan(data: bytes) -> None:
    name = _TABLES[data[0] % 2 if data else 0]
    folder = _Folder({**_plan(), name: data[1:]})
    try:
        plan = Plan.read(folder, "memory://r")  # type: ignore[arg-type]
    except UsageError as error:
        require_discreet(error, data)
        return
    folder = _Folder({})
    plan.write(folder, "memory://r")  # type: ignore[arg-type]
    require(Plan.read(folder, "memory://r") == plan, "a plan is read back")  # type: ignore[arg-type]


def plan_seeds() -> list[bytes]:
    seeds = [bytes([number]) + _plan()[name] for number, name in enumerate(_TABLES)]
    chance = random.Random(9)
    return seeds + [remade_plan(seeds[number % 2], chance) for number in range(40)]


def remade_plan(data: bytes, chance: random.Random) -> bytes:
    """One of the tables with a cell, a column or a row changed; or mutated as bytes."""
    if chance.random() < 0.4:
        return mutated(data, chance)
    number = data[0] % 2 if data else 0
    table = pq.read_table(io.BytesIO(_plan()[_TABLES[number]]))
    rows = mutated_value(table.to_pylist(), chance)
    with contextlib.suppress(Exception):  # not all of what is made up has a type
        sink = io.BytesIO()
        made = pa.Table.from_pylist(rows, table.schema if chance.random() < 0.3 else None)
        pq.write_table(made, sink)
        return bytes([number]) + sink.getvalue()
    return mutated(data, chance)


# -- bundles


def check_weights(data: bytes) -> None:
    """A model file, or refused; one that passes is opened by CRFsuite itself, which trusts it."""
    try:
        model = read_model(data)
    except BundleError as error:
        require(str(error), "an error says something")
        return
    written = write_model(model)
    require(write_model(read_model(written)) == written, "a model is read back")
    with contextlib.suppress(BundleError):
        require(snap(model).on_grid(), "snapped weights are on the grid")
    with contextlib.suppress(BundleError):
        biased(model, {"DATE": 0.5})
    tagger = pycrfsuite.Tagger()
    tagger.open_inmemory(data)
    tagged = tagger.tag([["bias", "w[0]=ann"], list(model.attributes[:50])])
    require(all(tag in model.tags for tag in tagged), "tags are those of the model")
    tagger.close()


def _weights(tags: tuple[str, ...], attributes: tuple[str, ...], chance: random.Random) -> bytes:
    states = sorted(
        {(chance.randrange(len(attributes)), chance.randrange(len(tags))) for _ in range(9)}
    )
    steps = sorted({(chance.randrange(len(tags)), chance.randrange(len(tags))) for _ in range(4)})
    sources, targets = np.array(states, np.int64).T
    first, second = np.array(steps, np.int64).T
    return write_model(
        CrfModel(
            *(tags, attributes, sources, targets),
            np.array([chance.randrange(-9000, 9000) / 4096 for _ in states]),
            *(first, second, np.array([chance.randrange(-9000, 9000) / 4096 for _ in steps])),
        )
    )


def weights_seeds() -> list[bytes]:
    chance = random.Random(1)
    tags = ("O", "B-DATE", "I-DATE", "B-é")
    return [
        _weights(tags[:n], tuple(["bias", "w[0]=ann", *(f"a{i}🙂" for i in range(m))]), chance)
        for n in (1, 2, 4)
        for m in (0, 3, 40)
    ]


def rewritten_weights(data: bytes, chance: random.Random) -> bytes:
    """A sound model of other names and weights, or the bytes mutated, its size put right again."""
    if chance.random() < 0.3:
        names = [mutated(b"name%d" % i, chance).decode("latin-1") for i in range(4)]
        with contextlib.suppress(BundleError):
            return _weights(tuple(names[:2]), tuple(names), chance)
    made = mutated(data, chance)
    if chance.random() < 0.7 and len(made) > 8:
        made = made[:4] + len(made).to_bytes(4, "little") + made[8:]
    return made


@functools.cache
def _bundle() -> Mapping[str, bytes]:
    recipe = Recipe.single(
        name="tiny",
        layer="fine",
        sequence="line",
        features=(*at(Word(), -1, 0), *at(Gazetteer("site"), 0)),
        scheme="BIO",
        learner=Learner.of("averaged-perceptron", max_iterations=3),
    )
    model = _weights(("O", "B-NOMBRE", "B-DATE"), ("bias", "w[0]=ann"), random.Random(2))
    made = make_bundle(
        "tiny-1",
        recipe=recipe,
        models={"token": read_model(model)},
        dictionaries={"site": parse("site", f"Ann Lee\n{SECRET}\n".encode())},
        label_map={"NOMBRE": "PATIENT", "DATE": "DATE"},
        biases={"NOMBRE": 0.5},
        card={"trained_on": "made-up notes", "scores": {"dev": {"f1": 0.5}}},
    )
    return made.files


_JSON = tuple(name for name in FILES if name.endswith(".json"))
BUNDLE_FILES = (*_JSON, "card.md", CHECKSUMS)


def check_bundle(data: bytes) -> None:
    """A bundle of which one file is anything, its checksum right: opened, or refused."""
    name = BUNDLE_FILES[data[0] % len(BUNDLE_FILES) if data else 0]
    files = {**_bundle(), name: data[1:]} if name != CHECKSUMS else dict(_bundle())
    if name != CHECKSUMS:
        lines = (f"{hashlib.sha256(files[n]).hexdigest()}  {n}\n" for n in sorted(files))
        files[CHECKSUMS] = "".join(lines).encode()
    else:
        files[CHECKSUMS] = data[1:]
    _opened.clear()
    folder = fsspec.filesystem("memory")
    for path, content in files.items():
        folder.pipe_file(f"/fuzz-bundle/{path}", content)
    try:
        opened = open_bundle("memory://fuzz-bundle")
    except BundleError as error:
        require(str(error), "an error says something")
        return
    require(set(opened.labels) <= {"NOMBRE", "DATE"}, "labels are those of the weights")
    require(
        opened.files[model_path("token")] == files[model_path("token")], "a bundle holds its files"
    )


def bundle_seeds() -> list[bytes]:
    return [
        bytes([number]) + _bundle()[name]
        for number, name in enumerate(BUNDLE_FILES)
        if name in _bundle()
    ] + [bytes([len(BUNDLE_FILES) - 1]) + _sums()]


def _sums() -> bytes:
    rows = sorted(_bundle().items())
    return "".join(f"{hashlib.sha256(c).hexdigest()}  {n}\n" for n, c in rows).encode()


def mutate_bundle(data: bytes, chance: random.Random) -> bytes:
    return data[:1] + mutate_json(data[1:], chance) if data else bytes([chance.randrange(8)])
