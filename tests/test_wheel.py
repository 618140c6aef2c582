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

ROOT = Path(__file__).parent.parent
ROOMS = ("pipeline", "transforms", "models", "dictionaries")
BUILT = ("setup.py", "pyproject.toml", "README.md", "LICENSE", *ROOMS)

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
        timeout=240,
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


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The `bin` of a fresh environment that has the wheel, and of ours the dependencies alone."""
    folder = tmp_path_factory.mktemp("env")
    run(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    binaries = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    run(binaries / "python", "-m", "pip", "install", "--no-deps", "--no-index", wheel, cwd=folder)
    # `.pth` files inside a folder that a `.pth` file adds are not read: the editable install of
    # the checkout, if there is one, stays out.
    site = run(
        binaries / "python", "-c", "import site; print(site.getsitepackages()[0])", cwd=folder
    ).stdout.strip()
    (Path(site) / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return binaries


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    return tmp_path_factory.mktemp("elsewhere")


def test_every_file_of_the_rooms_is_in_the_wheel(wheel):
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("scrubline/")}
    expected = {
        f"scrubline/{path.relative_to(ROOT).as_posix()}"
        for room in ROOMS
        for path in (ROOT / room).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
        # Sources of the extension stay behind; an extension in the checkout is of this machine.
        if path.suffix not in (".c", ".h", ".so", ".pyd")
    }
    assert expected - packed == set()
    built = {name for name in packed - expected if not name.endswith((".so", ".pyd"))}
    assert built == set()
    assert {f"scrubline/{room}/py.typed" for room in ROOMS} <= packed
    assert "scrubline/__init__.py" not in packed
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


def test_without_a_compiler_the_wheel_is_built_all_the_same(tmp_path):
    folder = copy_of_what_is_built(tmp_path)
    none = {"CC": "no-such-compiler", "CXX": "no-such-compiler"}
    run(sys.executable, "-c", HOOK, folder / "dist", cwd=folder, more_environment=none)
    (built,) = (folder / "dist").glob("*.whl")
    names = zipfile.ZipFile(built).namelist()
    assert "scrubline/models/native/__init__.py" in names
    assert not [name for name in names if name.endswith(".so")]


def test_nothing_but_scrubline_lands_at_the_top(wheel):
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    (info,) = tops - {"scrubline"}
    assert info.startswith("scrubline-")
    assert info.endswith(".dist-info")


def test_the_checkout_plays_no_part(installed, elsewhere):
    code = (
        "import scrubline.models, scrubline.pipeline.cli, sys\n"
        "print(scrubline.models.__file__, *sys.path)\n"
        "for room in ('models', 'pipeline', 'transforms', 'dictionaries'):\n"
        "    try: __import__(room)\n"
        "    except ModuleNotFoundError: pass\n"
        "    else: raise SystemExit(room + ' is importable')\n"
    )
    shown = run(installed / "python", "-c", code, cwd=elsewhere).stdout
    assert str(installed.parent) in shown.split()[0]
    assert str(ROOT) not in shown.replace(str(installed.parent), "").split()


def test_shipped_data_can_be_opened(installed, elsewhere):
    code = (
        "from scrubline import dictionaries\n"
        "from scrubline.models.bundles import bundled_names, open_bundle\n"
        "from scrubline.models.mapping import load_map\n"
        "from scrubline.models.policy import load_policy\n"
        "from scrubline.models.shipped import shipped_names\n"
        "assert all(len(dictionaries.load(name)) for name in dictionaries.DICTIONARIES)\n"
        "for name in shipped_names('policies'): load_policy(name)\n"
        "for name in shipped_names('label_maps'): load_map(name)\n"
        "for name in bundled_names(): assert open_bundle(name).labels\n"
        "print(*shipped_names('policies'), *bundled_names())\n"
    )
    names = run(installed / "python", "-c", code, cwd=elsewhere).stdout.split()
    folder = ROOT / "models" / "bundled"
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
