"""The stores of Google and Azure do what our storage code asks of them, and end with the tests."""

import contextlib
import os

import fsspec
import pytest
from scrubline.models.storage.storage import Storage

from .azure import CONTAINER, azure
from .engines import NotInstalled
from .gcs import BUCKET, gcs
from .s3_server import Unavailable
from .stores import AZURITE, PLACES, REQUIRED, Required, install, place_of

STORES = {"gcs": (gcs, f"gs://{BUCKET}"), "azure": (azure, f"abfs://{CONTAINER}")}


@contextlib.contextmanager
def running(name):
    """URL of an empty store and its server; skips where it is not installed."""
    server, url = STORES[name]
    with contextlib.ExitStack() as stack:
        try:
            found = stack.enter_context(server())
        except Unavailable as error:
            pytest.skip(str(error))
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        for key, value in found.environment().items():
            patch.setenv(key, value)
        clear = fsspec.get_filesystem_class(url.partition(":")[0]).clear_instance_cache
        clear()
        stack.callback(clear)
        yield url, found


@pytest.fixture(scope="module", params=STORES)
def url(request):
    with running(request.param) as (found, _):
        yield found


def test_files_go_in_and_come_out(url):
    storage = Storage(root=url, sleep=lambda seconds: pytest.fail("waited"))
    data = bytes(range(256)) * 5000
    storage.write_bytes(f"{url}/a/b c%.bin", data)
    assert storage.read_bytes(f"{url}/a/b c%.bin") == data
    assert storage.read_range(f"{url}/a/b c%.bin", 255, 513) == data[255:513]
    assert storage.read_range(f"{url}/a/b c%.bin", len(data) - 3, len(data) + 99) == data[-3:]
    assert storage.read_range(f"{url}/a/b c%.bin", len(data), len(data) + 99) == b""
    assert storage.list_sizes(url) == {"a/b c%.bin": len(data)}
    storage.move(f"{url}/a/b c%.bin", f"{url}/k=1/x")
    storage.move(f"{url}/a/b c%.bin", f"{url}/k=1/x")  # again
    assert storage.list_names(url) == ["k=1/x"]
    storage.delete_folder(f"{url}/k=1")
    storage.delete_folder(f"{url}/k=1")
    assert storage.list_names(url) == [] and not storage.exists(f"{url}/k=1")


def test_what_a_key_with_a_slash_at_its_end_holds_is_listed(url):
    storage, fs = Storage(root=url), fsspec.core.url_to_fs(url)[0]
    place = url.partition("://")[2]
    for key, data in (("t/p/b", b"2"), ("t/full/", b"secret")):
        fs.pipe_file(f"{place}/{key}", data)
    files, empty = storage.list_all(f"{url}/t")
    assert [name.rstrip("/") for name in files] == ["full", "p/b"] and empty == []
    if not url.startswith("abfs"):  # Azure's client shows such a key without its slash
        fs.pipe_file(f"{place}/t/m/", b"")
        fs.pipe_file(f"{place}/t/p/", b"")
        assert storage.list_all(f"{url}/t") == (["full/", "p/b"], ["m/"])
    storage.delete_folder(f"{url}/t")


def test_a_changed_file_is_seen_by_its_version(url):
    storage = Storage()
    storage.write_bytes(f"{url}/in/a", b"one")
    (before,) = storage.list_files([f"{url}/in"])
    storage.check_unchanged(before)
    storage.write_bytes(f"{url}/in/a", b"two")
    (after,) = storage.list_files([f"{url}/in"])
    assert before.version != after.version
    storage.delete(f"{url}/in/a")


def test_one_of_many_makes_an_object(url):
    storage = Storage()
    found = [storage.create_exclusively(f"{url}/once", str(n).encode()) for n in range(5)]
    assert found == [True, *[False] * 4]
    assert storage.read_bytes(f"{url}/once") == b"0"
    storage.delete(f"{url}/once")


@pytest.mark.parametrize("name", STORES)
def test_a_server_ends_with_its_tests(name):
    with running(name) as (_, server):
        os.kill(server.pid, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(server.pid, 0)


@pytest.mark.parametrize("name", STORES)
def test_a_store_that_is_not_installed_skips_unless_it_is_required(name, monkeypatch, tmp_path):
    monkeypatch.setenv("SCRUBLINE_ENGINES", str(tmp_path))
    server = STORES[name][0]
    monkeypatch.delenv(REQUIRED, raising=False)
    with pytest.raises(Unavailable, match="make stores|is not installed"), server():
        pass
    monkeypatch.setenv(REQUIRED, "gcs azure")
    with pytest.raises(Required, match=f"{name} has to run here"), server():
        pass


@pytest.mark.parametrize("name", PLACES)
def test_without_its_client_a_store_is_not_installed(name, monkeypatch, tmp_path):
    monkeypatch.setenv("SCRUBLINE_ENGINES", str(tmp_path / "engines"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotInstalled, match="there is no (go|npm) on this machine"):
        install(name)
    with pytest.raises(NotInstalled, match="make stores"):
        place_of(name)
    assert list((tmp_path / "engines").iterdir()) == []


def test_the_version_of_the_lock_file_is_the_one_that_is_started():
    version = PLACES["azure"].partition("/")[0].removeprefix("azurite-")
    assert f'"azurite": "{version}"' in (AZURITE / "package.json").read_text()
