"""Run the Python examples that a page shows, as one session."""

import doctest
import re
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
