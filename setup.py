"""Packaging: the folder `public` is installed as `scrubline`, each room as `scrubline.<room>`."""

import os
import re
import shutil
from pathlib import Path

from setuptools import Extension, find_packages, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

PACKAGES = {
    "scrubline": "public",
    **{f"scrubline.{room}": room for room in ("pipeline", "transforms", "models", "dictionaries")},
}
"""Package -> its folder."""

# Read and not imported: what the package needs is not installed yet.
(VERSION,) = re.findall(
    '^VERSION = "([^"]+)"$', Path("models/core/version.py").read_text("utf-8"), re.M
)
SVM = ["scikit-learn>=1.5,<2"]
DOCS = ["sphinx>=8.1,<10", "furo>=2025.9", "myst-parser>=4,<6"]
SERVE = ["starlette>=0.46,<2", "uvicorn>=0.34,<1"]
DP = ["opendp>=0.14,<1"]
CLUSTERS = ["gensim>=4.4,<5", *SVM, "threadpoolctl>=3.1"]

# One extension for all Pythons from 3.11 on. Without a compiler the install succeeds without it,
# and Scrubline runs its reference path; SCRUBLINE_REQUIRE_NATIVE=1 makes the build fail instead.
NATIVE = Extension(
    "scrubline.models.native._native",
    sources=sorted(map(str, Path("models/native").glob("*.c"))),
    depends=sorted(map(str, Path("models/native").glob("*.h"))),
    extra_compile_args=["-O3", "-std=gnu11", "-fno-trapping-math"],
    libraries=["m"],
    py_limited_api=True,
    optional=os.environ.get("SCRUBLINE_REQUIRE_NATIVE") != "1",
)


class BuildPackages(build_py):
    """Starts with an empty folder: `build/lib` may hold modules that have since been moved."""

    def run(self) -> None:
        """Removes what an earlier build left, then copies the packages."""
        earlier = Path(self.build_lib, "scrubline")
        if earlier.exists() and not self.editable_mode:
            shutil.rmtree(earlier)
        super().run()


class TaggedWheel(bdist_wheel):
    """Names a wheel for what is in it: without the extension it is `py3-none-any`."""

    def get_tag(self) -> tuple[str, str, str]:
        """The tag; only after the build is it known whether the extension could be built."""
        built = Path(self.get_finalized_command("build").build_lib, "scrubline/models/native")
        if built.is_dir() and not any(p.suffix in (".so", ".pyd") for p in built.iterdir()):
            self.root_is_pure = True
            return "py3", "none", "any"
        return super().get_tag()


setup(
    name="scrubline",
    version=VERSION,
    description="De-identification of clinical text at warehouse scale, with an audit log",
    long_description=Path("README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    python_requires=">=3.11",
    packages=[
        *PACKAGES,
        *(f"{name}.{sub}" for name, folder in PACKAGES.items() for sub in find_packages(folder)),
    ],
    package_dir=PACKAGES,
    package_data={
        "scrubline": ["py.typed"],
        "scrubline.models": [
            "text/classes-*.tsv",
            "bundles/bundled/*/*",
            "bundles/bundled/*/*/*",
            "redaction/policies/*.toml",
            "core/*.toml",
            "core/label_sets/*.toml",
            "synth/*.txt",
            "synth/*/*.txt",
            "messages/*.tsv",
        ],
        "scrubline.dictionaries": ["*/*.txt", "*/*.tsv", "*/*.md"],
        "scrubline.pipeline": ["commands/*.sql", "review/static/*"],
    },
    ext_modules=[NATIVE],
    cmdclass={"build_py": BuildPackages, "bdist_wheel": TaggedWheel},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
    install_requires=[
        # Beam caps pyarrow and numpy; asking for a newer pyarrow makes resolvers walk back to
        # ancient Beams.
        "apache-beam==2.77.*",
        "pyarrow>=24,<26",
        "numpy>=2,<2.5",
        "python-crfsuite>=0.9.12,<0.10",
        "fsspec>=2025.3",
        "google-re2>=1.1.20251105",
        # AES-SIV, by which rosters are sealed; Beam needs it, too.
        "cryptography>=43",
        # Names of a roster within one edit (optimal string alignment): 113 ns a word for all names
        # of a patient at once. Wheels without further requirements.
        "rapidfuzz>=3.14,<4",
        # Checks the types of JSON that is read.
        "msgspec>=0.19,<1",
        # Progress bars, tables and coloured text on a terminal.
        "rich>=13",
        # The file of metrics.
        "prometheus_client>=0.20",
    ],
    extras_require={
        "s3": ["s3fs>=2025.3"],
        "gcs": ["gcsfs>=2025.3"],
        "azure": ["adlfs>=2024.12"],
        # To make word2vec clusters (`scrubline part train word2vec`); not to use them. Vectors and
        # k-means; threadpoolctl (scikit-learn's own) holds both to one thread, for equal bytes.
        "clusters": CLUSTERS,
        # To train linear classifiers (`scrubline train --recipe stat-deid`); not to use them.
        "svm": SVM,
        # The documentation as a site (`make site`).
        "docs": DOCS,
        # The server of `scrubline serve`.
        "serve": SERVE,
        # The page of `scrubline review`.
        "review": SERVE,
        # Noise for counts that are published (`scrubline view counts`).
        "dp": DP,
        # Fuzzing by coverage; wheels for Linux alone.
        "fuzz": ["atheris==3.0.0; sys_platform == 'linux'"],
        # What the examples of docs/embedding.md are for; heavy, so `make test-embed` has an
        # environment of its own. PySpark is not for pandas 3 yet.
        "embed-test": ["pandas>=2.2,<3", "polars>=1.20,<3", "duckdb>=1.2,<3", "pyspark>=4,<5"],
        # Pages looked at in a browser (`make test-browser`): Debian's Chromium, or the one that
        # SCRUBLINE_CHROMIUM names. Without it, or without this, these tests skip.
        "browser-test": ["playwright>=1.45,<2", "axe-playwright-python>=0.1.4,<1"],
        "test": [
            "pytest>=8",
            "pytest-xdist",
            "hypothesis>=6.100",
            "ruff>=0.9",
            "mypy>=1.15",
            # A wheel is built and installed without the network.
            "setuptools>=77",
            "wheel",
            # Those of the extras `clusters`, `docs`, `dp` and `serve`.
            *CLUSTERS,
            *DOCS,
            *DP,
            *SERVE,
            # Real S3 servers on loopback: a light one, and a multi-process one that writes to disk.
            "s3fs>=2025.3",
            "moto[server]>=5.1",
            # Reads outputs by the views of `inspect --sql`.
            "duckdb>=1.1",
            # Parsers of messages, to compare structures with.
            "hl7>=0.4.5",
            "lxml>=5.3",
            # Models of FHIR R4B and R5: whether what comes out is still a resource.
            "fhir.resources>=8,<9",
            # Check digits of national numbers, to compare ours with.
            "python-stdnum==2.1",
            "swift==2.38.3; sys_platform == 'linux'",
            "pyeclib>=1.6; sys_platform == 'linux'",
            # Clients of the stores that `make stores` installs.
            "gcsfs>=2025.3",
            "adlfs>=2024.12",
        ],
    },
    entry_points={"console_scripts": ["scrubline = scrubline.pipeline.cli.main:command"]},
)
