"""The scripts of docs/checks.md, and pytest as a user of the plugin runs it."""

from docs.writers.blocks import ROOT, script_in
from tests.sessions import run_python

DOCUMENT = ROOT / "docs" / "checks.md"


def example(name):
    return script_in(DOCUMENT.read_text("utf-8"), name)


def run_pytest(directory, *arguments):
    """Run pytest in ``directory``, which contains only a test, with no other plug-in."""
    command = ("-m", "pytest", "-p", "paramproof.pytest_plugin", *arguments)
    return run_python(*command, cwd=directory, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
