"""Whether one place lies in another, however the two are written."""

import itertools
import os

import pytest
from fsspec.implementations.local import LocalFileSystem
from hypothesis import assume, given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.storage.checksummed import write_checksummed
from scrubline.models.storage.folders import LinkInOutputError, entered
from scrubline.models.storage.key_files import load_keys
from scrubline.models.storage.paths import below
from scrubline.models.storage.places import (
    SCHEMES,
    any_inside,
    is_inside,
    is_private,
    is_same,
    local_path,
    place_of,
)
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.monitoring.report import require_apart

LOCAL_FORMS = [
    "{}",
    "{}/",
    "{}//",
    "{}/.",
    "{}/x/..",
    "file://{}",
    "FILE://{}",
    "File://{}/",
    "file:{}",
    "local://{}",
    "local:{}",
    "file:///.{}",
]


@pytest.fixture
def tree(tmp_path):
    for name in ("out/deep", "out2", "x", "in"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "out")
    (tmp_path / "in/inner").symlink_to(tmp_path / "out/deep")
    return tmp_path


@pytest.mark.parametrize("other", LOCAL_FORMS)
@pytest.mark.parametrize("form", LOCAL_FORMS)
def test_local_places_are_one_however_they_are_written(tree, form, other):
    out = other.format(f"{tree}/out")
    for inner in ("out", "out/r.json", "link/deep", "in/inner/new", "x/../out/a", "none/../out"):
        assert is_inside(form.format(f"{tree}/{inner}"), out), inner
    for apart in ("out2", "in", "in/r.json", "ou", "", "x/../out2/out"):
        assert not is_inside(form.format(f"{tree}/{apart}"), out), apart
    assert is_same(form.format(f"{tree}/link"), out)
    assert not is_same(form.format(f"{tree}/link/deep"), out)


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_dots_lead_where_the_kernel_leads_them(tmp_path, length):
    (tmp_path / "d/in").mkdir(parents=True)
    (tmp_path / "far/deep/d").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "far/deep")
    (tmp_path / "d/up").symlink_to("..")
    found = 0
    for parts in itertools.product(("d", "in", "link", "up", "..", "none"), repeat=length):
        named = "/".join((str(tmp_path), *parts))
        path = local_path(named)
        assert os.path.isabs(path) and ".." not in path.split("/")
        if os.path.lexists(named):
            found += 1
            assert os.path.samestat(os.lstat(named), os.lstat(path)), named
    assert found


def test_dots_behind_what_is_not_there_take_its_name_back(tree):
    for name in ("none/../out", "x/none/deep/../../../out", "none/../none/../out", "x/f/../../out"):
        assert local_path(f"{tree}/{name}") == f"{tree}/out"
    (tree / "in/gone").symlink_to(tree / "nowhere/at")
    assert local_path(f"{tree}/in/gone/../a") == f"{tree}/nowhere/a"
    (tree / "loop").symlink_to("loop")
    assert local_path(f"{tree}/loop/../a") == f"{tree}/a"


def test_a_last_link_behind_dots_is_not_followed(tree):
    assert local_path(f"{tree}/x/../link") == f"{tree}/link"
    assert local_path(f"{tree}/link/../link") == f"{tree}/link"


def test_this_machine_may_be_called_localhost(tree):
    for start in ("file://localhost", "FILE://LocalHost", "local://localhost"):
        assert local_path(f"{start}{tree}/out") == f"{tree}/out"
        assert is_same(f"{start}{tree}/link", f"{tree}/out")
    assert local_path("/a/file:b/local://localhost/c") == "/a/file:b/local:/localhost/c"
    assert Storage().list_names(f"file://localhost{tree}/x") == []


