import contextlib
import errno
import hashlib
import io
import os
import pickle
import random

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import InputChanged, StorageError, UsageError
from scrubline.models.storage import writers
from scrubline.models.storage.hive import parse_partition, partition_path
from scrubline.models.storage.retries import (
    MissingFileError,
    StorageAccessError,
    failure_class,
    is_transient,
    jitter,
)
from scrubline.models.storage.storage import Storage

PATIENT = "smith_john_1234567"


class FaultyFileSystem(MemoryFileSystem):
    """Memory that fails one operation in five, from a fixed seed."""

    protocol = ("faulty", "memory")
    store = {}
    pseudo_dirs = [""]
    random = random.Random(7)
    share = 0.2
    failed = 0

    @classmethod
    def _strip_protocol(cls, path):
        return super()._strip_protocol(path.removeprefix("faulty://"))

    def _maybe(self, action=lambda: None):
        """Fails in place of the action or after it, as when only the answer is lost."""
        if self.random.random() >= self.share:
            return action()
        if self.random.random() < 0.5:
            action()
        type(self).failed += 1
        raise OSError(errno.EIO, f"cannot reach {PATIENT}")

    def pipe_file(self, path, value, **kwargs):
        self._maybe(lambda: super(FaultyFileSystem, self).pipe_file(path, value, **kwargs))

    def cat_file(self, path, start=None, end=None, **kwargs):
        self._maybe()
        return super().cat_file(path, start=start, end=end, **kwargs)

    def cp_file(self, path1, path2, **kwargs):
        self._maybe(lambda: super(FaultyFileSystem, self).cp_file(path1, path2, **kwargs))

    def info(self, path, **kwargs):
        self._maybe()
        return super().info(path, **kwargs)


fsspec.register_implementation("faulty", FaultyFileSystem, clobber=True)


@pytest.fixture(scope="module")
def s3_bucket():
    """URL of a bucket on a real S3 server on the loopback."""
    boto3 = pytest.importorskip("boto3", reason="needs the extra `test`")
    server_module = pytest.importorskip("moto.server", reason="needs the extra `test`")
    pytest.importorskip("s3fs", reason="needs the extra `test`")
    server = server_module.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {
            "AWS_ENDPOINT_URL": f"http://{host}:{port}",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
            "NO_PROXY": "127.0.0.1",
        }.items():
            patch.setenv(name, value)
        boto3.client("s3").create_bucket(Bucket="ward")
        fsspec.get_filesystem_class("s3").clear_instance_cache()
        yield "s3://ward"
        fsspec.get_filesystem_class("s3").clear_instance_cache()
    server.stop()


@pytest.fixture(params=["local", "file", "memory", "faulty", "s3"])
def root(request, tmp_path):
    if request.param == "local":
        return str(tmp_path)
    if request.param == "file":
        return f"file://{tmp_path}"
    if request.param == "s3":
        return f"{request.getfixturevalue('s3_bucket')}/{tmp_path.name}"
    if request.param == "faulty":
        FaultyFileSystem.random = random.Random(tmp_path.name)
    return f"{request.param}://{tmp_path.name}"


@pytest.fixture
def storage(root):
    return Storage(root=root, sleep=lambda seconds: None)


# -- every backend


