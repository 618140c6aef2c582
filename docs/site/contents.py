"""Which pages the site has, in the order in which its sidebar shows them."""

CONTENTS = {
    "Begin": ("docs/tutorial", "docs/scores"),
    "Tasks": (
        "docs/how-to/run-nightly",
        "docs/how-to/scrub-messages",
        "docs/how-to/held-run",
        "docs/how-to/upgrade",
        "docs/how-to/train",
        "docs/how-to/write-a-rule",
        "docs/how-to/known-people",
        "docs/how-to/embed",
    ),
    "Using Scrubline": (
        "docs/operations",
        "docs/policies",
        "docs/dates",
        "docs/own-rules",
        "docs/surrogates",
        "docs/roster",
        "docs/records",
        "docs/view",
        "docs/review",
        "docs/review-keys",
        "docs/certificate",
        "docs/formats",
        "docs/messages",
        "docs/hl7-fields",
        "docs/ccda-fields",
        "docs/fhir-fields",
        "docs/tables",
        "docs/errors",
        "docs/python",
        "docs/embedding",
    ),
    "Models": (
        "docs/training",
        "docs/annotation",
        "docs/evaluation",
        "docs/synth",
        "docs/parts",
    ),
    "How it works": (
        "docs/security",
        "docs/rules",
        "docs/disguises",
        "docs/engines",
        "docs/performance",
        "docs/faults",
    ),
    "Research": (
        "docs/recipes",
        "docs/studies/README",
        "docs/studies/claims",
        "docs/studies/hide-worked-example",
        "docs/studies/active",
        "docs/studies/active-english",
        "docs/studies/peeking",
    ),
    "The project": ("README", "CONTRIBUTING", "CHANGELOG"),
}
"""Caption of the sidebar -> pages, by their paths without suffix."""


def hidden_contents(page: str, front: str) -> str:
    """What is added to the source of a page: a table of contents, to the front page alone."""
    if page != front:
        return ""
    trees = (
        f"```{{toctree}}\n:hidden:\n:caption: {caption}\n"
        + "\n".join(name for name in pages if name != front)
        + "\n```\n"
        for caption, pages in CONTENTS.items()
    )
    return "\n\n" + "\n".join(trees)
