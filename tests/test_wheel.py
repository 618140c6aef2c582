"""The wheel, built and installed outside of the checkout: what users get is what runs."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

from .waiting import GUARD_SECONDS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
ROOMS = ("pipeline", "transforms", "models", "dictionaries", "public")
BUILT = ("setup.py", "pyproject.toml", "README.md", "LICENSE", *ROOMS)
WITHOUT_COMPILER = {"CC": "no-such-compiler", "CXX": "no-such-compiler"}

pytest.importorskip("setuptools", reason="the build needs setuptools in this environment")


def run(*words, cwd, check=True, more_environment=None, **more):
    """Runs a command with nothing of the checkout in its environment."""
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "SCRUBLINE_KEY")
    env = {k: v for k, v in os.environ.items() if k not in hidden} | {"PYTHONSAFEPATH": "1"}
    env |= more_environment or {}
    done = subprocess.run(
        [str(w) for w in words],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        timeout=GUARD_SECONDS,
        **more,
    )
    assert not check or done.returncode == 0, done.stdout + done.stderr
    return done


HOOK = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"


def copy_of_what_is_built(folder):
    """A copy: setuptools would leave a folder behind, and pack what an old one holds."""
    for name in BUILT:
        if (ROOT / name).is_dir():
            leftovers = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")
            shutil.copytree(ROOT / name, folder / name, ignore=leftovers)
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = copy_of_what_is_built(tmp_path_factory.mktemp("build"))
    run(sys.executable, "-c", HOOK, folder / "dist", cwd=folder)
    (built,) = (folder / "dist").glob("*.whl")
    return built


def fresh_environment(folder):
    """The `bin` of a new environment that has all that ours has, pip too, but not Scrubline."""
    ours = Path(sysconfig.get_path("purelib"))
    options = ["--without-pip"] if (ours / "pip").exists() else []  # to install it takes seconds
    run(sys.executable, "-m", "venv", *options, folder / "venv", cwd=folder)
    binaries = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    (folder / "dependencies").mkdir()
    for entry in ours.iterdir():
        if "scrubline" not in entry.name:
            (folder / "dependencies" / entry.name).symlink_to(entry)
    (site_packages(binaries) / "dependencies.pth").write_text(f"{folder / 'dependencies'}\n")
    return binaries


def site_packages(binaries):
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return Path(run(binaries / "python", "-c", code, cwd=binaries).stdout.strip())


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The `bin` of a fresh environment that has the wheel."""
    binaries = fresh_environment(tmp_path_factory.mktemp("env"))
    words = ("-m", "pip", "install", "--no-deps", "--no-index")
    run(binaries / "python", *words, wheel, cwd=binaries)
    return binaries


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    return tmp_path_factory.mktemp("elsewhere")


def test_every_file_of_the_rooms_is_in_the_wheel(wheel):
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("scrubline/")}
    expected = {
        f"scrubline/{path.relative_to(ROOT).as_posix().removeprefix('public/')}"
        for room in ROOMS
        for path in (ROOT / room).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
        # Sources of the extension stay behind; an extension in the checkout is of this machine.
        if path.suffix not in (".c", ".h", ".so", ".pyd")
    }
    assert expected - packed == set()
    built = {name for name in packed - expected if not name.endswith((".so", ".pyd"))}
    assert built == set()
    root = ("__init__.py", "__main__.py", "py.typed")
    assert {f"scrubline/{name}" for name in root} <= packed
    assert any(name.endswith("/policies/hipaa.toml") for name in packed)


def test_what_setup_file_sends_to_workers_is_whole(tmp_path):
    """Beam's --setup_file makes a source distribution and has each worker install it."""
    folder = copy_of_what_is_built(tmp_path)
    run(sys.executable, "setup.py", "-q", "sdist", cwd=folder)
    (built,) = (folder / "dist").glob("*.tar.gz")
    with tarfile.open(built) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    expected = {
        path.relative_to(folder).as_posix()
        for room in ROOMS
        for path in (folder / room).rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }
    assert expected | {"setup.py", "pyproject.toml", "README.md", "LICENSE"} <= packed


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs a compiler")
def test_the_extension_is_in_the_wheel_and_runs(wheel, installed, elsewhere):
    assert "-cp311-abi3-" in wheel.name
    code = "from scrubline.models.native import extension; print(extension().__name__)"
    shown = run(installed / "python", "-c", code, cwd=elsewhere).stdout
    assert shown.strip() == "scrubline.models.native._native"