def test_a_file_written_is_read_back(storage, root):
    data = bytes(range(256)) * 5000
    written = storage.write_bytes(f"{root}/a/b.bin", data)
    assert (written.bytes, written.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    assert storage.exists(f"{root}/a/b.bin") and storage.exists(f"{root}/a")
    assert storage.read_bytes(f"{root}/a/b.bin") == data
    assert storage.read_range(f"{root}/a/b.bin", 255, 513) == data[255:513]
    assert storage.read_range(f"{root}/a/b.bin", len(data) - 3, len(data) + 99) == data[-3:]
    assert storage.read_range(f"{root}/a/b.bin", len(data), len(data) + 99) == b""
    assert storage.read_range(f"{root}/a/b.bin", 7, 7) == b""
    blocks = list(storage.read_blocks(f"{root}/a/b.bin", 1, 300_001, 100_000))
    assert [len(block) for block in blocks] == [100_000] * 3 and b"".join(blocks) == data[1:300_001]


@pytest.mark.parametrize("buffer_bytes", [0, 1000])
def test_a_reader_seeks(storage, root, buffer_bytes):
    data = random.Random(1).randbytes(50_000)
    storage.write_bytes(f"{root}/f", data)
    with storage.open_read(f"{root}/f", buffer_bytes=buffer_bytes) as reader:
        assert reader.seek(-10, io.SEEK_END) == len(data) - 10
        assert reader.read(100) == data[-10:]
        assert reader.seek(3) == 3 and reader.read(7) == data[3:10] and reader.tell() == 10
        reader.seek(0)
        assert reader.read() == data


def test_a_write_that_raises_leaves_nothing_and_keeps_what_was_there(storage, root):
    storage.write_bytes(f"{root}/kept", b"old")
    for name in ("kept", "new"):
        with pytest.raises(KeyError), storage.create(f"{root}/{name}") as writer:
            writer.write(b"half of it")
            raise KeyError
        with pytest.raises(ValueError, match="not been written"):
            writer.written
    assert storage.list_names(root) == ["kept"]
    assert storage.read_bytes(f"{root}/kept") == b"old"


def test_nothing_is_visible_before_the_end(storage, root):
    with storage.create(f"{root}/part") as writer:
        writer.write(b"1")
        assert not storage.exists(f"{root}/part")
        writer.write(memoryview(b"23"))
        assert writer.tell() == 3
    assert storage.read_bytes(f"{root}/part") == b"123" and writer.written.bytes == 3


def test_a_writer_that_is_forgotten_writes_nothing(storage, root):
    writer = storage.create(f"{root}/part")
    writer.write(b"1")
    del writer
    assert not storage.exists(f"{root}/part")


def test_move_can_be_repeated(storage, root):
    storage.write_bytes(f"{root}/_staging/p", b"x")
    storage.write_bytes(f"{root}/data/p", b"stale")
    storage.move(f"{root}/_staging/p", f"{root}/data/p")
    storage.move(f"{root}/_staging/p", f"{root}/data/p")
    assert storage.list_names(root) == ["data/p"]
    assert storage.read_bytes(f"{root}/data/p") == b"x"
    with pytest.raises(MissingFileError):
        storage.move(f"{root}/nowhere", f"{root}/data/q")


def test_delete_can_be_repeated(storage, root):
    for name in ("d/a", "d/e/b", "c"):
        storage.write_bytes(f"{root}/{name}", b"x")
    for _ in range(2):
        storage.delete(f"{root}/c")
        storage.delete_folder(f"{root}/d")
    assert storage.list_names(root) == []


def test_a_folder_of_which_an_entry_is_listed_twice_is_deleted(tmp_path, monkeypatch):
    storage = Storage()
    for name in ("a", "e/b", "e/c"):
        storage.write_bytes(f"{tmp_path}/d/{name}", b"x")
    real = os.scandir

    class Doubled:
        """What `os.scandir` gives, each entry twice."""

        def __init__(self, path):
            with real(path) as found:
                self._entries = [entry for entry in found for _ in range(2)]

        def __enter__(self):
            return iter(self._entries)

        def __exit__(self, *error):
            return None

    monkeypatch.setattr(os, "scandir", Doubled)
    storage.delete_folder(f"{tmp_path}/d")
    assert os.listdir(tmp_path) == []


def test_what_is_missing_is_an_error_without_its_name(storage, root):
    assert not storage.exists(f"{root}/{PATIENT}")
    assert storage.list_names(f"{root}/{PATIENT}") == []
    storage.write_bytes(f"{root}/x", b"")
    plain = Storage(sleep=lambda seconds: None)
    for action in (plain.read_bytes, plain.open_read, lambda url: plain.read_range(url, 0, 9)):
        with pytest.raises(FileNotFoundError) as caught:
            action(f"{root}/{PATIENT}")
        assert isinstance(caught.value, StorageError)
        assert PATIENT not in str(caught.value) and caught.value.__context__ is None


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("", ["a.txt", "k=1/b.txt", "k=1/j/c.txt", "k=2/b.txt"]),
        ("/", ["a.txt", "k=1/b.txt", "k=1/j/c.txt", "k=2/b.txt"]),
        ("/a.txt", ["a.txt"]),
        ("/k=1", ["b.txt", "j/c.txt"]),
        ("/*.txt", ["a.txt"]),
        ("/k=*/*.txt", ["k=1/b.txt", "k=2/b.txt"]),
        ("/k=[!2]/?.txt", ["k=1/b.txt"]),
        ("/k*", ["k=1/b.txt", "k=1/j/c.txt", "k=2/b.txt"]),
        ("/**/b.txt", ["k=1/b.txt", "k=2/b.txt"]),
        ("/**", ["a.txt", "k=1/b.txt", "k=1/j/c.txt", "k=2/b.txt"]),
        ("/k=1/**/*.txt", ["b.txt", "j/c.txt"]),
        ("/_hidden/d.txt", ["d.txt"]),
    ],
)
def test_listing(storage, root, pattern, expected):
    for name in ("a.txt", "k=1/b.txt", "k=1/j/c.txt", "k=2/b.txt"):
        storage.write_bytes(f"{root}/{name}", name.encode())
    for name in ("_hidden/d.txt", ".x.txt", "k=1/_SUCCESS", "k=1/.crc/x.txt"):
        storage.write_bytes(f"{root}/{name}", b"")
    files = storage.list_files([root + pattern])
    assert [file.path for file in files] == expected
    for file in files:
        assert len(storage.read_bytes(file.url)) == file.size
        storage.check_unchanged(file)
        assert "txt" not in repr(file)
    # The same files are meant by name, also once they are gone.
    known = {file.url for file in storage.list_files([root])}
    meant = {file.url for file in files} & known
    assert storage.meant([root + pattern], known) == meant
    storage.delete(f"{root}/k=1/j/c.txt")
    storage.delete(f"{root}/k=2/b.txt")
    assert storage.meant([root + pattern], known) == meant
    assert storage.meant([root + pattern, root], known) == known


