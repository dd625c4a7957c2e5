"""Take in a release of transformers: ``python -m releases.taking_in 5.24.0 [TYPE ...]``.

Run this in the checkout; it needs ``uv``. It installs the release in an environment of its own, and
compares each type's file there with the models that the release builds. It derives the types that
differ or are new, prints the differences as formulas, and writes the files.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from releases.algebra import LIBRARY
from releases.trying import ROOT, installed, releases

BESIDE = ("scipy", "timm", "torchvision")
"""Packages that classes such as DETR's and Mask2Former's import."""

SECONDS = 500
"""The processor time for each type that is derived."""


def main(arguments: list[str]) -> int:
    """Take in a release, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m releases.taking_in", description=__doc__)
    parser.add_argument("version", metavar="VERSION", help="the release, such as 5.24.0")
    parser.add_argument("types", nargs="*", metavar="TYPE", help="model types; all by default")
    options = parser.parse_args(arguments)
    newest = [one for one in releases() if one.library == LIBRARY][-1]
    wanted = replace(newest, version=options.version, beside=(*newest.beside, *BESIDE))
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        if error := installed(wanted, Path(folder)):
            print(f"{LIBRARY}=={options.version} was not installed: {error}", file=sys.stderr)
            return 2
        take_in = [str(Path(folder) / "bin" / "python"), "-m", "sweep", "--take-in"]
        take_in += ["--seconds", str(SECONDS), *options.types]
        # The checkout's own modules, in place of those installed: its files are written.
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        status = subprocess.run(take_in, cwd=ROOT, env=environment, check=False).returncode
    print(f"{(time.perf_counter() - started) / 60:.0f} minutes")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