def test_a_wheel_without_a_compiler_holds_nothing_of_a_former_build(tmp_path):
    folder = copy_of_what_is_built(tmp_path)
    moved = folder / "models/formerly.py"
    moved.touch()
    for target in ("former", "now"):
        build = (sys.executable, "-c", HOOK, folder / target)
        run(*build, cwd=folder, more_environment=WITHOUT_COMPILER)
        moved.unlink(missing_ok=True)
    former, now = (
        set(zipfile.ZipFile(next((folder / target).glob("*.whl"))).namelist())
        for target in ("former", "now")
    )
    assert former - now == {"scrubline/models/formerly.py"}
    assert "scrubline/models/native/__init__.py" in now
    assert not [name for name in now if name.endswith(".so")]
    # Its name says so: nobody takes it for the fast one, and any machine can install it.
    (built,) = (folder / "now").glob("*.whl")
    assert built.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(built) as packed:
        (said,) = (name for name in packed.namelist() if name.endswith(".dist-info/WHEEL"))
        assert b"Root-Is-Purelib: true\nTag: py3-none-any" in packed.read(said)


def test_a_build_that_must_have_the_extension_fails_without_a_compiler(tmp_path):
    folder = copy_of_what_is_built(tmp_path)
    demanded = {**WITHOUT_COMPILER, "SCRUBLINE_REQUIRE_NATIVE": "1"}
    words = (sys.executable, "-c", HOOK, folder / "dist")
    assert run(*words, cwd=folder, check=False, more_environment=demanded).returncode != 0


def test_nothing_but_scrubline_lands_at_the_top(wheel):
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    (info,) = tops - {"scrubline"}
    assert info.startswith("scrubline-")
    assert info.endswith(".dist-info")


def test_the_checkout_plays_no_part(installed, elsewhere):
    code = (
        "import scrubline.models, scrubline.pipeline.cli.main, sys\n"
        "print(scrubline.models.__file__, *sys.path)\n"
        f"for room in {ROOMS}:\n"
        "    try: __import__(room)\n"
        "    except ModuleNotFoundError: pass\n"
        "    else: raise SystemExit(room + ' is importable')\n"
    )
    shown = run(installed / "python", "-c", code, cwd=elsewhere).stdout
    assert str(installed.parent) in shown.split()[0]
    assert str(ROOT) not in shown.replace(str(installed.parent), "").split()


API = (
    "import sys, scrubline\n"
    "assert not {'apache_beam', 'pyarrow', 'numpy'} & set(sys.modules)\n"
    "print(scrubline.__file__, scrubline.__version__)\n"
    "print(scrubline.Scrubber(None).scrub('MRN: 1234567'))\n"
)


def require_it_works(binaries, cwd, root):
    """The public names, the command by its script and by `-m`, and a worker's module."""
    shown = run(binaries / "python", "-c", API, cwd=cwd).stdout.splitlines()
    file, version = shown[0].rsplit(" ", 1)
    assert (Path(file), shown[1]) == (root / "__init__.py", "MRN: [MEDICALRECORD]")
    for words in (
        ["scrubline"],
        ["python", "-m", "scrubline"],
        ["python", "-P", "-m", "scrubline"],
    ):
        command, *rest = [binaries / words[0], *words[1:], "--version"]
        assert run(command, *rest, cwd=cwd).stdout.startswith(f"scrubline {version} (")
    worker = ("-P", "-m", "scrubline.pipeline.runners.worker")
    assert run(binaries / "python", *worker, cwd=cwd, stdin=subprocess.DEVNULL).stdout == ""


def test_the_public_names_and_the_command_work_from_the_wheel(installed, elsewhere):
    for cwd in (elsewhere, ROOT):  # the rooms of a checkout change nothing
        require_it_works(installed, cwd, site_packages(installed) / "scrubline")


FORMER = """
from setuptools import find_packages, setup
ROOMS = ("pipeline", "transforms", "models", "dictionaries")
setup(
    name="scrubline",
    version="0.9.0",
    packages=[f"scrubline.{r}" for r in ROOMS]
    + [f"scrubline.{r}.{s}" for r in ROOMS for s in find_packages(r)],
    package_dir={f"scrubline.{r}": r for r in ROOMS},
)
"""
"""Versions up to 0.9.0 had a namespace as the root of the package."""