def test_all_below_a_folder_is_listed(storage, root):
    names = ["a", "k=1/b.txt", "k=1/j/c", ".x", "_y/z"]
    assert storage.list_all(root) == ([], [])
    for name in names:
        storage.write_bytes(f"{root}/{name}", name.encode())
    assert storage.list_all(root) == (sorted(names), [])
    assert storage.list_all(f"{root}/k=1") == (["b.txt", "j/c"], [])


def test_empty_local_folders_are_listed(tmp_path):
    for name in ("a/b", "c", "d"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "d/file").write_text("")
    assert Storage().list_all(str(tmp_path)) == (["d/file"], ["a/b", "c"])
    assert Storage().list_all(str(tmp_path / "c")) == ([], [])


def test_folders_that_a_deleted_file_leaves_empty_are_deleted_up_to_its_table(tmp_path):
    storage = Storage(root=str(tmp_path))
    for name in ("data/k=1/j=1/a", "data/k=1/j=2/a", "data/b"):
        storage.write_bytes(f"{tmp_path}/{name}", b"")

    def delete(name):
        storage.delete(f"{tmp_path}/{name}")
        for _ in range(2):  # a publication that was cut off is done again
            storage.delete_empty_folders(f"{tmp_path}/{name}")
        return storage.list_all(str(tmp_path))

    assert delete("data/k=1/j=1/a") == (["data/b", "data/k=1/j=2/a"], [])
    assert delete("data/k=1/j=2/a") == (["data/b"], [])
    assert not (tmp_path / "data/k=1").exists()
    assert delete("data/b") == ([], ["data"])
    outside = tmp_path.parent / f"{tmp_path.name}-beside/x"
    outside.mkdir(parents=True)
    storage.delete_empty_folders(f"{outside}/file")
    Storage().delete_empty_folders(f"{outside}/file")
    assert outside.exists()


