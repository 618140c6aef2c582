"""Folders of parts: written, read, and refused when they are not whole and sound."""

import hashlib
import json
import os

import fsspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.auxiliary import (
    AuxiliaryTagger,
    ClusterTable,
    open_auxiliary,
    read_auxiliary,
    revise_auxiliary,
)
from scrubline.models.auxiliary.base import (
    CHECKSUMS,
    CLUSTERS,
    LINKS_FILE,
    MODEL,
    TAGGER,
    TREES,
    make_cluster_table,
    write_auxiliary,
)
from scrubline.models.auxiliary.kinds import KIND_OF
from scrubline.models.core.errors import BundleError
from scrubline.models.core.packing import compressed
from scrubline.models.crf.packed import pack
from scrubline.models.features import Gazetteer, Tag, Word, at, feature_to_json

from ...examples import examples
from .small import brown, links, mesh, ner, pos


def signed(files):
    """The files with a CHECKSUMS that fits them."""
    own = {name: content for name, content in files.items() if name != CHECKSUMS}
    lines = (f"{hashlib.sha256(own[n]).hexdigest()}  {n}\n" for n in sorted(own))
    return {**own, CHECKSUMS: "".join(lines).encode()}


def changed(model, file, content):
    return signed({**model.files, file: content})


def edited(model, file, /, **values):
    table = json.loads(model.files[file])
    return changed(model, file, json.dumps({**table, **values}).encode())


@pytest.mark.parametrize("make", [pos, ner, brown, mesh, links])
def test_an_auxiliary_model_is_read_as_it_was_written(make, tmp_path):
    model = make()
    url = str(tmp_path / "here/part")
    write_auxiliary(model, url)
    again = read_auxiliary(url + "/")
    assert (again.name, again.hash, again.licence) == (model.name, model.hash, model.licence)
    assert again.files == model.files
    assert type(again) is type(model)


def test_an_auxiliary_model_may_be_in_any_store():
    write_auxiliary(brown(), "memory://parts/brown")
    again = read_auxiliary("memory://parts/brown")
    assert isinstance(again, ClusterTable) and again.clusters == brown().clusters
    fsspec.filesystem("memory").rm("/parts", recursive=True)


def test_the_files_are_all_that_a_bundle_needs_to_hold():
    model = open_auxiliary(dict(pos().files))
    assert isinstance(model, AuxiliaryTagger)
    assert model.hash == hashlib.sha256(model.files[CHECKSUMS]).hexdigest()
    assert model.declaration == pos().declaration
    assert set(model.files) == {
        *("CHECKSUMS", "LICENCE.md", "card.json", "card.md", "tagger.json", "model.crf.xz")
    }


def test_an_auxiliary_model_is_not_overwritten(tmp_path):
    write_auxiliary(brown(), str(tmp_path / "p"))
    with pytest.raises(BundleError, match="not empty"):
        write_auxiliary(brown(), str(tmp_path / "p"))


def test_a_card_may_be_added_to():
    model = revise_auxiliary(pos(), {"scores": {"dev": {"words": 3}}})
    assert model.card["scores"] == {"dev": {"words": 3}}
    assert b"    - words: 3" in model.files["card.md"]
    assert model.hash != pos().hash
    assert model.files[MODEL] == pos().files[MODEL]


def test_the_repr_holds_no_words():
    assert "nurse" not in repr(pos()) and "fish" not in repr(brown())
    assert "heart" not in repr(mesh()) and "Ss" not in repr(links())


# -- hostile