def test_an_editable_install_works_also_over_one_of_the_former_layout(tmp_path):
    folder = tmp_path / "checkout"
    folder.mkdir()
    copy_of_what_is_built(folder)
    binaries = fresh_environment(tmp_path)
    words = ("-m", "pip", "install", "--no-deps", "--no-index", "--no-build-isolation")
    install = (binaries / "python", *words, "--editable", ".")
    now = (folder / "setup.py").read_text(encoding="utf-8")
    (folder / "setup.py").write_text(FORMER, encoding="utf-8")
    run(*install, cwd=folder)
    code = "import scrubline.models; print(scrubline.__file__)"
    assert run(binaries / "python", "-c", code, cwd=tmp_path).stdout == "None\n"
    (folder / "setup.py").write_text(now, encoding="utf-8")
    run(*install, cwd=folder, more_environment=WITHOUT_COMPILER)
    for cwd in (folder, tmp_path):
        require_it_works(binaries, cwd, folder / "public")
    # New files are seen at once.
    (folder / "public/later.py").write_text("SEEN = True\n", encoding="utf-8")
    run(binaries / "python", "-c", "from scrubline.later import SEEN", cwd=folder)


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_the_links_of_make_dev_are_the_package(tmp_path):
    folder = copy_of_what_is_built(tmp_path)
    shutil.copy(ROOT / "Makefile", folder)
    # As former versions made it: without a file of its own.
    (folder / "build/dev/scrubline").mkdir(parents=True)
    (folder / "build/dev/scrubline/models").symlink_to("../../../models")
    for _ in range(2):
        run("make", "--silent", "dev", cwd=folder)
    linked = {"PYTHONPATH": str(folder / "build/dev")}
    code = API + "import scrubline.pipeline.cli.main, scrubline.transforms, scrubline.dictionaries"
    shown = run(sys.executable, "-c", code, cwd=folder, more_environment=linked).stdout
    assert shown.startswith(str(folder / "build/dev/scrubline/__init__.py"))
    names = {path.name for path in (folder / "build/dev/scrubline").iterdir()}
    modules = {path.name for path in (ROOT / "public").glob("*.py")}
    assert names - {"__pycache__"} == {*ROOMS, *modules, "py.typed"} - {"public"}


USER = """
import scrubline

text: str = scrubline.Scrubber().scrub("x")
action: str = scrubline.load_policy("hipaa").action("DATE")
version: str = scrubline.__version__
wrong: int = scrubline.Scrubber().scrub("x")
scrubline.Scruber
"""


def test_type_checkers_of_users_see_the_types(installed, elsewhere):
    pytest.importorskip("mypy", reason="the extra `test` has it")
    (elsewhere / "user.py").write_text(USER, encoding="utf-8")
    checked = run(
        *(installed / "python", "-m", "mypy", "--strict", "--no-error-summary", "user.py"),
        cwd=elsewhere,
        check=False,
    )
    assert [line.partition(" error: ")[0] for line in checked.stdout.splitlines()] == [
        *("user.py:7:", "user.py:8:"),
    ], checked.stdout + checked.stderr


def test_shipped_data_can_be_opened(installed, elsewhere):
    code = (
        "from scrubline import dictionaries\n"
        "from scrubline.models.bundles.bundle import bundled_names, open_bundle\n"
        "from scrubline.models.core.label_maps import label_map_names, load_map\n"
        "from scrubline.models.redaction.policy_file import load_policy, policy_names\n"
        "assert all(len(dictionaries.load(name)) for name in dictionaries.DICTIONARIES)\n"
        "for name in policy_names(): load_policy(name)\n"
        "for name in label_map_names(): load_map(name)\n"
        "for name in bundled_names(): assert open_bundle(name).labels\n"
        "print(*policy_names(), *bundled_names())\n"
    )
    names = run(installed / "python", "-c", code, cwd=elsewhere).stdout.split()
    folder = ROOT / "models/bundles/bundled"
    bundles = [p.name for p in folder.iterdir() if p.is_dir()] if folder.is_dir() else []
    assert {"hipaa", "research", *bundles} <= set(names)


def test_two_worker_processes_scrub_and_verify_agrees(installed, elsewhere):
    command = installed / "scrubline"
    notes = elsewhere / "notes"
    notes.mkdir()
    for number in range(6):
        text = f"Seen 3/{number + 1}/2019. MRN: {7000000 + number}. Café 🙂\r\n"
        (notes / f"smith{number}.txt").write_bytes(text.encode())
    run(command, "key", "new", "--output", "key.txt", cwd=elsewhere)
    words = ["--output", "out", "--key-file", "key.txt"]
    done = run(
        command,
        *("scrub", "--input", "notes", *words, "--model", "none", "--workers", "2"),
        *("--split-bytes", "60", "--json"),
        cwd=elsewhere,
    )
    manifest = json.loads(done.stdout)
    assert manifest["counts"]["rows_out"] == 6
    assert manifest["labels"] == {"DATE": 6, "MEDICALRECORD": 6}
    assert manifest["report"]["units"] > 1
    shown = run(command, "verify", *words, "--originals", cwd=elsewhere).stdout
    assert f"content digest {manifest['content_digest']}" in shown
    assert "FAULT" not in shown
    texts = {p.read_bytes() for p in (elsewhere / "out/data").rglob("*.txt")}
    assert texts == {"Seen [DATE]. MRN: [MEDICALRECORD]. Café 🙂\r\n".encode()}


def test_one_text_from_standard_input(installed, elsewhere):
    done = run(
        installed / "scrubline",
        "scrub",
        "-",
        "--model",
        "none",
        cwd=elsewhere,
        input="MRN: 1234567\n",
    )
    assert done.stdout == "MRN: [MEDICALRECORD]\n"
