"""Run code in a process of its own, and what a page shows: its examples as one session."""

import doctest
import os
import re
import subprocess
import sys

import pytest

from docs.writers.blocks import script_in

BLOCK = re.compile(r"(?P<torch><!-- torch -->\n\n)?```pycon\n(?P<code>.*?)```", re.DOTALL)


def failures(text, folder, *, with_torch):
    """Return how many examples print something else; those for PyTorch run ``with_torch`` alone.

    ``folder`` gets the page's module ``mine``.
    """
    (folder / "mine.py").write_text(script_in(text, "mine.py"), "utf-8")
    shown = [one["code"] for one in BLOCK.finditer(text) if with_torch or not one["torch"]]
    session = doctest.DocTestParser().get_doctest("\n".join(shown), {}, "page", None, None)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        patch.delitem(sys.modules, "mine", raising=False)
        found = doctest.DocTestRunner().run(session)
    assert found.attempted > 10
    return found.failed


def run_python(*arguments, cwd=None, **environment):
    """Run Python in a process that imports what this one does; None drops a variable."""
    path = os.pathsep.join(os.path.abspath(entry) for entry in sys.path if entry)
    given = {**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8", **environment}
    return subprocess.run(
        [sys.executable, "-P", *arguments],
        cwd=cwd,
        env={name: value for name, value in given.items() if value is not None},
        capture_output=True,
        encoding="utf-8",
    )


def printed_by(script, folder):
    """Return what a script in ``folder`` prints; it may import modules from there."""
    path = os.pathsep.join([str(folder), *map(os.path.abspath, sys.path)])
    done = run_python(script, cwd=folder, PYTHONPATH=path)
    assert done.returncode == 0, done.stderr
    return done.stdout
