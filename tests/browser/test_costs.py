"""The sizes in docs/site.md are true. Bytes are those of a server that compresses with gzip."""

import gzip
import re
from zipfile import ZipFile

from docs.writers.blocks import ROOT

UNITS = {"kB": 10**3, "MB": 10**6}

CATALOGUE = "paramproof/catalogue/data/"

FIRST_VIEW = ("models/bert-base-uncased.html", "style.css", "app.js")

PYTHON = ("python.files", "python.image", "worker.js")

LATER = "python_stdlib.zip"
"""What is loaded when Python is ready."""


def sizes(site):
    """Return the compressed bytes of a first view, of all that Python needs, and of a model type.

    The model types are part of the second; the third is the average for one of them.
    """
    with ZipFile(site / "paramproof.whl") as wheel:
        types = [file for file in wheel.infolist() if CATALOGUE in file.filename]
    return {
        "a first view": _compressed(site / name for name in FIRST_VIEW),
        "Python with the formulas": _compressed(
            [
                *(file for file in (site / "pyodide").iterdir() if file.name != LATER),
                *(site / name for name in PYTHON),
            ]
        ),
        "a model type": sum(file.compress_size for file in types) / len(types),
    }


def _compressed(files):
    return sum(len(gzip.compress(file.read_bytes())) for file in files)


def test_the_documented_sizes(site):
    text = " ".join((ROOT / "docs/site.md").read_text("utf-8").split())
    for what, size in sizes(site).items():
        number, unit = re.search(rf"{what}[^.]*? at most ([\d.]+) (kB|MB)", text, re.I).groups()
        said = float(number) * UNITS[unit]
        # At most, and not much less: the docs must not be out of date.
        assert 0.7 * said < size <= said, what
