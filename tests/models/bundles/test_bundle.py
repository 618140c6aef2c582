from __future__ import annotations

import dataclasses
import hashlib
import json
import lzma
import os
import pickle

import fsspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.dictionaries import DICTIONARIES, Dictionary
from scrubline.models.bundles import bundle as bundle_module
from scrubline.models.bundles import contents, layout
from scrubline.models.bundles.bundle import (
    Bundle,
    _opened,
    bundled_names,
    make_bundle,
    open_bundle,
    revise_bundle,
    write_bundle,
)
from scrubline.models.bundles.layout import FILES, model_path
from scrubline.models.core.errors import BundleError, UsageError
from scrubline.models.crf.model_file import CrfModel
from scrubline.models.crf.packed import pack
from scrubline.models.features import Gazetteer, Word, at
from scrubline.models.recipes import Learner, Recipe
from scrubline.models.storage.checksummed import CHECKSUMS

from ...examples import examples

SITE = Dictionary("site", ("Ann Lee", "Böb"), "0" * 64)


def recipe(**changes: object) -> Recipe:
    values: dict[str, object] = {
        "name": "tiny",
        "layer": "fine",
        "sequence": "line",
        "features": (*at(Word(), -1, 0), *at(Gazetteer("site"), 0)),
        "scheme": "BIO",
        "learner": Learner.of("averaged-perceptron", max_iterations=3),
    }
    return Recipe.single(**{**values, **changes})  # type: ignore[arg-type]


def model(tags: tuple[str, ...] = ("O", "B-NOMBRE", "B-DATE"), weight: float = 1.5) -> CrfModel:
    rows = np.arange(len(tags))
    return CrfModel(
        tags,
        ("bias", "w[0]=ann"),
        rows * 0,
        rows,
        np.full(len(tags), weight),
        rows,
        rows,
        rows / 4,
    )


def bundle(name: str = "tiny-1", **changes: object) -> Bundle:
    values: dict[str, object] = {
        "recipe": recipe(),
        "models": {"token": model()},
        "dictionaries": {"site": SITE, "other": SITE},
        "label_map": {"NOMBRE": "PATIENT", "DATE": "DATE", "SEXO": None},
        "biases": {"NOMBRE": 0.5, "O": -0.3, "DATE": 0.0},
        "card": {"trained_on": "made-up notes", "scores": {"dev": {"f1": 0.5}}},
    }
    return make_bundle(name, **{**values, **changes})  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def nothing_open():
    _opened.clear()
    yield
    _opened.clear()


@pytest.fixture
def folder(tmp_path):
    write_bundle(bundle(), str(tmp_path / "b"))
    return tmp_path / "b"


def resum(folder) -> None:
    """Makes CHECKSUMS agree with what is there: a bundle changed on purpose."""
    files = {str(p.relative_to(folder)): p for p in folder.rglob("*") if p.is_file()}
    files.pop(CHECKSUMS, None)
    lines = [f"{hashlib.sha256(files[n].read_bytes()).hexdigest()}  {n}\n" for n in sorted(files)]
    (folder / CHECKSUMS).write_text("".join(lines))


@pytest.mark.parametrize("scheme", ["local", "file", "memory"])
def test_what_is_written_is_opened_again(scheme, tmp_path):
    base = {"local": "", "file": "file://", "memory": "memory:/"}[scheme]
    url = f"{base}{tmp_path}/some/bundle"
    made = bundle()
    write_bundle(made, url)
    opened = open_bundle(url)
    assert opened is not made
    assert opened.hash == made.hash
    assert opened.files == made.files
    assert (opened.name, opened.labels) == ("tiny-1", ("DATE", "NOMBRE"))
    assert opened.recipe == recipe()
    assert opened.files[model_path("token")] == pack(model())
    assert opened.models["token"].tags == ("O", "B-NOMBRE", "B-DATE")
    assert opened.label_map == {"NOMBRE": "PATIENT", "DATE": "DATE", "SEXO": None}
    assert opened.biases == {"NOMBRE": 0.5, "O": -1229 / 4096}
    assert opened.dictionaries.keys() == {"site"}
    assert opened.dictionaries["site"].phrases == SITE.phrases
    assert opened.card["scores"] == {"dev": {"f1": 0.5}}
    filesystem, path = fsspec.core.url_to_fs(url)
    with filesystem.open(f"{path}/{CHECKSUMS}", "rb") as stream:
        assert hashlib.sha256(stream.read()).hexdigest() == opened.hash


