"""A browser, or a skip that says what is missing.

The browser is Debian's Chromium, or the one that SCRUBLINE_CHROMIUM names; `make test-browser`
demands it.
"""

import os
from pathlib import Path

import pytest

CHROMIUM = Path(os.environ.get("SCRUBLINE_CHROMIUM", "/usr/bin/chromium"))


def missing():
    """What is not here, in words; None if all is."""
    try:
        import playwright  # noqa: F401
    except ImportError:
        return "Playwright is missing: install the extra `browser-test`"
    if not CHROMIUM.exists():
        return f"there is no Chromium at {CHROMIUM}: install it, or name it in SCRUBLINE_CHROMIUM"
    return None


@pytest.fixture(scope="session")
def browser():
    """Chromium, started once."""
    if why := missing():
        assert "SCRUBLINE_REQUIRE_BROWSER" not in os.environ, why
        pytest.skip(why)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        chromium = started.chromium.launch(
            executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield chromium
        chromium.close()
