"""Small files by name or URL: what is refused, and that the message holds no URL."""

import pytest
from scrubline.dictionaries import DictionaryError, load
from scrubline.models.core.errors import UsageError
from scrubline.models.core.resources import read_toml
from scrubline.models.redaction.policy_file import load_policy

HOSTS = ("file://server/p.toml", "FILE://server/p.toml", "local://server/p.toml", "file://./p.toml")


@pytest.mark.parametrize("url", HOSTS)
def test_a_url_of_another_machine_is_not_read_as_a_relative_path(url, tmp_path, monkeypatch):
    (tmp_path / "server").mkdir()
    for place in (tmp_path / "server/p.toml", tmp_path / "p.toml"):
        place.write_text("")
    monkeypatch.chdir(tmp_path)
    for kind in (UsageError, load_policy), (DictionaryError, load), (UsageError, _read_label_map):
        with pytest.raises(kind[0], match="file:///absolute/path") as caught:
            kind[1](url)
        assert "server/" not in str(caught.value) or kind[0] is DictionaryError


def _read_label_map(url):
    return read_toml("label map", "core/label_sets", url)


@pytest.mark.parametrize("start", ["", "file://", "FILE://", "file://localhost", "local://"])
def test_a_local_file_is_read_by_path_and_by_url(start, tmp_path):
    (tmp_path / "p.toml").write_text("a = 1")
    assert read_toml("label map", "core/label_sets", f"{start}{tmp_path}/p.toml") == {"a": 1}
