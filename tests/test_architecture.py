"""What no unit test sees: who imports whom, what is listed where, what the tree must not hold."""

import ast
import functools
import re
import subprocess
import sys
from pathlib import Path

import pytest
import scrubline
from scrubline.dictionaries import DICTIONARIES
from scrubline.models.formats import FORMATS
from scrubline.models.recipes import DECLARATIONS, RECIPES
from scrubline.models.recognisers import RECOGNISERS

from .waiting import GUARD_SECONDS

ROOT = Path(__file__).parent.parent
ROOMS = ("dictionaries", "models", "transforms", "pipeline", "public")
"""A room imports only from itself and from those before it."""

PUBLIC = {"__init__": {"models"}, "__main__": {"pipeline"}, "beam": {"transforms"}}
"""Module of `public`, the root of the package -> the rooms that it imports."""

ORDER = {
    "models": (
        *("core", "native", "text", "storage", "features", "recognisers"),
        *("dates", "surrogates", "redaction"),
        *("learners", "crf", "trees", "margin", "families", "recipes", "corpora", "auxiliary"),
        *("bundles", "views", "rendering", "messages", "formats", "guesses", "roster", "records"),
        *("patient_view", "risk"),
        *("jobs", "scrubbed_text", "single_texts", "scrubber"),
        *("embedding", "synth", "plots", "pages", "evaluation", "review", "training", "studies"),
    ),
    "pipeline": (
        *("process", "metrics", "observer", "unit_groups", "cost_model", "options", "graph"),
        *(
            "outputs",
            "certifying",
            "monitoring",
            "runners",
            "preparation",
            "work",
            "run",
            "serving",
            "review",
            "commands",
            "cli",
        ),
    ),
}
"""The rooms inside of rooms, modules among them: the same law."""

FOREIGN = {
    "dictionaries": {"fsspec"},
    "models": {
        *("fsspec", "msgspec", "numpy", "pyarrow", "pycrfsuite", "re2"),
        *("cryptography", "rapidfuzz"),  # the roster: sealed rows, names within one edit
        *("gensim", "scipy", "sklearn", "threadpoolctl"),  # to train, never to use
    },
    "transforms": {"pyarrow", "apache_beam"},
    "pipeline": {
        "numpy",
        "pyarrow",
        "apache_beam",
        "rich",
        "prometheus_client",
        "opendp",  # noise for counts that are published
        "starlette",
        "uvicorn",
    },
    "public": set(),
}
"""What a room may import beside the standard library and the rooms."""

PRINTING = {
    *(
        "pipeline/process/logs.py",
        "pipeline/process/stdout.py",
        "pipeline/commands/auxiliary.py",
        "pipeline/commands/study.py",
        "pipeline/commands/synth.py",
        "pipeline/commands/train.py",
    ),
}
"""Modules that talk to a person on standard output or error; all others log or return."""


