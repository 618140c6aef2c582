"""Packaging: the four top-level rooms are installed as `scrubline.<room>`."""

import re
from pathlib import Path

from setuptools import Extension, find_packages, setup

ROOMS = ("pipeline", "transforms", "models", "dictionaries")
# Read and not imported: what the package needs is not installed yet.
(VERSION,) = re.findall('^VERSION = "([^"]+)"$', Path("models/version.py").read_text("utf-8"), re.M)
CLUSTERS = ["gensim>=4.4,<5", "scikit-learn>=1.5,<2", "threadpoolctl>=3.1"]

# One extension for all Pythons from 3.11 on. Without a compiler the install succeeds without it,
# and Scrubline runs its reference path.
NATIVE = Extension(
    "scrubline.models.native._native",
    sources=sorted(map(str, Path("models/native").glob("*.c"))),
    depends=sorted(map(str, Path("models/native").glob("*.h"))),
    extra_compile_args=["-O3", "-std=c11", "-fno-trapping-math"],
    libraries=["m"],
    py_limited_api=True,
    optional=True,
)

setup(
    name="scrubline",
    version=VERSION,
    description="De-identification of clinical text at warehouse scale, with an audit log",
    long_description=Path("README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    python_requires=">=3.11",
    packages=[f"scrubline.{room}" for room in ROOMS]
    + [f"scrubline.{room}.{sub}" for room in ROOMS for sub in find_packages(room)],
    package_dir={f"scrubline.{room}": room for room in ROOMS},
    package_data={
        "scrubline.pipeline": ["py.typed"],
        "scrubline.transforms": ["py.typed"],
        "scrubline.models": [
            "py.typed",
            "classes-*.tsv",
            "bundled/*/*",
            "bundled/*/*/*",
            "policies/*.toml",
            "label_maps/*.toml",
            "synth/*.txt",
            "synth/*/*.txt",
        ],
        "scrubline.dictionaries": ["py.typed", "*/*.txt", "*/*.tsv", "*/*.md"],
    },
    ext_modules=[NATIVE],
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
        # Progress bars, tables and coloured text on a terminal.
        "rich>=13",
    ],
    extras_require={
        "s3": ["s3fs>=2025.3"],
        "gcs": ["gcsfs>=2025.3"],
        "azure": ["adlfs>=2024.12"],
        # To make word2vec clusters (`scrubline part train word2vec`); not to use them. Vectors and
        # k-means; threadpoolctl (scikit-learn's own) holds both to one thread, for equal bytes.
        "clusters": CLUSTERS,
        # Fuzzing by coverage; wheels for Linux alone.
        "fuzz": ["atheris==3.0.0; sys_platform == 'linux'"],
        "test": [
            "pytest>=8",
            "pytest-xdist",
            "hypothesis>=6.100",
            "ruff>=0.9",
            "mypy>=1.15",
            # A wheel is built and installed without the network.
            "setuptools>=77",
            "wheel",
            # Those of the extra `clusters`.
            *CLUSTERS,
            # Reads the file of metrics as Prometheus does.
            "prometheus_client>=0.20",
            # Real S3 servers on loopback: a light one, and a multi-process one that writes to disk.
            "s3fs>=2025.3",
            "moto[server]>=5.1",
            "swift==2.38.3; sys_platform == 'linux'",
            "pyeclib>=1.6; sys_platform == 'linux'",
            # Clients of the stores that `make stores` installs.
            "gcsfs>=2025.3",
            "adlfs>=2024.12",
        ],
    },
    entry_points={"console_scripts": ["scrubline = scrubline.pipeline.cli:command"]},
)