def test_files_are_meant_through_links_and_not_by_their_beginnings(tmp_path):
    for name in ("in", "in2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "in")
    storage = Storage()
    known = {file.url for file in storage.list_files([f"{tmp_path}/in*"])}
    for place in ("in", "in/", "link", "link/*.t[x]t", "in/a.txt"):
        found = storage.meant([f"{tmp_path}/{place}"], known)
        assert found == {url for url in known if "/in/" in url}, place


def test_files_listed_twice_count_once(storage, root):
    for name in ("year=2024/a", "year=2024/b"):
        storage.write_bytes(f"{root}/{name}", b"x")
    files = storage.list_files([f"{root}/year=2024/a", root, f"{root}/*"])
    assert [(f.path, f.partition) for f in files] == [
        ("year=2024/a", (("year", "2024"),)),
        ("year=2024/b", (("year", "2024"),)),
    ]


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ("/none", "does not exist"),
        ("/none/*.txt", "matches no files"),
        ("/*.none", "matches no files"),
        ("/_only", "has no files that are read: names that start with '.' or '_' are ignored"),
        ("/a.d/_x", "has no files that are read"),
    ],
)
def test_an_input_without_files_is_refused(storage, root, wrong, reason):
    storage.write_bytes(f"{root}/a.txt", b"x")
    storage.write_bytes(f"{root}/_only/_x", b"x")
    storage.write_bytes(f"{root}/a.d/_x", b"x")
    with pytest.raises(UsageError, match=f"input 2 of 2 {reason}"):
        storage.list_files([root, root + wrong])
    with pytest.raises(UsageError, match="no input was given"):
        storage.list_files([])


def test_an_empty_folder_is_refused_as_one(tmp_path):
    with pytest.raises(UsageError, match="input 1 of 1 is a folder without files"):
        Storage().list_files([str(tmp_path)])


def test_listings_are_fresh_and_changes_are_seen(storage, root):
    storage.write_bytes(f"{root}/a", b"one")
    (before,) = storage.list_files([root])
    storage.write_bytes(f"{root}/b", b"two")
    assert len(storage.list_files([root])) == 2
    storage.check_unchanged(before)
    storage.write_bytes(f"{root}/a", b"new")  # same size
    with pytest.raises(InputChanged, match="changed"):
        storage.check_unchanged(before)
    storage.delete(f"{root}/a")
    with pytest.raises(InputChanged, match="was removed"):
        storage.check_unchanged(before)


@pytest.mark.parametrize("name", ["a b.txt", "ü é.txt", "50%.txt", "a#b?c.txt", "x[1].txt", "a::b"])
def test_odd_names(storage, root, name):
    if name == "a::b" and root.startswith(("memory", "faulty")):
        pytest.skip("fsspec's memory filesystem takes :: for a chain itself")
    storage.write_bytes(f"{root}/in/{name}", b"x")
    for url in (f"{root}/in", f"{root}/in/{name}"):
        (file,) = storage.list_files([url])
        assert file.path == name and storage.read_bytes(file.url) == b"x"


def test_storage_travels(storage, root):
    storage = pickle.loads(pickle.dumps(Storage(root=root)))
    storage.write_bytes(f"{root}/a", b"x")
    assert storage.read_bytes(f"{root}/a") == b"x"


# -- faults


def test_faults_are_retried_to_the_same_bytes():
    FaultyFileSystem.failed = 0
    FaultyFileSystem.random = random.Random(7)
    waits = []
    storage = Storage(root="faulty://f", sleep=waits.append)
    for i in range(60):
        data = random.Random(i).randbytes(1000 + i)
        written = storage.write_bytes(f"faulty://f/s/{i}", data)
        storage.move(f"faulty://f/s/{i}", f"faulty://f/d/{i}")
        assert storage.read_bytes(f"faulty://f/d/{i}") == data
        assert written.sha256 == hashlib.sha256(data).hexdigest()
    assert len(storage.list_names("faulty://f")) == 60
    assert len(waits) == FaultyFileSystem.failed > 40
    assert all(0 < wait <= 1.5 * storage.cap_seconds for wait in waits)


@pytest.fixture
def broken(monkeypatch):
    monkeypatch.setattr(FaultyFileSystem, "share", 1.0)