@pytest.mark.parametrize("name", [MODEL, TAGGER, "card.json", "card.md", "LICENCE.md"])
def test_a_damaged_file_is_named(name):
    content = bytearray(pos().files[name])
    content[len(content) // 2] ^= 1
    with pytest.raises(BundleError, match=f"{name} is damaged"):
        open_auxiliary({**pos().files, name: bytes(content)})


@pytest.mark.parametrize("make", [pos, brown, mesh, links])
def test_each_file_must_be_there(make):
    for name in make().files:
        files = {n: c for n, c in make().files.items() if n != name}
        with pytest.raises(BundleError, match=f"{name} is missing"):
            open_auxiliary(files)
        with pytest.raises(BundleError, match="missing|must list"):
            open_auxiliary(signed(files) if name != CHECKSUMS else files)


@pytest.mark.parametrize("content", [b"", b"x", b"\n", b"\xff\n", b"0" * 64 + b"  card.json"])
def test_damaged_checksums_are_refused(content):
    with pytest.raises(BundleError, match=CHECKSUMS):
        open_auxiliary({**brown().files, CHECKSUMS: content})


def test_checksums_in_another_order_are_refused():
    lines = brown().files[CHECKSUMS].splitlines(keepends=True)
    with pytest.raises(BundleError, match="sorted"):
        open_auxiliary({**brown().files, CHECKSUMS: b"".join(reversed(lines))})


@pytest.mark.parametrize("name", ["../evil", "evil.py", "parts/x"])
def test_a_file_that_no_auxiliary_model_has_is_refused(name):
    with pytest.raises(BundleError):
        open_auxiliary({**brown().files, name: b""})
    with pytest.raises(BundleError):
        open_auxiliary(signed({**brown().files, name: b""}))


def test_both_kinds_at_once_are_refused():
    with pytest.raises(BundleError, match="must list"):
        open_auxiliary(signed({**pos().files, CLUSTERS: brown().files[CLUSTERS]}))


@pytest.mark.parametrize(
    ("name", "content", "match"),
    [
        ("card.json", b"[]", "JSON object"),
        ("card.json", b"{", "not JSON"),
        ("card.json", b'{"a": NaN}', "not JSON"),
        ("card.json", b"[" * 100_000, "not JSON"),
        ("card.json", b"\xff", "not JSON"),
        ("card.md", b"\xff", "not UTF-8"),
        ("LICENCE.md", b"\xff", "not UTF-8"),
        (TAGGER, b"{}", "must have"),
        (MODEL, b"", "truncated"),
        (MODEL, b"lCRF" + b"\0" * 100, MODEL),
    ],
)
def test_files_that_say_nonsense_are_refused(name, content, match):
    with pytest.raises(BundleError, match=match):
        open_auxiliary(changed(pos(), name, content))


@pytest.mark.parametrize(
    ("values", "match"),
    [
        ({"name": "secret"}, "name must be one of"),
        ({"name": 3}, "name must be one of"),
        ({"name": ["pos"]}, "name must be one of"),
        ({"name": "brown"}, "must be of kind 'cluster'"),
        ({"licence": ""}, "licence"),
        ({"licence": None}, "licence"),
    ],
)
def test_cards_that_say_nonsense_are_refused(values, match):
    with pytest.raises(BundleError, match=match) as caught:
        open_auxiliary(edited(pos(), "card.json", **values))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("values", "match"),
    [
        ({"features": {}}, "must be a list"),
        ({"features": []}, "1 to 2000 features"),
        ({"features": [[[{"kind": "os.system"}, 0]]]}, "unknown kind"),
        ({"features": [feature_to_json(at(Word(), 0)[0])] * 3_000}, "must be a list"),
        ({"features": [feature_to_json(at(Tag("ner"), 0)[0])]}, "another auxiliary model"),
        ({"features": [feature_to_json(at(Gazetteer("us_states"), 0)[0])]}, "dictionaries"),
        ({"dictionaries": {"us_states": "0" * 64}}, "dictionaries"),
        ({"dictionaries": []}, "dictionaries"),
        ({"sequence": "page"}, "sequence"),
        ({"sequence": 1}, "sequence"),
        ({"max_sequence": 0}, "max_sequence"),
        ({"max_sequence": 1.5}, "max_sequence"),
        ({"max_sequence": "1"}, "max_sequence"),
        ({"more": 1}, "must have"),
    ],
)
def test_declarations_that_say_nonsense_are_refused(values, match):
    with pytest.raises(BundleError, match=match):
        open_auxiliary(edited(pos(), TAGGER, **values))