def test_the_same_parts_give_the_same_bytes():
    assert bundle().files == bundle().files
    assert bundle().hash == bundle().hash != bundle("tiny-2").hash


def test_a_bundle_is_opened_once_a_process(folder, tmp_path):
    first = open_bundle(str(folder))
    assert open_bundle(str(folder)) is first
    folder.rename(tmp_path / "moved")
    assert open_bundle(f"{tmp_path}/moved/") is first


def test_only_some_bundles_are_kept_open(tmp_path):
    for number in range(10):
        write_bundle(bundle(f"tiny-{number}"), str(tmp_path / f"{number}"))
        open_bundle(str(tmp_path / f"{number}"))
    assert [kept.name for kept in _opened.values()] == [f"tiny-{n}" for n in range(2, 10)]


def test_the_card_is_readable():
    text = bundle().files["card.md"].decode()
    assert text.startswith("# tiny-1\n")
    assert "- trained_on: made-up notes\n" in text
    assert "- scores:\n  - dev:\n    - f1: 0.5\n" in text


def test_no_text_of_the_weights_or_lists_is_shown():
    assert "Ann" not in repr(bundle())
    assert "w[0]" not in repr(bundle())


def test_revising_changes_biases_or_card_only():
    before = bundle()
    after = revise_bundle(before, biases={"O": -1.0})
    assert after.biases == {"O": -1.0}
    assert {name for name in FILES if before.files[name] != after.files[name]} == {"biases.json"}
    scored = revise_bundle(before, card={"scores": {"f1": 0.9}})
    assert scored.biases == before.biases
    assert scored.card == {**before.card, "scores": {"f1": 0.9}}
    assert {name for name in FILES if before.files[name] != scored.files[name]} == {
        "card.json",
        "card.md",
    }
    assert len({before.hash, after.hash, scored.hash}) == 3


def test_a_full_folder_is_not_written_over(folder):
    with pytest.raises(BundleError, match="not empty"):
        write_bundle(bundle("other"), str(folder))
    assert open_bundle(str(folder)).name == "tiny-1"


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(BundleError, match="cannot be"):
        write_bundle(bundle(), str(tmp_path / "file" / "b"))
    with pytest.raises(BundleError, match="cannot be reached"):
        write_bundle(bundle(), "nosuchscheme://x/y")


@pytest.mark.parametrize("name", ["", "nosuch", "..", "en_default", "é", "a" * 999, "nul\0"])
def test_unknown_names_are_refused(name):
    with pytest.raises(BundleError, match="no such bundle"):
        open_bundle(name)


def test_a_bundle_that_comes_with_the_package(tmp_path, monkeypatch):
    write_bundle(bundle(), str(tmp_path / "bundled" / "tiny-1"))
    (tmp_path / "bundled" / "not-a-bundle").mkdir()
    monkeypatch.setattr("importlib.resources.files", lambda package: tmp_path)
    assert bundled_names() == ("tiny-1",)
    assert open_bundle("tiny-1").files == bundle().files
    with pytest.raises(BundleError, match="expected one of .'tiny-1'."):
        open_bundle("not-a-bundle")
    _opened.clear()
    (tmp_path / "bundled" / "tiny-1" / "dictionaries" / "more.txt").write_text("x")
    with pytest.raises(BundleError, match="tiny-1: CHECKSUMS does not list 1 files or folders"):
        open_bundle("tiny-1")
    (tmp_path / "bundled" / "tiny-1" / "dictionaries" / "more.txt").unlink()
    (tmp_path / "bundled" / "tiny-1" / model_path("token")).write_bytes(b"lCRF")
    with pytest.raises(BundleError, match="bundle tiny-1: token.crf.xz is damaged"):
        open_bundle("tiny-1")


