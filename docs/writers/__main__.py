"""Rewrite the generated parts of README and docs: ``python -m docs.writers [PAGE ...]``.

Run it in the checkout. Without arguments it rewrites every page. ``frameworks`` and ``differences``
need every framework, ``readme``, ``faults`` and ``hunt`` need PyTorch, ``derived`` and ``public``
need Hugging Face transformers, ``kerashub`` needs KerasHub, and ``second-opinion`` MLX and
mlx-lm.
"""

import sys
from importlib import import_module

PAGES = {
    "formulas": "formulas_page",
    "configurations": "configs_page",
    "commands": "commands_page",
    "families": "families_page",
    "guides": "guides",
    "json": "json_page",
    "python": "python_page",
    "claims": "claims.page",
    "mutation": "mutation_page",
    "parity": "parity_page",
    "explain": "explain_page",
    "faults": "faults_page",
    "versions": "versions_page",
    "public": "public_page",
    "hunt": "hunt_page",
    "derived": "derived_page",
    "libraries": "libraries_page",
    "kerashub": "kerashub.page",
    "published": "published_page",
    "second-opinion": "second_opinion_page",
    "readme": "readme",
    "frameworks": "frameworks_page",
    "differences": "differences.reference",
}
"""The module of each page; the fastest come first."""


def main(names: list[str]) -> None:
    """Rewrite the named pages, or all. Exits with an error if a name is unknown."""
    if unknown := set(names) - set(PAGES):
        sys.exit(f"unknown page: {', '.join(unknown)}; choose from {', '.join(PAGES)}")
    for name in names or PAGES:
        import_module(f"docs.writers.{PAGES[name]}").write()


if __name__ == "__main__":
    main(sys.argv[1:])
