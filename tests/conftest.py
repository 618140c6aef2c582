"""Options of the whole test run."""


def pytest_addoption(parser):
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite tests/golden/*.json with what comes out now; review the difference",
    )