def test_faults_that_stay_are_an_error_without_names(broken):
    waits = []
    storage = Storage(root="faulty://out", tries=4, sleep=waits.append)
    for url, named in ((f"faulty://in/{PATIENT}", False), ("faulty://out/data/p=7/x", True)):
        with pytest.raises(StorageError) as caught:
            storage.write_bytes(url, b"x")
        message = str(caught.value)
        assert "OSError EIO after 4 tries" in message and PATIENT not in message
        assert ("'data/p=*/x'" in message) is named
        assert caught.value.__context__ is None and caught.value.__cause__ is None
    assert len(waits) == 6
    again = []
    with pytest.raises(StorageError):
        Storage(tries=4, sleep=again.append).write_bytes(f"faulty://in/{PATIENT}", b"x")
    assert again == waits[:3]  # the same wait in every run
    assert again[0] < again[2]


def test_local_writes_survive_short_and_failed_writes(monkeypatch, tmp_path):
    draw = random.Random(3)
    real_write, real_replace = os.pwrite, os.replace

    def write(descriptor, data, offset):
        if draw.random() < 0.1:
            real_write(descriptor, data[: len(data) // 2], offset)
            raise OSError(errno.EIO, "x")
        return real_write(descriptor, data[: max(1, len(data) // 2)], offset)

    def replace(a, b, **folders):
        if draw.random() < 0.2:
            raise OSError(errno.EBUSY, "x")
        real_replace(a, b, **folders)

    monkeypatch.setattr(os, "pwrite", write)
    monkeypatch.setattr(os, "replace", replace)
    storage = Storage(sleep=lambda seconds: None)
    for i in range(20):
        data = random.Random(i).randbytes(10_000)
        with storage.create(f"{tmp_path}/{i}") as writer:
            for at in range(0, len(data), 3000):
                writer.write(data[at : at + 3000])
        assert (tmp_path / str(i)).read_bytes() == data
        assert writer.written.sha256 == hashlib.sha256(data).hexdigest()
    assert len(os.listdir(tmp_path)) == 20


def test_a_full_disk_and_a_failed_sync_are_final_and_leave_nothing(monkeypatch, tmp_path):
    def fail(number):
        def raising(*args):
            raise OSError(number, PATIENT)

        return raising

    never = Storage(root=str(tmp_path), sleep=lambda seconds: pytest.fail("waited"))
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail(errno.EIO))
        with pytest.raises(StorageError, match="cannot sync 'p': OSError EIO"):
            never.write_bytes(f"{tmp_path}/p", b"x")
    monkeypatch.setattr(os, "pwrite", fail(errno.ENOSPC))
    with pytest.raises(StorageAccessError, match="ENOSPC"):
        never.write_bytes(f"{tmp_path}/p", b"x")
    assert os.listdir(tmp_path) == []


class _Named(Exception):
    pass


def _error(module, name, base=Exception, **attributes):
    error = type(name, (base,), {"__module__": module})("x")
    for key, value in attributes.items():
        setattr(error, key, value)
    return error


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OSError(errno.EIO, "x"), True),
        (OSError("no number"), True),
        (TimeoutError(), True),
        (ConnectionResetError(), True),
        (OSError(errno.EBUSY, "SlowDown"), True),
        (FileNotFoundError(), False),
        (PermissionError(), False),
        (IsADirectoryError(), False),
        (OSError(errno.ENOSPC, "x"), False),
        (OSError(errno.EINVAL, "x"), False),
        (_error("aiohttp.client_exceptions", "ClientError"), True),
        (
            _error("a.b", "Sub", type("ClientError", (Exception,), {"__module__": "aiohttp.x"})),
            True,
        ),
        (_error("botocore.exceptions", "HTTPClientError"), True),
        (_error("botocore.exceptions", "NoCredentialsError"), False),
        (_error("other.exceptions", "ClientError"), False),
        (_error("gcsfs.retry", "HttpError", code=503), True),
        (_error("gcsfs.retry", "HttpError", code="429"), True),
        (_error("gcsfs.retry", "HttpError", code=404), False),
        (ValueError("x"), False),
    ],
)
def test_what_is_worth_another_try(error, expected):
    assert is_transient(error) is expected


def test_only_class_and_number_of_an_error_are_told():
    assert failure_class(OSError(errno.EBUSY, PATIENT)) == "OSError EBUSY"
    assert failure_class(_Named(PATIENT)) == "_Named"
    spread = {jitter("read", f"f{i}", 1) for i in range(50)}
    assert len(spread) == 50 and all(0.5 <= j < 1.5 for j in spread)


# -- local files


def test_local_permissions_follow_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        Storage().write_bytes(f"{tmp_path}/x/p", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "x" / "p").stat().st_mode & 0o777 == 0o640


def test_links(tmp_path):
    (tmp_path / "in" / "sub").mkdir(parents=True)
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "b.txt").write_text("b")
    (tmp_path / "in" / "sub" / "a.txt").write_text("a")
    (tmp_path / "in" / "sub" / "loop").symlink_to(tmp_path / "in")
    (tmp_path / "in" / "self").symlink_to("self")
    (tmp_path / "in" / "far").symlink_to(tmp_path / "far")
    os.mkfifo(tmp_path / "in" / "pipe")
    for url in (tmp_path / "in", tmp_path / "in" / "*", tmp_path / "in" / "**"):
        files = Storage().list_files([str(url)])
        assert [file.path for file in files] == ["far/b.txt", "sub/a.txt"]
    (tmp_path / "in" / ".gone").symlink_to("nowhere")
    assert len(Storage().list_files([str(tmp_path / "in")])) == 2
    (tmp_path / "in" / f"{PATIENT}.txt").symlink_to("nowhere")
    with pytest.raises(UsageError, match="symbolic link") as caught:
        Storage().list_files([str(tmp_path / "in")])
    assert PATIENT not in str(caught.value)


