from __future__ import annotations

import functools
import http.server
import io
import json
import logging
import os
import re
import sys
import threading
import zipfile
from pathlib import Path

import fsspec
import pytest
from scrubline.dictionaries import DictionaryError, load, load_weighted, parse
from scrubline.dictionaries.official import SOURCES
from scrubline.models.bundles.bundle import open_bundle, write_bundle
from scrubline.models.bundles.tagger import Tagger
from scrubline.models.core.errors import StorageError, UsageError
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.features import Frequency, Word, at
from scrubline.models.recipes import Learner, Recipe
from scrubline.models.text.tokenizer import tokenize_documents
from scrubline.models.training import train
from scrubline.pipeline.cli import main as cli
from scrubline.pipeline.commands import dictionaries as command
from scrubline.pipeline.commands.dictionaries import build, fetch, list_lists

LARGE = os.environ.get("SCRUBLINE_TEST_GAZETTEERS", "")
"""Folder with the large lists as tables."""

SSA = {"yob1990.txt": b"Mary,F,900\nWill,M,50\nRare,F,5\n", "yob1991.txt": b"MARY,F,100\n"}
CMS = b"Facility Name\nMercy Hospital\nSaint Mary Medical Center\n"


def zipped(members: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return made.getvalue()


@pytest.fixture
def official(tmp_path: Path) -> Path:
    folder = tmp_path / "official"
    folder.mkdir()
    (folder / "first_names_ssa.zip").write_bytes(zipped(SSA))
    (folder / "hospitals_cms.csv").write_bytes(CMS)
    (folder / "notes.txt").write_bytes(b"something else")
    return folder


@pytest.fixture
def server(official: Path):
    """The folder over HTTP on loopback; "/broken" promises more bytes than it gives."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != "/broken":
                super().do_GET()
                return
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"short")

        def log_message(self, *_: object) -> None:
            pass

    serving = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Handler, directory=str(official))
    )
    thread = threading.Thread(target=serving.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{serving.server_port}"
    serving.shutdown()
    serving.server_close()
    thread.join()


def test_lists_are_built_as_load_takes_them(official: Path, tmp_path: Path) -> None:
    output = tmp_path / "lists"
    said = list(build(str(official), str(output)))
    assert said == ["first_names_ssa.tsv: 3 phrases", "hospitals_cms.txt: 2 phrases"]
    names = load_weighted(str(output / "first_names_ssa.tsv"))
    assert names == {"Mary": 1000, "Rare": 5, "Will": 50}
    hospitals = load((output / "hospitals_cms.txt").as_uri())
    assert hospitals.phrases == ("Mercy Hospital", "Saint Mary Medical Center")
    sources = (output / "SOURCES.md").read_text()
    for word in ("first_names_ssa.tsv", SOURCES["hospitals_cms"].url, "public domain", "SHA-256"):
        assert word in sources
    assert "Mary" not in sources


def test_rare_ones_and_common_words_are_left_out(official: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.txt"
    own.write_text("mercy hospital\n")
    list(
        build(
            official.as_uri(),
            str(tmp_path / "lists"),
            least_count=50,
            subtract=["common_words_en", str(own)],
        )
    )
    assert load_weighted(str(tmp_path / "lists/first_names_ssa.tsv")) == {"Mary": 1000}
    assert load(str(tmp_path / "lists/hospitals_cms.txt")).phrases == ("Saint Mary Medical Center",)


def test_the_same_files_give_the_same_bytes(official: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        list(build(str(official), str(tmp_path / name)))
    files = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert files == ["SOURCES.md", "first_names_ssa.tsv", "hospitals_cms.txt"]
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_object_stores_do_as_well(official: Path) -> None:
    store = fsspec.filesystem("memory")
    store.pipe_file("/official-files/hospitals_cms.csv", CMS)
    try:
        list(build("memory://official-files", "memory://made-lists"))
        assert load("memory://made-lists/hospitals_cms.txt").phrases[0] == "Mercy Hospital"
    finally:
        store.rm("/official-files", recursive=True)
        store.rm("/made-lists", recursive=True)


def test_tables_are_read_where_the_official_file_is_missing(tmp_path: Path) -> None:
    (tmp_path / "first_names_ssa.tsv").write_text("Mary\t7\t7\t0\n")
    (tmp_path / "us_places_geonames.tsv").write_text("Erie\tPA\t9\nErie\tCO\t3\n")
    list(build(str(tmp_path), str(tmp_path / "lists")))
    assert load_weighted(str(tmp_path / "lists/us_places_geonames.tsv")) == {"Erie": 12}
    assert "credit GeoNames" in (tmp_path / "lists/SOURCES.md").read_text()
    (tmp_path / "first_names_ssa.zip").write_bytes(zipped(SSA))
    list(build(str(tmp_path), str(tmp_path / "again"), only=["first_names_ssa"]))
    assert load_weighted(str(tmp_path / "again/first_names_ssa.tsv"))["Mary"] == 1000


@pytest.mark.skipif(not LARGE, reason="SCRUBLINE_TEST_GAZETTEERS names no folder of tables")
def test_the_large_lists(tmp_path: Path) -> None:
    output = tmp_path / "lists"
    list(build(LARGE, str(output), least_count=100, only=["first_names_ssa", "mesh_terms"]))
    names = load_weighted(str(output / "first_names_ssa.tsv"))
    assert 30_000 < len(names) < 60_000 and names["James"] > 5_000_000
    assert 15_000 < len(load(str(output / "mesh_terms.txt"))) < 30_000


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"only": ["secret"]}, UsageError, "unknown lists .*; known: drugs_fda, "),
        ({"only": ["drugs_fda"]}, UsageError, "no file for drugs_fda"),
        ({"least_count": 0}, UsageError, "at least 1"),
        ({"least_count": 2000}, DictionaryError, "first_names_ssa: no phrases are left"),
        ({"subtract": ["no_such_list"]}, DictionaryError, "unknown dictionary"),
    ],
)
def test_what_cannot_be_built(
    official: Path, tmp_path: Path, options: dict, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        list(build(str(official), str(tmp_path / "lists"), **options))


def test_folders_that_cannot_be_used(official: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has none of the files: expected first_names_ssa.zip"):
        list(build(str(tmp_path / "nothing"), str(tmp_path / "lists")))
    with pytest.raises(UsageError, match="already exists"):
        list(build(str(official), str(tmp_path)))
    (official / "hospitals_cms.csv").write_bytes(b"Facility Name\n\xffsecret")
    with pytest.raises(DictionaryError, match=r"hospitals_cms.csv, line 2: not UTF-8"):
        list(build(str(official), str(tmp_path / "lists"), only=["hospitals_cms"]))


def test_fetched_over_http(server: str, official: Path, tmp_path: Path) -> None:
    urls = [f"first_names_ssa={server}/first_names_ssa.zip"]
    urls.append(f"hospitals_cms={(official / 'hospitals_cms.csv').as_uri()}")
    only = ["hospitals_cms", "first_names_ssa"]
    output = tmp_path / "fetched"
    said = list(fetch(str(output), only=only, urls=urls))
    assert [line.split(":")[0] for line in said] == ["first_names_ssa", "hospitals_cms"]
    for name in ("first_names_ssa.zip", "hospitals_cms.csv"):
        assert (output / name).read_bytes() == (official / name).read_bytes()
    again = list(fetch(str(output), only=only, urls=["hospitals_cms=http://127.0.0.1:1/x"]))
    assert all(line.endswith("is there already") for line in again)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("{}/secret?key=secret", "hospitals_cms: cannot be fetched: the server said 404"),
        ("{}/broken", "hospitals_cms: (cannot be fetched|5 bytes came, expected 1,000)"),
        ("http://127.0.0.1:1/secret", r"hospitals_cms: cannot be fetched \(URLError\)"),
        ("http://secret:x/", "hospitals_cms: cannot be fetched"),
    ],
)  # fmt: skip
def test_what_cannot_be_fetched_leaves_nothing(
    server: str, tmp_path: Path, url: str, message: str
) -> None:
    output = tmp_path / "fetched"
    with pytest.raises(StorageError, match=message) as raised:
        list(
            fetch(str(output), only=["hospitals_cms"], urls=["hospitals_cms=" + url.format(server)])
        )
    assert "secret" not in str(raised.value)
    assert not [path for path in output.rglob("*") if path.is_file()]


def test_too_much_is_not_fetched(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "MOST_BYTES", 10)
    urls = [f"hospitals_cms={server}/hospitals_cms.csv"]
    with pytest.raises(DictionaryError, match="hospitals_cms: more than 10 bytes"):
        list(fetch(str(tmp_path / "fetched"), only=["hospitals_cms"], urls=urls))
    assert not [path for path in tmp_path.glob("fetched/*") if path.is_file()]


@pytest.mark.parametrize("url", ["hospitals_cms", "hospitals_cms=", "secret=http://x/"])
def test_bad_urls_are_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(UsageError, match="--url takes NAME=URL|unknown lists"):
        list(fetch(str(tmp_path), urls=[url]))


def test_all_lists_are_told() -> None:
    told = "\n".join(list_lists())
    assert re.search(r"surname_counts_en +names +weighted +88,799", told)
    for source in SOURCES.values():
        assert source.url in told and source.title in told


def run(
    capsys: pytest.CaptureFixture[str], *words: object, command: str = "dictionaries"
) -> tuple[int, str, str]:
    root = logging.getLogger()
    before = root.handlers[:], root.level, sys.excepthook, threading.excepthook
    hooks = sys.unraisablehook
    try:
        with pytest.raises(SystemExit) as ended:
            cli.main([command, *map(str, words)])
    finally:
        root.handlers[:], root.level, sys.excepthook, threading.excepthook = before
        sys.unraisablehook = hooks
    out, err = capsys.readouterr()
    return ended.value.code, out, err  # type: ignore[return-value]


def test_the_command_line(
    official: Path, server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, "list")
    assert code == 0 and "common_words_en" in out
    raw, lists = tmp_path / "raw", tmp_path / "lists"
    code, out, _ = run(
        capsys, "fetch", "--output", raw, "--only", "first_names_ssa",
        "--url", f"first_names_ssa={server}/first_names_ssa.zip",
    )  # fmt: skip
    assert code == 0 and out.startswith("first_names_ssa: ")
    code, out, _ = run(
        capsys, "build", "--from", raw, "--output", lists, "--least-count", 10,
        "--subtract", "common_words_en",
    )  # fmt: skip
    assert (code, out) == (0, "first_names_ssa.tsv: 1 phrases\n")
    assert run(capsys, "build", "--from", raw)[0] == 2
    assert run(capsys, "build", "--output", tmp_path / "x")[0] == 2
    assert run(capsys, "fetch")[0] == 2
    (official / "first_names_ssa.zip").write_bytes(b"secret")
    code, _, err = run(capsys, "build", "--from", official, "--output", tmp_path / "y")
    assert code == 2 and "first_names_ssa.zip: not a zip" in err and "Traceback" not in err


def test_built_lists_train_a_bundle(
    official: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lists = tmp_path / "lists"
    list(build(str(official), str(lists)))
    text = "Seen by Mary at Mercy Hospital. No fever."
    spans = [{"start": 8, "end": 12, "label": "DOCTOR"}]
    row = json.dumps({"doc_id": "a", "text": text, "spans": spans})
    (tmp_path / "corpus.jsonl").write_text(row + "\n")
    words = [
        *("--corpus", tmp_path / "corpus.jsonl", "--recipe", "hide", "--name", "mine"),
        *("--output", tmp_path / "mine", "--set", "max_iterations=5"),
        *("--dictionary", lists / "first_names_ssa.tsv"),
        *("--dictionary", (lists / "hospitals_cms.txt").as_uri(), "--dictionary", "months_en"),
    ]
    code, _, err = run(capsys, *words, command="train")
    assert code == 0, err
    bundle = open_bundle(str(tmp_path / "mine"))
    assert bundle.recipe.dictionaries == ("first_names_ssa", "hospitals_cms", "months_en")
    names = bundle.dictionaries["first_names_ssa"]
    assert (names.phrases, names.weights) == (("Mary", "Rare", "Will"), (1000, 5, 50))
    assert bundle.dictionaries["hospitals_cms"].weights is None
    words[words.index("--output") + 1] = tmp_path / "other"
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "months_en.txt").write_text("secret\n")
    code, _, err = run(capsys, *words, "--dictionary", copy / "months_en.txt", command="train")
    assert code == 2 and "two lists have the same file name" in err and "secret" not in err


def test_frequencies_survive_training_and_opening(tmp_path: Path) -> None:
    """The bundle holds the weights: without them the tagger would see other bins."""
    features = (*at(Frequency("counts"), 0), *at(Word(), 0))
    recipe = Recipe.single(
        name="tiny",
        layer="fine",
        sequence="line",
        features=features,
        scheme="BIO",
        learner=Learner.of("averaged-perceptron", max_iterations=8),
        max_sequence=50,
    )
    corpus = [
        AnnotatedDocument(f"d{n}", f"seen by {name}", (Annotation(8, 8 + len(name), "DOCTOR"),))
        for n, name in enumerate(["Ann", "Bo", "Cy"])
    ]
    counts = parse("counts", b"Ann\t900\nBo\t1000\nCy\t800\nDi\t700\nseen\t1\n")
    trained = train(recipe, corpus, dictionaries={"counts": counts}, name="tiny")
    write_bundle(trained, str(tmp_path / "tiny"))
    opened = open_bundle(str(tmp_path / "tiny"))
    assert opened.hash == trained.hash
    assert opened.dictionaries["counts"].weights == counts.weights
    assert {"freq20.counts[0]=10", "freq20.counts[0]=1"} <= set(opened.models["token"].attributes)
    tagger = Tagger(opened, labels_as="own")
    # A name never seen, found by its frequency alone.
    tokens = tokenize_documents(["seen by Di"])
    rows = tagger.label(tagger.featurize(["seen by Di"], tokens)).rows()
    assert [(found.start, found.end, found.label) for _, found in rows] == [(8, 10, "DOCTOR")]