def modules(*folders: str) -> list[Path]:
    return sorted(p for folder in folders for p in (ROOT / folder).rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@functools.cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imports(path: Path) -> list[tuple[int, str]]:
    """(line, dotted name from the checkout's root) of all that a module imports."""
    here = path.relative_to(ROOT).with_suffix("").parts
    if here[0] == "public":  # installed as the root of the package
        here = here[1:]
    found = []
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            # The last part of `here` is a module, also `__init__`: one level is its folder.
            base = list(here[: len(here) - node.level]) if node.level else []
            base += node.module.split(".") if node.module else []
            found += [(node.lineno, ".".join([*base, alias.name])) for alias in node.names]
    return found


def test_the_reader_of_imports_sees_all_kinds(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    (tmp_path / "models/x").mkdir(parents=True)
    file = tmp_path / "models/x/y.py"
    file.write_text(
        "import os.path\nfrom . import a\nfrom ..b import c\nfrom ... import transforms\n"
        "def f():\n    from ...pipeline.cli import main\n    import apache_beam as beam\n"
    )
    assert [name for _, name in imports(file)] == [
        *(
            "os.path",
            "models.x.a",
            "models.b.c",
            "transforms",
            "pipeline.cli.main",
            "apache_beam",
        )
    ]


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_import_only_upwards(room):
    below = ROOMS[ROOMS.index(room) + 1 :]
    wrong = [
        f"{name_of(path)}:{line} imports {name}"
        for path in modules(room)
        for line, name in imports(path)
        if name.removeprefix("scrubline.").split(".")[0] in below
    ]
    assert wrong == []


def inner(path: Path) -> tuple[str, str] | None:
    """Room and inner room of a module; None for the face of a room."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return None if parts[1:] == ("__init__",) else (parts[0], parts[1])


@pytest.mark.parametrize("room", ORDER)
def test_every_inner_room_has_its_place_in_the_order(room):
    assert {place[1] for path in modules(room) if (place := inner(path))} == set(ORDER[room])


@pytest.mark.parametrize("room", ORDER)
def test_inner_rooms_import_only_from_those_before_them(room):
    wrong = []
    for path in modules(room):
        if (place := inner(path)) is None:
            continue
        later = ORDER[room][ORDER[room].index(place[1]) + 1 :]
        for line, name in imports(path):
            parts = name.split(".")
            if parts[0] == room and (len(parts) < 2 or parts[1] in later):
                wrong.append(f"{name_of(path)}:{line} imports {name}")
    assert wrong == []


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_import_what_they_were_given(room):
    given = set(ROOMS) | set(sys.stdlib_module_names)
    foreign: dict[str, str] = {}
    for path in modules(room):
        for line, name in imports(path):
            if (top := name.split(".")[0]) not in given:
                foreign[top] = f"{name_of(path)}:{line}"
    # What is allowed but not imported is not needed any more.
    assert foreign.keys() == FOREIGN[room], foreign


def test_public_imports_models_the_command_pipeline_and_beam_transforms():
    found = {
        path.relative_to(ROOT / "public").with_suffix("").as_posix(): {
            top for _, name in imports(path) if (top := name.split(".")[0]) in ROOMS
        }
        for path in modules("public")
    }
    assert found == PUBLIC


def test_no_room_imports_the_names_of_the_root():
    # Rooms import from where a name is defined; the root is for users.
    wrong = [
        f"{name_of(path)}:{line} imports {name}"
        for path in modules(*ROOMS)
        for line, name in imports(path)
        if name in dir(scrubline)
    ]
    assert wrong == []


@pytest.mark.parametrize("folder", [*ROOMS, "tests", "benchmarks", "demo"])
def test_no_room_is_imported_by_its_folders_name(folder):
    # It would load a second copy, whose classes are not equal to those of the installed one.
    wrong = []
    for path in modules(folder):
        for node in ast.walk(parsed(path)):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            wrong += [
                f"{name_of(path)}:{node.lineno} {n}" for n in names if n.split(".")[0] in ROOMS
            ]
    assert wrong == []


def test_between_rooms_imports_are_relative():
    wrong = [
        f"{name_of(path)}:{line} {name}"
        for path in modules(*ROOMS)
        for line, name in imports(path)
        if name.split(".")[0] == "scrubline"
    ]
    assert wrong == []


def test_the_root_of_the_package_is_the_room_public():
    assert Path(scrubline.__file__).resolve() == ROOT / "public/__init__.py"
    # It would shadow the installed package where Python is started in the checkout.
    assert not (ROOT / "scrubline").exists()
    assert not (ROOT / "__init__.py").exists()


@pytest.mark.parametrize(
    "file",
    ["setup.py", "Makefile", ".ci/sanitize", "deploy/Dockerfile", "deploy/Dockerfile.dockerignore"],
)
def test_whatever_copies_or_installs_rooms_names_all_of_them(file):
    words = set(re.findall(r"\w+", (ROOT / file).read_text(encoding="utf-8")))
    assert set(ROOMS) <= words


# -- what is loaded


def loaded(code: str) -> set[str]:
    """Top-level packages in memory after running some code in a fresh interpreter."""
    tail = "\nimport sys; print(' '.join(sorted({n.split('.')[0] for n in sys.modules})))"
    done = subprocess.run(
        [sys.executable, "-c", code + tail],
        capture_output=True,
        text=True,
        check=True,
        timeout=GUARD_SECONDS,
    )
    return set(done.stdout.splitlines()[-1].split())


def test_import_scrubline_loads_the_version_and_nothing_else():
    code = (
        "import sys; before = set(sys.modules); import scrubline\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=GUARD_SECONDS,
    )
    # An editable install has loaded `__future__` before.
    assert set(done.stdout.split()) - {"__future__"} == {
        *("scrubline", "scrubline.models", "scrubline.models.core"),
        "scrubline.models.core.version",
    }


def test_public_names_load_no_beam():
    found = loaded("from scrubline import *")
    assert "pyarrow" in found
    assert "apache_beam" not in found


HEAVY = {"apache_beam", "pyarrow", "numpy", "pycrfsuite", "re2", "rich", "fsspec"}
HEAVY |= {"gensim", "sklearn"}


def test_the_command_line_loads_nothing_heavy():
    assert loaded("import scrubline.pipeline.cli.main") & HEAVY == set()


def test_help_loads_nothing_heavy():
    code = (
        "import contextlib, io\nfrom scrubline.pipeline.cli.main import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "    main(['scrub', '--help'])"
    )
    assert loaded(code) & HEAVY == set()


def test_the_supervisor_and_all_that_plans_load_no_beam():
    names = (
        *("run", "runners.supervisor", "runners.engines", "outputs.publishing"),
        *("outputs.planning", "outputs.catalogue", "commands.verify", "commands.inspect"),
        "monitoring.progress",
    )
    code = "\n".join(f"import scrubline.pipeline.{name}" for name in names)
    found = loaded(code)
    assert "pyarrow" in found
    assert "apache_beam" not in found


def test_models_load_no_beam():
    names = [
        name_of(p).removesuffix(".py").replace("/", ".") for p in modules("models", "dictionaries")
    ]
    code = "\n".join(f"import scrubline.{n.removesuffix('.__init__')}" for n in names)
    assert "apache_beam" not in loaded(code)


# -- sizes and names

MOST_LINES_OF_A_FILE = 500
MOST_LINES_OF_A_FUNCTION = 70
LONGER: dict[str, str] = {}
"""A file, or a file and a function ("models/x.py f"), that is longer -> why it is not split."""


def longer() -> set[str]:
    """What is longer than the limits, as the keys of `LONGER`."""
    found = set()
    for path in modules(*ROOMS):
        if len(path.read_text(encoding="utf-8").splitlines()) > MOST_LINES_OF_A_FILE:
            found.add(name_of(path))
        for node in ast.walk(parsed(path)):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            if 1 + (node.end_lineno or 0) - node.lineno > MOST_LINES_OF_A_FUNCTION:
                found.add(f"{name_of(path)} {node.name}")
    return found


def test_files_and_functions_are_short_except_where_it_says_why():
    # What is not longer any more is no exception any more.
    assert longer() == LONGER.keys()


def test_the_reader_of_sizes_sees_files_and_functions(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    (tmp_path / "models").mkdir()
    body = "    a = 1\n" * (MOST_LINES_OF_A_FUNCTION - 1)
    long = f"class A:\n  def f():\n{body}    b = 2\n"
    (tmp_path / "models/functions.py").write_text(f"def g():\n{body}{long}")
    (tmp_path / "models/file.py").write_text("a = 1\n" * (MOST_LINES_OF_A_FILE + 1))
    (tmp_path / "models/short.py").write_text("a = 1\n" * MOST_LINES_OF_A_FILE)
    assert longer() == {"models/functions.py f", "models/file.py"}


def test_a_name_of_a_class_has_one_meaning():
    places: dict[str, list[str]] = {}
    for path in modules(*ROOMS):
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name.lstrip("_"), []).append(
                    f"{name_of(path)}:{node.lineno}"
                )
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


# -- tables list their folders

HELPERS = {
    "recognisers": {
        *(
            "casing",
            "word_forms",
            "check_digits",
            "context_words",
            "datewords",
            "eponym_ends",
            "evidence",
            "name_words",
            "named_numbers",
        ),
        *(
            "known_needs",
            "names",
            "national_schemes",
            "number_words",
            "patterns",
            "prefilter",
            "spanish_words",
        ),
        *("dispatch", "matching", "place_words", "probe"),
    },
    "formats": {
        *("archives", "arrow_types", "chunks", "column_roles", "column_types", "csv_dialect"),
        *("csv_scan", "encodings", "line_notes", "options", "parquet_groups", "parquet_sizes"),
        *("parquet_writer", "protocol", "samples", "zip_directory"),
        *("nested_arrow", "nested_columns", "nested_json", "nested_paths", "nested_texts"),
        *("json_texts", "message_columns", "message_files", "role_texts", "text_markup"),
    },
    "recipes": {"family", "other_lists", "passes", "propagation", "reading", "recipe", "tagger"},
}
"""Modules of a table's folder that are not entries."""


def stems(folder: str) -> set[str]:
    found = {path.stem for path in (ROOT / folder).glob("*.py")} - {"__init__"}
    return found - HELPERS[Path(folder).name]


def test_every_rule_is_listed_under_its_name():
    assert set(RECOGNISERS) == stems("models/recognisers")
    assert all(name == rule.NAME for name, rule in RECOGNISERS.items())


def test_every_format_is_listed_under_its_name():
    assert {type(form).__module__.rsplit(".", 1)[1] for form in FORMATS.values()} == stems(
        "models/formats"
    )
    assert all(form.name == name for name, form in FORMATS.items())


def test_every_recipe_is_listed():
    # A paper may declare several systems, a recipe may come in several sizes: hitsz-token, hide-r.
    listed = {*RECIPES, *DECLARATIONS}
    for stem in stems("models/recipes"):
        name = stem.replace("_", "-")
        assert any(entry == name or entry.startswith(f"{name}-") for entry in listed), name
    assert all(recipe.name == name for name, recipe in RECIPES.items())


def test_every_dictionary_is_listed():
    folder = ROOT / "dictionaries"
    assert sorted(DICTIONARIES.values()) == sorted(
        path.relative_to(folder).as_posix() for path in folder.glob("*/*.t[xs][tv]")
    )
    assert all(Path(path).stem == name for name, path in DICTIONARIES.items())


# -- what the tree must not hold


def tracked() -> list[Path]:
    """Files as git knows them, new ones included; without git, all that is not built."""
    done = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if done.returncode == 0:
        paths = [ROOT / name for name in done.stdout.decode().split("\0") if name]
    else:
        paths = [
            path
            for path in ROOT.rglob("*")
            if not {".venv", "build", ".git", "__pycache__"} & set(path.relative_to(ROOT).parts)
        ]
    return [path for path in paths if path.is_file()]


def text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def found_in(pattern: str, paths: list[Path]) -> list[str]:
    expression = re.compile(pattern)
    return [
        f"{name_of(path)}:{number}"
        for path in paths
        if path != Path(__file__)
        for number, line in enumerate(text_of(path).splitlines(), 1)
        if expression.search(line)
    ]


def test_nothing_is_left_to_be_done_later():
    code = [path for path in tracked() if path.suffix in (".py", ".toml", ".sh", ".c", ".h")]
    assert found_in(r"\b(TODO|FIXME|XXX)\b|\bNotImplementedError\b", code) == []


def test_no_path_of_a_machine_is_in_the_tree():
    assert found_in(r"(^|[\s\"'(=:])/(work|root|home/[a-z]+|Users/[A-Z]?[a-z]+)/", tracked()) == []


def test_only_the_command_line_prints():
    wrong = [
        f"{name_of(path)}:{node.lineno}"
        for path in modules(*ROOMS)
        if name_of(path) not in PRINTING
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]
    assert wrong == []


def test_no_code_is_made_from_data():
    wrong = [
        f"{name_of(path)}:{node.lineno} {node.func.id}"
        for path in modules(*ROOMS)
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("eval", "exec", "__import__")
    ]
    wrong += [
        f"{name_of(path)}:{line} {name}"
        for path in modules(*ROOMS)
        for line, name in imports(path)
        if name.split(".")[0] in ("pickle", "marshal", "shelve", "dill", "cloudpickle")
    ]
    assert wrong == []


def test_files_end_with_one_line_break_and_hold_no_marks():
    text = [p for p in tracked() if p.suffix in (".py", ".md", ".toml", ".yml", ".yaml", ".sh")]
    wrong = [name_of(p) for p in text if p.stat().st_size and (c := text_of(p)) and c[-1:] != "\n"]
    assert wrong == []
    assert found_in(r"^(<{7} |>{7} |={7}$)", text) == []