def test_places_above_a_folder_are_listed_whole(tmp_path, monkeypatch):
    (tmp_path / "in" / "sub").mkdir(parents=True)
    (tmp_path / "in" / "a.txt").write_text("a")
    (tmp_path / "in" / "sub" / "b.txt").write_text("b")
    (tmp_path / "in" / "sub" / "loop").symlink_to(tmp_path / "in")
    (tmp_path / "link").symlink_to(tmp_path / "in" / "sub")
    monkeypatch.chdir(tmp_path / "in" / "sub")
    whole = [
        str(tmp_path / "in" / name) for name in ("sub/..", "sub/../*", "../in", "sub/../../in")
    ]
    for url in (*whole, str(tmp_path / "link" / ".."), "../*", "..", "../../in/"):
        files = Storage().list_files([url])
        assert [os.path.basename(file.url) for file in files] == ["a.txt", "b.txt"]


@pytest.mark.parametrize(
    "name", ["none/../a", "in/none/deep/../../../a", "link/../a", "link/none/../../a", "./in/../a"]
)
@pytest.mark.parametrize("scheme", ["", "file://", "file://localhost"])
def test_a_path_with_dots_means_one_file_to_every_operation(tmp_path, scheme, name):
    (tmp_path / "in").mkdir()
    (tmp_path / "far/deep").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "far/deep")
    there = tmp_path / ("far/a" if name.startswith("link") else "a")
    there.write_bytes(b"precious")
    before = sorted(tmp_path.rglob("*"))
    url, storage = f"{scheme}{tmp_path}/{name}", Storage()
    assert storage.exists(url) and storage.read_bytes(url) == b"precious"
    assert storage.open_read(url).read() == storage.read_range(url, 0, 99) == b"precious"
    (file,) = storage.list_files([url])
    assert file.url == f"file://{there}" and storage.meant([url], [file.url]) == {file.url}
    assert storage.modified(url) == there.stat().st_mtime
    storage.write_bytes(url, b"new")
    assert there.read_bytes() == b"new"
    storage.move(url, f"{url}.moved")
    assert not storage.exists(url) and storage.exists(f"{url}.moved")
    storage.move(f"{url}.moved", url)
    assert sorted(tmp_path.rglob("*")) == before
    storage.delete(url)
    assert not there.exists()
    with storage.locked(f"{url}.lock"):
        assert storage.lock_holder(f"{url}.lock") is not None


def test_a_name_that_is_no_utf8_is_refused(tmp_path):
    with open(os.fsencode(tmp_path) + b"/a\xff.txt", "wb"):
        pass
    with pytest.raises(UsageError, match="UTF-8") as caught:
        Storage().list_files([str(tmp_path)])
    assert caught.value.__context__ is None