@pytest.mark.parametrize(
    "url",
    [
        *("file://srv/a/b", "file://localhost", "file://localhostile/a", "file://localhost:80/a"),
        *("file://127.0.0.1/a", "file://a", "file://./a", "file://../a", "file://~/a"),
        *("local://srv/a", "FILE://SRV/a", "file://"),
    ],
)
def test_a_url_of_another_machine_is_no_local_place(url, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    storage = Storage()
    for act in (
        storage.exists,
        storage.read_bytes,
        storage.delete,
        lambda place: storage.list_files([place]),
        lambda place: storage.write_bytes(place, b"x"),
        lambda place: load_keys(place, storage.read_bytes),
        lambda place: write_checksummed({"a": b"x"}, place, "bundle"),
    ):
        with pytest.raises(UsageError, match="file:///absolute/path") as caught:
            act(url)
        assert "srv" not in str(caught.value).lower()
    assert not list(tmp_path.iterdir())


def test_relative_places_and_homes(tree, monkeypatch):
    monkeypatch.chdir(tree / "x")
    monkeypatch.setenv("HOME", str(tree))
    for inner in ("../out/a", "./../link", "~/out/a", "file://../out", "file:../out/a"):
        assert is_inside(inner, f"{tree}/out"), inner
    assert is_inside("a", "") and is_inside("a", ".") and not is_inside("..", ".")
    assert is_inside("/anything", "/") and not is_inside("/", "/anything")


@pytest.mark.parametrize(
    "url",
    [
        *("/a/b", "a/b", "file:///a/b", "file://a/b", "local:///a/b", "file:/a/b", "~/a", ""),
        *("/a b/50%20", "file:///a%20b", "/a/b/", "/a::b", "a:b", "file:a", "/a#b?c"),
    ],
)
def test_a_local_path_is_where_storage_goes(url):
    expected = os.path.abspath(LocalFileSystem._strip_protocol(url) or "/")
    assert local_path(url) == (os.getcwd() if url == "" else expected)


S3, AZURE, GOOGLE = "s3://b/out", "abfs://c/out", "gs://b/out"


@pytest.mark.parametrize(
    ("inner", "outer"),
    [
        ("s3://b/out/r.json", S3),
        ("s3a://b/out/r.json", S3),
        ("S3://b/out", S3),
        ("s3://b//out/", S3),
        ("s3://b/x/../out/r", S3),
        ("s3://b/out/../in", S3),  # a key may hold dots
        ("s3://b/out", "s3://b"),
        ("s3://b/out", "s3://b/"),
        ("simplecache::s3://b/out/a", S3),
        ("gcs://b/out/r", GOOGLE),
        ("gs://b/out/r", "gcs://b/out/"),
        ("az://c/out/r", AZURE),
        ("abfss://c/out/r", "az://c/out"),
        ("abfs://c@acc.dfs.core.windows.net/out/r", AZURE),
        ("abfs://c@acc.dfs.core.windows.net/out/r", "abfss://c@acc.blob.core.windows.net/out"),
        ("wasbs://c@acc.blob.core.windows.net/out", "abfs://c@acc.dfs.core.windows.net/out"),
        ("memory://a/out/r", "memory:///a/out"),
        ("simplecache::file:///out/r", "/out"),
    ],
)
def test_places_in_stores(inner, outer):
    assert is_inside(inner, outer)
    with pytest.raises(UsageError, match="--report"):
        require_apart(Storage(), inner, None, (outer,))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("s3://b/out2", S3),
        ("s3://c/out", S3),
        ("gs://b/out", S3),
        ("/b/out", S3),
        ("s3://b/out", "/b/out"),
        ("memory://b/out", "/b/out"),
        ("abfs://c@one.dfs.core.windows.net/out", "abfs://c@two.dfs.core.windows.net/out"),
        ("abfs://d@acc.dfs.core.windows.net/out", AZURE),
    ],
)
def test_places_apart(one, other):
    assert not is_inside(one, other) and not is_inside(other, one) and not is_same(one, other)


@pytest.mark.parametrize("form", LOCAL_FORMS)
@pytest.mark.parametrize("option", ["--report", "--metrics-file"])
def test_a_report_in_the_output_is_refused_by_any_name(tree, form, option):
    target = form.format(f"{tree}/out/r.json")
    report, metrics = (target, None) if option == "--report" else (None, target)
    refused = f"{option} lies in an input or in the output"
    if form.lower().startswith("file:") and not form.startswith("file:"):
        refused += "|storage of this kind is unknown"  # fsspec knows protocols in small letters
    for place in (f"{tree}/out", f"file://{tree}/out", f"{tree}/link"):
        with pytest.raises(UsageError, match=refused):
            require_apart(Storage(), report, metrics, (place,))
    if "unknown" not in refused:
        require_apart(Storage(), report, metrics, (f"{tree}/out2",))


def test_the_reproduced_report_in_the_output():
    with pytest.raises(UsageError):
        require_apart(Storage(), "file:///out/r.json", None, ("/out",))


def test_report_and_metrics_by_two_names_are_one_file(tree):
    with pytest.raises(UsageError, match="are one file"):
        require_apart(Storage(), f"file://{tree}/in/inner/a", f"{tree}/out/deep/a", ())


