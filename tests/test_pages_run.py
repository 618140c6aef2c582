"""Pages whose commands can be pasted whole: each block runs, and prints what stands below it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = (
    *("how-to/embed.md", "how-to/held-run.md", "how-to/known-people.md", "how-to/run-nightly.md"),
    *("how-to/scrub-messages.md", "how-to/train.md", "how-to/upgrade.md", "how-to/write-a-rule.md"),
    *("messages.md", "records.md", "roster.md", "studies/hide-worked-example.md", "tutorial.md"),
    "view.md",
)
GUARD_SECONDS = 300


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_print_what_it_shows(page, tmp_path, forking_python):
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(
        r"^( *)```sh\n(.*?)^\1```\n(?:\1```text\n(.*?)^\1```)?", text, re.DOTALL | re.MULTILINE
    )
    assert blocks
    (tmp_path / "demo").symlink_to(ROOT / "demo")
    command = tmp_path / "bin/scrubline"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{forking_python}" -m scrubline "$@"\n')
    command.chmod(0o755)
    path = os.pathsep.join(
        [str(command.parent), str(Path(sys.executable).parent), os.environ["PATH"]]
    )
    for indent, *block in blocks:
        commands, expected = (re.sub(f"^{indent}", "", one, flags=re.MULTILINE) for one in block)
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", commands],
            cwd=tmp_path,
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            timeout=GUARD_SECONDS,
            check=False,
        )
        assert (done.returncode, done.stdout) == (0, expected), done.stderr