def test_bundled_names_can_be_opened():
    for name in bundled_names():
        assert open_bundle(name).name == name


@pytest.mark.parametrize(
    "url", ["./nosuch", "memory://nosuch", "nosuchscheme://a/b", "/", "/dev/null/x"]
)
def test_urls_without_a_bundle_are_refused(url):
    with pytest.raises(BundleError, match=r"CHECKSUMS|cannot be reached"):
        open_bundle(url)


def test_messages_hold_no_url(tmp_path):
    url = f"memory://user:s3cret@{tmp_path.name}/SMITH"
    with pytest.raises(BundleError) as caught:
        open_bundle(url)
    assert "s3cret" not in str(caught.value) and "SMITH" not in str(caught.value)


@pytest.mark.parametrize("name", [*FILES, CHECKSUMS, "dictionaries/site.txt"])
@pytest.mark.parametrize("damage", ["missing", "empty", "short", "longer", "bit", "folder"])
def test_damage_is_refused_by_file(folder, name, damage):
    file = folder / name
    content = file.read_bytes()
    file.unlink()
    if damage == "empty":
        file.write_bytes(b"")
    elif damage == "short":
        file.write_bytes(content[:-3])
    elif damage == "longer":
        file.write_bytes(content + b"\n")
    elif damage == "bit":
        file.write_bytes(content[:10] + bytes([content[10] ^ 4]) + content[11:])
    elif damage == "folder":
        file.mkdir()
    with pytest.raises(BundleError) as caught:
        open_bundle(str(folder))
    # A changed digit in CHECKSUMS looks like damage of the file that it is of.
    assert name in str(caught.value) or name == CHECKSUMS or damage == "folder"
    assert not _opened


@pytest.mark.parametrize(
    "extra", ["notes.txt", ".hidden", "dictionaries/more.txt", "dictionaries/deep/x", "empty/"]
)
def test_extra_files_are_refused(folder, extra):
    if extra.endswith("/"):
        (folder / extra).mkdir()
    else:
        (folder / extra).parent.mkdir(exist_ok=True)
        (folder / extra).write_text("x")
    with pytest.raises(BundleError, match="does not list"):
        open_bundle(str(folder))


@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt",
        "/etc/passwd",
        "dictionaries/../../secret.txt",
        "dictionaries/..txt",
        "dictionaries//etc.txt",
        "dictionaries/a/b.txt",
        "evil.py",
        "CHECKSUMS",
        "dictionaries/site.txt/",
    ],
)
def test_paths_out_of_the_folder_are_refused(folder, path):
    (folder.parent / "secret.txt").write_text("x")
    lines = (folder / CHECKSUMS).read_text().splitlines()
    lines.append(f"{hashlib.sha256(b'x').hexdigest()}  {path}")
    lines.sort(key=lambda line: line[66:])
    (folder / CHECKSUMS).write_text("".join(f"{line}\n" for line in lines))
    with pytest.raises(BundleError, match="do not belong in a bundle"):
        open_bundle(str(folder))


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text + text.splitlines()[-1] + "\n",
        lambda text: "".join(sorted(text.splitlines(keepends=True), reverse=True)),
        lambda text: text.replace("  ", " *"),
        lambda text: text.upper(),
        lambda text: text[:-1],
        lambda text: text + "\n",
        lambda text: "\n".join(text.splitlines()[1:]) + "\n",
        lambda text: text + "é" * 70_000,
        lambda text: "",
    ],
)
def test_odd_checksums_are_refused(folder, change):
    text = (folder / CHECKSUMS).read_text()
    (folder / CHECKSUMS).write_bytes(change(text).encode())
    with pytest.raises(BundleError, match="CHECKSUMS"):
        open_bundle(str(folder))


