# `make demo` and `make test` need Python 3.11, make and the package index of pip.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# An editable install builds the extension in its place: anew when its sources change.
NATIVE := $(wildcard models/native/*.[ch])

.PHONY: demo demo-certificate test test-all test-exhaustive check format dev site clean bench sanitize check-examples engines test-engines stores test-stores digests faults test-embed test-browser pythons replay-image

demo: $(VENV)/for-use
	@mkdir -p build/demo
	@test -f build/demo/key.txt || $(BIN)/scrubline key new --output build/demo/key.txt
	@rm -rf build/demo/out
	$(BIN)/scrubline scrub --config demo/scrubline.toml --input demo/parquet --output build/demo/out
	@echo
	@echo "scrubbed tables: build/demo/out/data   audit: build/demo/out/audit   see README.md for a query"

# The same notes once more, on hold: drawn from, read, certified, and published by the gate of risk; under three minutes.
demo-certificate: $(VENV)/for-use
	$(BIN)/python demo/certificate.py build/demo/certificate

# A file of tests stays in one process: its servers are started once. They begin in the order of `tests/conftest.py`. `make test`
# leaves out the tests marked `slow` and draws fewer examples; `make test-all` runs all but those of real engines and those marked
# `exhaustive`, the rest of products of which it runs a part: `make test-exhaustive`. CI runs `make test-all EXAMPLES=fast`, the same
# examples each time.
# Processes that tests start find what the first one compiled, even where Python is told not to keep that.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/pytest --numprocesses auto --dist loadfile --no-loadscope-reorder

test: $(VENV)/for-tests
	$(PYTEST) -m "not engines and not exhaustive and not slow" --hypothesis-profile fast

test-all: $(VENV)/for-tests
	$(PYTEST) $(if $(EXAMPLES),--hypothesis-profile $(EXAMPLES))

test-exhaustive: $(VENV)/for-tests
	$(PYTEST) -m exhaustive

check: $(VENV)/for-tests dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	MYPYPATH=build/dev $(BIN)/mypy

format: $(VENV)/for-tests
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The documentation as a site with search: open build/site/index.html. Every warning, such as a link that leads nowhere, fails.
site: $(VENV)/for-tests
	$(BIN)/sphinx-build --quiet --fail-on-warning --fresh-env -c docs/site -d build/site-cache . build/site

# Type checkers cannot follow the import hook of an editable install: links give them a package to walk.
dev:
	@rm -rf build/dev
	@mkdir -p build/dev/scrubline
	@for file in public/*.py public/py.typed pipeline transforms models dictionaries; do ln -s ../../../$$file build/dev/scrubline/; done

# Real engines at pinned versions, into $SCRUBLINE_ENGINES or the user's cache: Prism by Go; Flink and Spark by Maven, to run on
# Java. `make engines ENGINES=prism` installs one of them; `make test-engines TESTS=demo` runs some of the tests.
ENGINES ?= prism flink spark
TESTS ?=
SPACE := $() $()
ASKED = ($(subst $(SPACE), or ,$(strip $(ENGINES))))$(if $(TESTS), and ($(TESTS)))

engines: $(VENV)/for-tests
	$(BIN)/python -m tests.servers.engines $(ENGINES)

test-engines: engines
	$(BIN)/pytest -m engines -k "$(ASKED)" tests/pipeline/runners/test_on_engines.py tests/transforms/test_scrub_text.py

# Object stores of Google and Azure at pinned versions, beside the engines: fake-gcs-server by Go, Azurite by npm. Where they
# are not installed their tests skip; `make test-stores` fails instead.
STORES ?= gcs azure

stores: $(VENV)/for-tests
	$(BIN)/python -m tests.servers.stores $(STORES)

test-stores: stores
	SCRUBLINE_REQUIRED_STORES="$(STORES)" $(BIN)/pytest tests/servers/test_stores.py tests/pipeline/end_to_end/test_storage_digests.py \
		tests/pipeline/end_to_end/test_store_locks.py

digests: $(VENV)/for-tests
	$(BIN)/python -m benchmarks.digests

# The tests on each installed Python from 3.11 on, from one wheel; content digests are compared.
# `make pythons PYTHONS="--no-tests"` compares digests alone.
PYTHONS ?=

pythons: $(VENV)/for-tests
	$(BIN)/python -m benchmarks.pythons $(PYTHONS)

# The steps of deploy/Dockerfile without a container, in an empty folder; needs a compiler and Go.
replay-image:
	rm -rf build/image
	$(PYTHON) deploy/replay.py build/image

# All combinations of the table of faults, two at once; needs gcc. `make faults ONLY=s3:` tries some.
ONLY ?=

faults: $(VENV)/for-tests
	$(BIN)/python -m tests.faults.run --parallel 2 $(if $(ONLY),--only "$(ONLY)")

bench: $(VENV)/for-tests
	$(BIN)/python -m benchmarks.pipeline

$(VENV)/for-use: setup.py models/core/version.py $(NATIVE)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "pip installs Scrubline and what it needs into $(VENV): about a minute, 500 MB"
	$(BIN)/python -m pip install -qq --editable .
	@touch $@

$(VENV)/for-tests: setup.py models/core/version.py $(NATIVE)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "pip installs Scrubline and what its tests need into $(VENV): about two minutes"
	$(BIN)/python -m pip install -qq --editable ".[test]"
	@touch $@ $(VENV)/for-use

# The extension under AddressSanitizer and UndefinedBehaviorSanitizer: its tests, with `EXAMPLES=fast` fewer examples, and a short fuzz.
sanitize: $(VENV)/for-tests
	.ci/sanitize $(BIN)/python $(EXAMPLES)

# The examples of docs/embedding.md with pandas, polars, DuckDB and Spark (which needs Java), which live apart from ours.
test-embed:
	test -x $(VENV)-embed/bin/python || $(PYTHON) -m venv $(VENV)-embed
	$(VENV)-embed/bin/python -m pip install -qq --editable ".[test,embed-test]"
	$(VENV)-embed/bin/pytest tests/public/test_embedding_manual.py

# The pages for people and the notebook display in Chromium, at /usr/bin/chromium or $SCRUBLINE_CHROMIUM; root on Debian gets one.
test-browser: $(VENV)/for-tests
	@test -x "$${SCRUBLINE_CHROMIUM:-/usr/bin/chromium}" || ! command -v apt-get > /dev/null || [ "$$(id -u)" != 0 ] \
		|| { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium; } > /dev/null 2>&1
	$(BIN)/python -m pip install -qq --editable ".[test,browser-test]"
	SCRUBLINE_REQUIRE_BROWSER=1 $(BIN)/pytest tests/browser

# The examples of docs/examples, by their own tools, which live apart from ours.
check-examples:
	test -x $(VENV)-examples/bin/python || $(PYTHON) -m venv $(VENV)-examples
	$(VENV)-examples/bin/python -m pip install -qq apache-airflow==3.3.2 croniter==7.0.0 kubernetes-validate==1.37.0
	$(VENV)-examples/bin/python docs/examples/check.py

clean:
	rm -rf $(VENV) $(VENV)-embed $(VENV)-examples build dist *.egg-info models/native/*.so
