"""The scripts of docs/checks.md, and pytest as a user of the plugin runs it."""

import os
import subprocess
import sys

from docs.writers.blocks import ROOT, script_in

DOCUMENT = ROOT / "docs" / "checks.md"


def example(name):
    return script_in(DOCUMENT.read_text("utf-8"), name)


def run_pytest(directory, *arguments):
    """Run pytest in ``directory``, which contains only a test, with no other plug-in."""
    path = os.pathsep.join(os.path.abspath(entry) for entry in sys.path if entry)
    environment = {**os.environ, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-P", "-m", "pytest", "-p", "paramproof.pytest_plugin", *arguments]
    return subprocess.run(
        command, cwd=directory, env=environment, capture_output=True, text=True, timeout=300
    )
