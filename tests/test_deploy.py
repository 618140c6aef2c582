"""The image of workers: what can be checked of it without building it."""

import importlib.util
import json
import re
from pathlib import Path

import apache_beam
import pytest
from scrubline.pipeline.runners.engines import BEAM

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "deploy/Dockerfile").read_text(encoding="utf-8")
KNOWN = {"ARG", "FROM", "RUN", "COPY", "ENV", "ENTRYPOINT"}


@pytest.fixture(scope="module")
def steps():
    lines = [line for line in TEXT.splitlines() if line.strip() and not line.startswith("#")]
    return [line.split(" ", 1) for line in lines]


def test_every_instruction_is_one(steps):
    assert {word for word, _ in steps} == KNOWN
    stages = re.findall(r"^FROM \S+ AS (\w+)$", TEXT, re.MULTILINE)
    assert set(re.findall(r"--from=(\w+)", TEXT)) <= set(stages)
    named = {name for _, rest in steps for name in re.findall(r"\$\{(\w+)\}", rest)}
    assert named <= set(re.findall(r"^ARG (\w+)=", TEXT, re.MULTILINE))


def test_what_is_copied_is_there_and_is_sent(steps):
    ignored = (ROOT / "deploy/Dockerfile.dockerignore").read_text(encoding="utf-8").split()
    for word, rest in steps:
        if word == "COPY" and not rest.startswith("--from"):
            for source in rest.split()[:-1]:
                assert (ROOT / source).exists()
                assert f"!{source}" in ignored


def test_the_image_has_the_version_of_the_launcher():
    assert f"ARG BEAM={BEAM}" in TEXT
    assert apache_beam.__version__ == BEAM


def test_workers_are_started_by_beam(steps):
    word, rest = steps[-1]
    assert word == "ENTRYPOINT"
    assert json.loads(rest) == ["/opt/apache/beam/boot"]


# -- the replay without a container


@pytest.fixture(scope="module")
def replay():
    spec = importlib.util.spec_from_file_location("replay", ROOT / "deploy/replay.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def bare(replay, tmp_path, monkeypatch):
    """A replay whose virtual environment and steps are only noted."""
    calls = []
    monkeypatch.setattr(replay.subprocess, "run", lambda words, **more: calls.append((words, more)))
    boot = tmp_path / "boot"
    boot.write_text("")
    monkeypatch.setenv("SCRUBLINE_KEY", "secret")
    monkeypatch.setenv("PYTHONPATH", "here")
    return replay.Replay(tmp_path / "image", "python3.11", str(boot)), calls, tmp_path / "image"


def test_the_replay_carries_out_every_step(replay, bare, steps):
    image, calls, root = bare
    assert [word for word, _ in replay.STEPS] == [word for word, _ in steps]
    command = image.carry_out(replay.STEPS)
    assert command == [f"{root}/opt/apache/beam/boot"] and Path(command[0]).exists()
    assert (root / "source/setup.py").exists() and (root / "source/public/__init__.py").exists()
    assert not list((root / "source").rglob("*.so"))
    shell = [words[2] for words, _ in calls if words[0] == "sh"]
    assert len(shell) == sum(word == "RUN" for word, _ in steps) - 1  # all but apt-get
    assert f"--wheel-dir {root}/wheels {root}/source" in shell[0]
    assert f"apache-beam[gcp]=={BEAM}" in shell[1] and "pip check" in shell[1]
    environments = [more["env"] for words, more in calls if words[0] == "sh"]
    assert environments[-1]["SCRUBLINE_CACHE"] == f"{root}/opt/scrubline/cache"
    assert environments[0]["PATH"].startswith(f"{root}/venv/bin:")
    assert not {"SCRUBLINE_KEY", "PYTHONPATH"} & set(environments[0])


def test_the_replay_refuses_what_it_does_not_know(bare):
    image, _, _ = bare
    with pytest.raises(RuntimeError, match="unknown instruction VOLUME"):
        image.carry_out([("VOLUME", "/x")])
    with pytest.raises(RuntimeError, match="no ENTRYPOINT"):
        image.carry_out([])