def test_files_too_large_are_refused(folder, monkeypatch):
    monkeypatch.setattr(layout, "MAX_MODEL_BYTES", 100)
    with pytest.raises(BundleError, match=r"token.crf.xz has more than 100 bytes"):
        open_bundle(str(folder))


def test_a_named_pipe_does_not_hang(folder):
    (folder / "card.md").unlink()
    os.mkfifo(folder / "card.md")
    with pytest.raises(BundleError):
        open_bundle(str(folder))


def edit(folder, name: str, change) -> None:
    """Changes a JSON file and makes the checksums agree."""
    value = json.loads((folder / name).read_text())
    change(value)
    (folder / name).write_text(json.dumps(value))
    resum(folder)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("labels.json", lambda v: v["labels"].reverse()),
        ("labels.json", lambda v: v["tags"]["token"].reverse()),
        ("labels.json", lambda v: v["label_map"].pop("DATE")),
        ("labels.json", lambda v: v["label_map"].update(DATE="DAT")),
        ("labels.json", lambda v: v["label_map"].update(DATE=1)),
        ("labels.json", lambda v: v["label_map"].update(DATE=[])),
        ("labels.json", lambda v: v.update(label_map="DATE")),
        ("labels.json", lambda v: v.clear()),
        ("biases.json", lambda v: v.update(NOSUCH=1.0)),
        ("biases.json", lambda v: v.update(DATE="1")),
        ("biases.json", lambda v: v.update(DATE=True)),
        ("biases.json", lambda v: v.update(DATE=0.1)),
        ("biases.json", lambda v: v.update(DATE=10**400)),
        ("biases.json", lambda v: v.update(DATE=5000)),
        ("biases.json", lambda v: v.update(DATE=float("nan"))),
        ("recipe.json", lambda v: v["taggers"][0].pop("layer")),
        ("recipe.json", lambda v: v.update(layer="word")),
        ("recipe.json", lambda v: v.update(features=[{"kind": "eval"}])),
        ("recipe.json", lambda v: v.clear()),
        ("card.json", lambda v: v.update(name="../x")),
        ("card.json", lambda v: v.update(name="a" * 65)),
        ("card.json", lambda v: v.update(name=3)),
        ("card.json", lambda v: v.clear()),
        ("dictionaries.json", lambda v: v.clear()),
        ("dictionaries.json", lambda v: v.update(more={"inside": True, "sha256": ""})),
        ("dictionaries.json", lambda v: v["site"].update(inside=False)),
        ("dictionaries.json", lambda v: v["site"].update(inside="yes")),
        ("dictionaries.json", lambda v: v["site"].update(sha256="0" * 64)),
        ("dictionaries.json", lambda v: v.update(site=None)),
    ],
)
def test_what_does_not_fit_together_is_refused(folder, name, change):
    edit(folder, name, change)
    with pytest.raises(BundleError, match=name.split(".")[0]):
        open_bundle(str(folder))


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".json")])
@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"null", b"\xff", b"{", b"[" * 100_000, b'{"a":' * 100_000, b"1" * 9_999],
)
def test_what_is_not_a_json_object_is_refused(folder, name, content):
    (folder / name).write_bytes(content)
    resum(folder)
    with pytest.raises(BundleError, match=name):
        open_bundle(str(folder))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xfd7zXZ",
        pack(model())[:-10],
        lzma.compress(bytes(5000)),
        pack(model(("B-X", "O", "I"))),
        pack(model(("B-X",))),
        pack(model(("O", "B-a b"))),
        pack(model(("O", "U-X"))),
    ],
)
def test_weights_that_are_not_sound_are_refused(folder, content):
    (folder / model_path("token")).write_bytes(content)
    resum(folder)
    with pytest.raises(BundleError, match=r"token\.crf\.xz|labels\.json"):
        open_bundle(str(folder))


