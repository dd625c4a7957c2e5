"""A handler that takes any error says why, so that an error of our own is not lost by accident."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]

PACKAGES = ("bench", "builders", "docs", "formulas", "paramproof", "releases", "site", "sweep")

BROAD = re.compile(
    r"except(?: \(?(?:Base)?Exception\b.*)?:|except \(.*\b(?:Base)?Exception\b.*:"
    r"|suppress\(.*\b(?:Base)?Exception\b.*\):"
)


def unexplained(text):
    """Return the broad handlers in a module without a reason, on their line or the next."""
    lines = [line.strip() for line in text.splitlines()]
    return [
        line
        for line, after in zip(lines, [*lines[1:], ""], strict=True)
        if BROAD.match(line.removeprefix("with ")) and "  # " not in line and after[:1] != "#"
    ]


def test_an_unexplained_handler_is_found():
    assert unexplained("try:\n    f()\nexcept Exception as error:\n    pass") == [
        "except Exception as error:"
    ]
    assert unexplained("except:\n    pass") == ["except:"]
    assert unexplained("with suppress(Exception):\n    f()") == ["with suppress(Exception):"]
    assert unexplained("except (OSError, Exception):\n    f()") == ["except (OSError, Exception):"]
    assert not unexplained("except ValueError:\n    pass")
    assert not unexplained("except Exception:  # It is raised again.\n    raise")
    assert not unexplained("except Exception:\n    # It is raised again.\n    raise")


def test_every_broad_handler_says_why():
    found = {
        f"{path.relative_to(ROOT)}: {line}"
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if "node_modules" not in path.parts
        for line in unexplained(path.read_text("utf-8"))
    }
    assert found == set()


def test_the_sweep_takes_an_error_for_a_refusal_in_one_place():
    """``sweep.library.refusal.Attempt`` is that place; the pool reports what ends a process."""
    found = [
        path.name
        for path in (ROOT / "sweep").rglob("*.py")
        for line in path.read_text("utf-8").splitlines()
        if BROAD.match(line.strip().removeprefix("with "))
    ]
    assert found == ["pool.py"]