def test_a_list_of_another_version_is_refused():
    files = edited(
        pos(),
        TAGGER,
        features=[feature_to_json(at(Gazetteer("us_states"), 0)[0])],
        dictionaries={"us_states": "0" * 64},
    )
    with pytest.raises(BundleError, match="another version.*train it again"):
        open_auxiliary(files)


@given(cut=st.integers(0, 2_000), flip=st.integers(0, 255))
@examples(60)
def test_no_damage_of_the_weights_gets_through(cut, flip):
    whole = pos().files[MODEL]
    at_ = cut % len(whole)
    for bad in (whole[:at_], whole[:at_] + bytes([whole[at_] ^ (flip or 1)]) + whole[at_ + 1 :]):
        try:
            model = open_auxiliary(changed(pos(), MODEL, bad))
        except BundleError:
            continue
        # What passes is the same model: the byte was one that means nothing.
        assert pack(model.model) == whole


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"", "must not be empty"),
        (b"a\t1", "line break"),
        (b"a\t1\n\n", "line 2"),
        (b"a 1\n", "line 1"),
        (b"a\tx\n", "line 1"),
        (b"a\t1\t2\n", "line 1"),
        (b"\t1\n", "line 1"),
        (b"a\t" + b"1" * 17 + b"\n", "line 1"),
        (b"a\t\xd9\xa1\n", "line 1"),
        (b"b\t1\na\t1\n", "sorted"),
        (b"a\t1\na\t2\n", "sorted"),
        (b"a\0\t1\n", "line 1"),
        (b"a\r\t1\n", "line 1"),
        (b"\xff\t1\n", "not UTF-8"),
    ],
)
def test_tables_that_are_none_are_refused(content, match):
    with pytest.raises(BundleError, match=match):
        open_auxiliary(changed(brown(), CLUSTERS, content))


DIGEST = b"0" * 64


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"", "must not be empty"),
        (b"C14\ta", "line break"),
        (b"C14\n", "line 1: expected sorted phrases"),
        (b"C14\ta\n\n", "line 2: expected sorted tree numbers"),
        (b"c14\ta\n", "line 1"),
        (b"C14.1\ta\n", "line 1"),
        (b"C14" + b".000" * 11 + b"\ta\n", "line 1"),
        (b"C15;C14\ta\n", "line 1"),
        (b"C14\ta\nC13\tb\n", "line 2"),
        (b"C14\tb\ta\n", "line 1: expected sorted phrases"),
        (b"C14\ta\ta\n", "line 1: expected sorted phrases"),
        (b"C14\ta  b\n", "line 1: expected sorted phrases"),
        (b"C14\t a\n", "line 1: expected sorted phrases"),
        (b"C14\t\n", "line 1: expected sorted phrases"),
        (b"C14\ta\0\n", "line 1: expected sorted phrases"),
        (b"C14\t" + b"a " * 16 + b"a\n", "more than 16 words"),
        (b"C14\ta\nC15\ta\n", "line 2: a phrase occurs twice"),
        (b"\xff\n", "not UTF-8"),
    ],
)
def test_tables_of_trees_that_are_none_are_refused(content, match):
    with pytest.raises(BundleError, match=match):
        open_auxiliary(changed(mesh(), TREES, compressed(content)))


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (DIGEST + b"\t2\t0:1:S", "line break"),
        (b"\n", "line 1"),
        (DIGEST[1:] + b"\t2\t0:1:S\n", "line 1"),
        (DIGEST + b"\t2\t\n", "line 1"),
        (DIGEST + b"\t2\t0:1\n", "line 1"),
        (DIGEST + b"\t2\t0:2:S\n", "line 1"),
        (DIGEST + b"\t2\t1:1:S\n", "line 1"),
        (DIGEST + b"\t2\t1:0:S\n", "line 1"),
        (DIGEST + b"\t41\t0:1:S\n", "line 1"),
        (DIGEST + b"\t3\t1:2:S 0:1:S\n", "line 1"),
        (DIGEST + b"\t3\t0:1:S 0:1:S\n", "line 1"),
        (DIGEST + b"\t2\t0:1:" + b"S" * 33 + b"\n", "line 1"),
        ((DIGEST + b"\t2\t0:1:S\n") * 2, "line 2"),
        (b"\xff\n", "not ASCII"),
    ],
)
def test_records_of_links_that_are_none_are_refused(content, match):
    with pytest.raises(BundleError, match=match):
        open_auxiliary(changed(links(), LINKS_FILE, compressed(content)))