@pytest.mark.parametrize("content", [b"", b"a\tb\n", b"\xff\n", b"x" * 300])
def test_dictionaries_that_are_not_lists_are_refused(folder, content):
    (folder / "dictionaries" / "site.txt").write_bytes(content)
    resum(folder)
    with pytest.raises(BundleError, match="site"):
        open_bundle(str(folder))


def test_a_dictionary_is_never_fetched_by_a_url_in_a_bundle(folder):
    url = str(folder / "dictionaries" / "site.txt")
    edit(folder, "dictionaries.json", lambda v: v.update({url: {"inside": False, "sha256": ""}}))
    with pytest.raises(BundleError, match="must list exactly"):
        open_bundle(str(folder))


def ships(monkeypatch, dictionary: Dictionary) -> None:
    """The package ships this dictionary, and no other."""
    for module in (bundle_module, contents):
        monkeypatch.setattr(module, "load_dictionary", lambda name: dictionary)


def test_shipped_dictionaries_are_named_by_hash_only(monkeypatch, tmp_path):
    shipped = Dictionary("site", ("ann",), "a" * 64)
    monkeypatch.setitem(DICTIONARIES, "site", "somewhere/site.txt")
    ships(monkeypatch, shipped)
    made = bundle(dictionaries={"site": shipped})
    assert not [name for name in made.files if "/" in name]
    write_bundle(made, str(tmp_path / "b"))
    assert open_bundle(str(tmp_path / "b")).dictionaries == {"site": shipped}
    _opened.clear()
    changed = dataclasses.replace(shipped, sha256="b" * 64)
    ships(monkeypatch, changed)
    with pytest.raises(BundleError, match="another version of dictionary"):
        open_bundle(str(tmp_path / "b"))
    monkeypatch.delitem(DICTIONARIES, "site")
    with pytest.raises(BundleError, match="does not ship with"):
        open_bundle(str(tmp_path / "b"))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"dictionaries": {}}, "dictionaries.json"),
        ({"biases": {"NOSUCH": 1.0}}, "biases"),
        ({"biases": {"O": float("nan")}}, "bias"),
        ({"label_map": {}}, "label_map"),
        ({"models": {"token": model(weight=0.1)}}, "grid"),
        ({"name": "Upper"}, "name"),
        ({"name": "a/b"}, "name"),
    ],
)
def test_parts_that_do_not_fit_are_not_bundled(changes, words):
    with pytest.raises(UsageError, match=words):
        bundle(**changes)


@examples(60)
@given(data=st.data())
def test_any_changed_byte_is_refused(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundle") / "b"
    write_bundle(bundle(), str(folder))
    name = data.draw(st.sampled_from([*FILES, CHECKSUMS, "dictionaries/site.txt"]))
    content = bytearray((folder / name).read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    (folder / name).write_bytes(bytes(content))
    with pytest.raises(BundleError):
        open_bundle(str(folder))


def test_a_changed_byte_of_the_weights_is_refused_even_with_its_checksum(folder):
    content = (folder / model_path("token")).read_bytes()
    for place in range(0, len(content), 41):
        changed = bytearray(content)
        changed[place] ^= 0x55
        (folder / model_path("token")).write_bytes(bytes(changed))
        resum(folder)
        try:
            opened = open_bundle(str(folder))
        except BundleError:
            continue
        assert pack(opened.models["token"]) == content  # the byte was one that means nothing


def test_bundles_can_be_sent_to_workers():
    # Not that anybody should; but a frozen value that cannot be copied would be a trap.
    assert pickle.loads(pickle.dumps(bundle())).hash == bundle().hash
