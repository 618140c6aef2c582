"""Annotated notes made by a program, to train on: hand-written templates, invented identities."""

from __future__ import annotations

from .generating import generate, generate_note
from .parsing import Template, TemplateError, load_templates, parse_templates

__all__ = [
    "Template",
    "TemplateError",
    "generate",
    "generate_note",
    "load_templates",
    "parse_templates",
]