def test_many_files_are_looked_up_by_folder_and_links_by_themselves(tree, monkeypatch):
    files = [f"file://{tree}/in/{number}" for number in range(500)]
    assert not any_inside(files, f"{tree}/out")
    (tree / "in/to-out").symlink_to(tree / "out/deep")
    assert any_inside([*files, f"{tree}/in/to-out"], f"{tree}/out")
    assert any_inside([*files, f"{tree}/out"], f"{tree}/out")
    assert any_inside(["s3://b/in/a", "s3a://b/out/a"], S3)
    assert not any_inside(["s3://b/in/a", "s3://b/out2/a"], S3)


def test_a_place_that_is_mounted_twice_is_one(tree, monkeypatch):
    """A bind mount, or another case of letters: other names, the same folder."""
    real = os.stat

    def stat(path, **more):
        return real(str(path).replace("/mounted", "/out"), **more)

    monkeypatch.setattr(os, "stat", stat)
    assert is_inside(f"{tree}/mounted/deep/new", f"{tree}/out")
    assert not is_inside(f"{tree}/mounted/new", f"{tree}/out2")


def test_a_place_shows_nothing_of_itself():
    assert "smith" not in repr(place_of("s3://b/smith"))


names = st.text(st.sampled_from("ab.=%~: \\é/"), min_size=1, max_size=6)


@given(
    folder=st.lists(names, max_size=4), scheme=st.sampled_from(["", "file://", "s3://", "az://"])
)
def test_a_place_is_in_itself_and_in_what_is_above(folder, scheme):
    outer = f"{scheme}/b/" + "/".join(folder)
    # Another `://` in a URL makes a chain of it, which leads elsewhere.
    assume(not scheme or "://" not in f"{outer}/x".removeprefix(scheme))
    assert is_inside(outer, outer) and is_same(outer, outer)
    if "/.." not in outer:
        assert is_inside(f"{outer}/x", outer)


@pytest.mark.parametrize("path", ["/b/://x", "/b/s3://x", "/b/a::s3://c/x"])
def test_a_path_from_the_root_is_local_whatever_stands_in_it(path):
    assert is_inside(path, "/b") and not is_inside(path, "s3://c")


# -- what is private below an output, and what a name may be

RUN = "0123456789abcdef"


@pytest.mark.parametrize(
    ("path", "root", "expected"),
    [
        (f"/out/restricted/{RUN}/plan.parquet", "", True),
        (f"/out/_staging/{RUN}/data/a", "", True),
        ("/out/restricted/LOCK", "", True),
        ("/out/restricted/catalogue.parquet", "", True),
        ("/out/restricted", "", True),
        ("/out/data/a", "", False),
        ("/srv/restricted/out/data/a", "", False),
        ("/srv/restricted/reports/r.json", "", False),
        ("/srv/restricted/out/data/a", "/srv/restricted/out", False),
        ("/srv/restricted/out/restricted/x", "/srv/restricted/out", True),
        (f"/srv/restricted/{RUN}/out/data/a", f"/srv/restricted/{RUN}/out", False),
        ("/out/data/restricted/x", "/out", False),
    ],
)
def test_what_is_private(path, root, expected):
    assert is_private(path, root) is expected


@pytest.mark.parametrize("name", ["..", "a/..", "a/../..", "../x", ".", "a/."])
def test_no_file_below_an_output_leads_out_of_it(tmp_path, name):
    with (
        pytest.raises(LinkInOutputError, match="leads out of the folder"),
        entered(f"{tmp_path}/out/data/{name}/../x", f"{tmp_path}/out", make=True),
    ):
        pass
    with (
        pytest.raises(LinkInOutputError, match="leads out of the folder"),
        entered(f"{tmp_path}/none/{name}/../x", "", make=True),
    ):
        pass
    assert os.listdir(tmp_path) in ([], ["out"])


@pytest.mark.parametrize(
    ("path", "folder", "expected"),
    [
        ("/out/a/b", "/out", "a/b"),
        ("/out/a", "/out/", "a"),
        ("s3://b/k/a", "s3://b/k", "a"),
        ("/out", "/out", None),
        ("/out2/a", "/out", None),
        ("/ou", "/out", None),
        ("/a", "/", "a"),
        ("/out//a", "/out", "/a"),
        ("file:///out/a", "/out", None),
    ],
)
def test_what_comes_after_a_folder_as_it_is_written(path, folder, expected):
    assert below(path, folder) == expected


def test_schemes_of_one_store_are_one_place():
    for (one, a), (other, b) in itertools.product(SCHEMES.items(), repeat=2):
        assert is_same(f"{one}://c/k", f"{other.upper()}://c/k") is (a.store == b.store)
        assert a.is_written or not a.is_conditional
    assert all(scheme.store in SCHEMES for scheme in SCHEMES.values())
