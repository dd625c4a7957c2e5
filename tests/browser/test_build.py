"""The built site: the same bytes at each build, and the sizes that site/README.md states."""

import gzip
import os
import re
import subprocess
import sys
from zipfile import ZipFile

from docs.writers.blocks import ROOT


def test_a_site_is_the_same_byte_for_byte(site, modules, tmp_path):
    other = {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "HOME": str(tmp_path)}
    again = tmp_path / "again"
    command = [sys.executable, ROOT / "site/build.py", again, modules.resolve()]
    done = subprocess.run(
        command, env={**os.environ, **other}, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    files = {path.relative_to(site) for path in site.rglob("*") if path.is_file()}
    assert files == {path.relative_to(again) for path in again.rglob("*") if path.is_file()}
    assert len(files) > 120
    assert [one for one in files if (site / one).read_bytes() != (again / one).read_bytes()] == []


UNITS = {"kB": 10**3, "MB": 10**6}


def sizes(site):
    """Return the compressed bytes of a first view, of all that Python needs, and of a model type.

    The model types are part of the second; the third is the average for one of them.
    """

    def compressed(files):
        return sum(len(gzip.compress(file.read_bytes())) for file in files)

    with ZipFile(site / "paramproof.whl") as wheel:
        types = [
            one for one in wheel.infolist() if "paramproof/catalogue/programs/" in one.filename
        ]
    python = [site / name for name in ("python.files", "python.image", "worker.js")]
    # The standard library is loaded when Python is ready.
    python += [one for one in (site / "pyodide").iterdir() if one.name != "python_stdlib.zip"]
    scripts = ("app.js", "page.js", "model.js")
    first = ("models/bert-base-uncased.html", "style.css", *scripts)
    return {
        "a first view": compressed(site / name for name in first),
        "Python with the formulas": compressed(python),
        "a model type": sum(file.compress_size for file in types) / len(types),
    }


def test_the_documented_sizes(site):
    text = " ".join((ROOT / "site/README.md").read_text("utf-8").split())
    for what, size in sizes(site).items():
        number, unit = re.search(rf"{what}[^.]*? at most ([\d.]+) (kB|MB)", text, re.I).groups()
        said = float(number) * UNITS[unit]
        # At most, and not much less: the docs must not be out of date.
        assert 0.7 * said < size <= said, what
