import os

import pytest
from scrubline.models.core.errors import UsageError
from scrubline.pipeline.serving.settings import Settings, read_token

TOKEN = b"0123456789abcdef" * 4


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"listen": "0.0.0.0"}, "needs --tls-cert and --tls-key"),
        ({"listen": "::"}, "needs --tls-cert and --tls-key"),
        ({"listen": "10.1.2.3", "hosts": frozenset({"x"})}, "needs --tls-cert"),
        ({"listen": "0.0.0.0", "tls_cert": "c", "tls_key": "k"}, "--host-name"),
        ({"listen": "localhost"}, "takes an IP address"),
        ({"tls_cert": "c"}, "both --tls-cert and --tls-key"),
        ({"port": 70_000}, "--port"),
        ({"max_bytes": 0}, "--max-bytes must be at least 1"),
        ({"threads": 0}, "--threads must be at least 1"),
        ({"max_seconds": 0.0}, "--max-seconds"),
    ],
)
def test_what_must_not_be_is_refused(changed, said):
    with pytest.raises(UsageError, match=said):
        Settings(TOKEN, **changed)


def test_loopback_needs_no_tls():
    assert Settings(TOKEN, listen="::1").names == {"localhost", "127.0.0.1", "[::1]"}
    assert Settings(TOKEN, listen="127.8.8.8").port == 8321
    assert "0123" not in repr(Settings(TOKEN))


@pytest.mark.parametrize(
    ("content", "mode", "said"),
    [
        (TOKEN, 0o640, "open to others"),
        (TOKEN, 0o604, "open to others"),
        (TOKEN, 0o620, "open to others"),
        (b"short", 0o600, "one word of 32"),
        (b"", 0o600, "one word of 32"),
        (b"two words " * 9, 0o600, "one word of 32"),
        (b"\xff" * 64, 0o600, "one word of 32"),
        (b"x" * 9000, 0o600, "one word of 32"),
    ],
)
def test_tokens_that_are_refused(tmp_path, content, mode, said):
    path = tmp_path / "token"
    path.write_bytes(content)
    path.chmod(mode)
    with pytest.raises(UsageError, match=said) as caught:
        read_token(str(path))
    assert "0123" not in str(caught.value)


def test_a_token_is_one_line_of_a_file_of_mine(tmp_path):
    path = tmp_path / "token"
    path.write_bytes(TOKEN + b"\n")
    path.chmod(0o400)
    assert read_token(str(path)) == TOKEN
    for place in (tmp_path / "none", tmp_path):
        with pytest.raises(UsageError, match="--token-file"):
            read_token(str(place))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="no regular file"):
        read_token(str(tmp_path / "pipe"))
