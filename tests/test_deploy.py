"""The image of workers: what can be checked of it without building it."""

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