def test_a_store_without_atomic_put_is_not_written_to(tmp_path):
    class Plain(MemoryFileSystem):
        protocol = "plainly"

    fsspec.register_implementation("plainly", Plain, clobber=True)
    with pytest.raises(UsageError, match="plainly"):
        Storage().create("plainly://x/y")


def test_move_stays_in_one_store(tmp_path):
    with pytest.raises(ValueError, match="same store"):
        Storage().move(f"{tmp_path}/a", "memory://a")


# -- hive folders


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("x.txt", ()),
        ("k=1/x.txt", (("k", "1"),)),
        ("a/k=1/b/j=2/x=3.txt", (("k", "1"), ("j", "2"))),
        ("k=/x", (("k", ""),)),
        ("=1/x", ()),
        ("k=a%2Fb%20c/x", (("k", "a/b c"),)),
        ("k=%FF/x", (("k", "%FF"),)),
        ("k=a=b/x", (("k", "a=b"),)),
        ("_k=1/x", (("_k", "1"),)),
    ],
)
def test_parse_partition(path, expected):
    assert parse_partition(path) == expected


def test_a_partition_key_twice_is_refused():
    with pytest.raises(UsageError, match="the same partition key twice") as caught:
        parse_partition("k=1/k=2/x")
    assert "['k']" in caught.value.on_terminal


@given(st.dictionaries(st.text(min_size=1), st.text(), max_size=3))
def test_partition_paths_round_trip(partition):
    pairs = tuple(partition.items())
    folder = partition_path(pairs)
    assert parse_partition(folder + "x") == pairs
    assert folder == "" or (folder.endswith("/") and folder.count("/") == len(pairs))


@pytest.mark.parametrize(
    ("code", "remedy"),
    [
        ("RequestTimeTooSkewed", "set this one \\(NTP\\)"),
        ("RequestExpired", "set this one \\(NTP\\)"),
        ("ExpiredToken", "get new ones"),
        ("AccessDenied", None),
        (f"No {PATIENT} here", None),
        (None, None),
    ],
)
def test_known_codes_of_a_refusal_are_shown_with_their_remedy(monkeypatch, code, remedy):
    """s3fs makes a PermissionError of a clock that is wrong: no one would look at the clock."""
    client = pytest.importorskip("botocore.exceptions", reason="needs the extra `test`")
    errors = pytest.importorskip("s3fs.errors", reason="needs the extra `test`")
    answer = {"Error": {"Code": code, "Message": PATIENT}}
    refused = errors.translate_boto_error(client.ClientError(answer, "HeadObject"))

    def info(self, path, **more):
        raise refused

    monkeypatch.setattr(MemoryFileSystem, "info", info)
    storage = Storage(tries=1)
    with pytest.raises(StorageError, match=remedy or "cannot look up a file") as caught:
        storage.exists("memory://x")
    assert PATIENT not in str(caught.value) and caught.value.__context__ is None
    assert (code is not None and code in str(caught.value)) is (remedy is not None)


def test_a_range_beyond_the_end_is_the_end_whatever_a_store_calls_it(monkeypatch):
    class OfGoogle(Exception):
        code = 416

    storage = Storage(sleep=lambda seconds: None)
    storage.write_bytes("memory://range/x", b"abc")

    def cat_file(self, path, start=None, end=None, **more):
        raise OfGoogle

    monkeypatch.setattr(MemoryFileSystem, "cat_file", cat_file)
    assert storage.read_range("memory://range/x", 3, 9) == b""
    with pytest.raises(StorageError):  # it is not the end: the store is wrong
        storage.read_range("memory://range/x", 1, 9)


def test_a_file_that_is_not_written_is_removed_where_no_file_can_be_opened(tmp_path, monkeypatch):
    writer = Storage(root=str(tmp_path)).create(f"{tmp_path}/data/a")
    writer.write(b"x")

    @contextlib.contextmanager
    def too_many(*arguments, **more):
        raise OSError(errno.EMFILE, "open")
        yield

    monkeypatch.setattr(writers, "entered", too_many)
    writer.discard()
    assert list((tmp_path / "data").iterdir()) == []