@given(cut=st.integers(0, 2_000), flip=st.integers(1, 255))
@examples(60)
def test_no_damage_of_a_table_gets_through(cut, flip):
    for model, file in ((mesh(), TREES), (links(), LINKS_FILE)):
        whole = model.files[file]
        place = cut % len(whole)
        flipped = bytes([whole[place] ^ flip])
        for bad in (whole[:place], whole[:place] + flipped + whole[place + 1 :], whole + b"\0"):
            with pytest.raises(BundleError, match=file):
                open_auxiliary(changed(model, file, bad))


@pytest.mark.parametrize(("make", "file"), [(mesh, TREES), (links, LINKS_FILE)])
def test_a_small_file_that_unpacks_to_much_is_refused(make, file):
    with pytest.raises(BundleError, match="too large"):
        open_auxiliary(changed(make(), file, compressed(b"a" * (1 << 26) + b"\n")))


def test_a_file_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setitem(open_auxiliary.__globals__["MAX_BYTES"], CLUSTERS, 10)
    with pytest.raises(BundleError, match="larger than 10 bytes"):
        open_auxiliary(brown().files)


def test_words_that_a_table_cannot_hold_are_left_out():
    words = {"a\tb": "1", "": "1", "\ud800": "1", "c\n": "1", "d\0": "1", "é": "10", "🙂": "2"}
    model = make_cluster_table("brown", words, card={"licence": "CC0"}, licence_text="CC0\n")
    assert model.clusters == {"é": "10", "🙂": "2"}


def test_a_name_of_no_auxiliary_model_cannot_be_made():
    assert set(KIND_OF) == {
        *("pos", "upos", "ner", "brown", "word2vec", "mesh", "links"),
        "linkleft",
        "linkright",
    }
    with pytest.raises(BundleError, match="name must be"):
        make_cluster_table("mine", {"a": "1"}, card={"licence": "CC0"}, licence_text="CC0\n")


# -- folders


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(BundleError, match="no auxiliary model there") as caught:
        read_auxiliary(str(tmp_path / "secret"))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("url", ["nosuchprotocol://secret/x", "http://[secret"])
def test_a_url_that_leads_nowhere(url):
    with pytest.raises(BundleError, match="cannot be reached|cannot be read") as caught:
        read_auxiliary(url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("name", ["more.txt", "parts/x", "model.crf.xz/x"])
def test_a_folder_with_more_in_it(tmp_path, name):
    write_auxiliary(brown(), str(tmp_path / "p"))
    (tmp_path / "p" / name).parent.mkdir(exist_ok=True)
    (tmp_path / "p" / name).write_text("x")
    with pytest.raises(BundleError, match="unexpected files or folders"):
        read_auxiliary(str(tmp_path / "p"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_waited_for(tmp_path):
    write_auxiliary(brown(), str(tmp_path / "p"))
    (tmp_path / "p/card.json").unlink()
    os.mkfifo(tmp_path / "p/card.json")
    with pytest.raises(BundleError, match="unexpected files or folders"):
        read_auxiliary(str(tmp_path / "p"))


def test_an_empty_folder_is_no_auxiliary_model(tmp_path):
    with pytest.raises(BundleError, match="CHECKSUMS is missing"):
        read_auxiliary(str(tmp_path))
