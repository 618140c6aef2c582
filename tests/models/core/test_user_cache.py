"""Where the user's cache is."""

from pathlib import Path

import pytest
from scrubline.models.core.user_cache import user_cache


@pytest.mark.parametrize("named", [None, ""])
def test_it_is_below_home_unless_it_is_named(monkeypatch, tmp_path, named):
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "named"))
    assert user_cache() == tmp_path / "named/scrubline"
    if named is None:
        monkeypatch.delenv("XDG_CACHE_HOME")
    else:
        monkeypatch.setenv("XDG_CACHE_HOME", named)
    assert user_cache() == tmp_path / "home/.cache/scrubline"
    assert list(tmp_path.iterdir()) == []
